// What the worker does at each poll: a list of chores, one after the other.

export interface Chore {
  /** For the message when it fails. */
  readonly name: string;
  run(): Promise<unknown> | unknown;
}

/** Contract: one round at a time. A chore that fails is reported, and the others still run. */
export function rounds(chores: readonly Chore[], failed: (chore: Chore, error: unknown) => void): () => Promise<void> {
  let running = false;
  return async () => {
    // A round that scans may take longer than the time to the next one.
    if (running) return;
    running = true;
    for (const chore of chores) {
      try {
        await chore.run();
      } catch (error) {
        failed(chore, error);
      }
    }
    running = false;
  };
}
