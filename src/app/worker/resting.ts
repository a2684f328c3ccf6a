// Gives memory back when the worker comes to rest: after an import or a count it would keep it for weeks.

/** More processor time than this between two polls is work. */
const restMs = 100;
/** Less work than this leaves little behind. */
const workMs = 300;

export interface RestingDeps {
  /** The processor time of this process so far. */
  processorMs(): number;
  /** Releases what only work needs. */
  release(): Promise<void>;
}

/** Call it at each poll. Contract: it releases once after work, when the time between two polls brought none. */
export function resting({ processorMs, release }: RestingDeps): () => Promise<void> {
  let lastPoll = Number.NEGATIVE_INFINITY;
  let lastRelease = 0;
  return async () => {
    const now = processorMs();
    const [atRest, hasWorked] = [now - lastPoll < restMs, now - lastRelease > workMs];
    lastPoll = now;
    if (!atRest || !hasWorked) return;
    await release();
    lastPoll = lastRelease = processorMs();
  };
}

/** The processor time of all threads of this process. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
