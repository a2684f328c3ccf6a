// From prompt to prompt: which one comes next, seen from where the reader is.

export interface Placed {
  readonly id: string;
  readonly place: number;
}

/** The next one after a place, or the one before it; undefined at the ends. */
export function neighbour<T extends Placed>(all: readonly T[], place: number, step: 1 | -1): T | undefined {
  return step === 1 ? all.find((one) => one.place > place) : all.findLast((one) => one.place < place);
}

/** Where a search in the session begins: at the first match that is not above what is in sight, else at the first. */
export function firstFrom(all: readonly Placed[], place: number): number {
  return Math.max(
    0,
    all.findIndex((one) => one.place >= place),
  );
}

/** Around the end to the other one. */
export const turned = (index: number, step: 1 | -1, count: number): number =>
  count === 0 ? 0 : (index + step + count) % count;
