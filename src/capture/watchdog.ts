// Detects that reading hangs: on one line, or on less than a megabyte of a file, for the whole budget.

/** Where the reader is. */
export interface Beat {
  readonly source: number;
  readonly pos: number;
}

/** Reading this much within one budget is progress. */
const enough = 1 << 20;
/** The budget is counted in looks, not in clock time: while the looking thread is blocked, no time counts against the reader. */
const looks = 20;

export const lookEveryMs = (budgetMs: number): number => Math.max(10, budgetMs / looks);

/** Call it at even intervals. It returns the position once the reader has been stuck for the whole budget. */
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
