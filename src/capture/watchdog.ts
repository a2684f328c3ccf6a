// Tells when reading stands still: on one line, or on less than a megabyte of a file, for as long as the budget.

/** Where the reading is; no source while nothing is being read. */
export interface Beat {
  readonly source: number;
  readonly pos: number;
}

/** So much in one budget is progress. */
const enough = 1 << 20;
/** A budget is counted in looks, not by a clock: while the one who looks is held up himself, no time passes for the other. */
const looks = 20;

export const lookEveryMs = (budgetMs: number): number => Math.max(10, budgetMs / looks);

/** To be called in even intervals; gives the place once it has stood still for the whole budget. */
export function watchdog(read: () => Beat | undefined): () => Beat | undefined {
  let mark: Beat | undefined;
  let still = 0;
  return () => {
    const now = read();
    const moved =
      now === undefined ||
      mark === undefined ||
      now.source !== mark.source ||
      now.pos < mark.pos ||
      now.pos - mark.pos >= enough;
    if (moved) {
      mark = now;
      still = 0;
      return undefined;
    }
    return ++still >= looks ? now : undefined;
  };
}
