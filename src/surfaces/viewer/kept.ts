// Keeps the last answers, so that a page appears immediately and at its full height when the person returns to it. The page still asks
// again. Any event that may delete data from the store also drops all kept answers.
const most = 60;
const kept = new Map<string, unknown>();

export const keptOf = <T>(key: string | undefined): T | undefined =>
  key === undefined ? undefined : (kept.get(key) as T | undefined);

export function keep(key: string, answer: unknown): void {
  kept.delete(key);
  kept.set(key, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break;
    kept.delete(oldest);
  }
}

export const dropKept = (): void => kept.clear();
