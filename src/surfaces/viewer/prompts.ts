// Moves from prompt to prompt, starting where the reader is.

export interface Placed {
  readonly id: string;
  readonly place: number;
}

/** The next prompt after a place, or the one before it. Undefined at the ends. */
export function neighbour<T extends Placed>(all: readonly T[], place: number, step: 1 | -1): T | undefined {
  return step === 1 ? all.find((one) => one.place > place) : all.findLast((one) => one.place < place);
}

/** The match that a search in the session shows first: the first one at or below `place`, else the first of all. */
export function firstFrom(all: readonly Placed[], place: number): number {
  return Math.max(
    0,
    all.findIndex((one) => one.place >= place),
  );
}

/** Moves by one, and wraps around at the ends. */
export const turned = (index: number, step: 1 | -1, count: number): number =>
  count === 0 ? 0 : (index + step + count) % count;
