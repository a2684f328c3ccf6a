export function referencePages(load: (module: string) => Promise<unknown>): Promise<Readonly<Record<string, string>>>;
