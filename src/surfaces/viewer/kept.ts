// The last answers, so that a page one comes back to is there at once, as high as it was; it is asked anew all the same. What may have gone
// from the store is not kept here either.
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
