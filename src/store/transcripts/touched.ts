// What a chunk has touched; updated before the transaction ends.

export interface Touched {
  readonly sessions: Set<number>;
  /** Files whose conversations must be rebuilt from the start. */
  readonly files: Set<number>;
  /** Entries with new tool uses or results. */
  readonly users: Set<number>;
  /** Those of them that this chunk added. */
  readonly fresh: Set<number>;
}

export const nothingTouched = (): Touched => ({
  sessions: new Set(),
  files: new Set(),
  users: new Set(),
  fresh: new Set(),
});
