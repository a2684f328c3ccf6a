// How fast an agent may keep the host busy. Whoever is over the limit waits, and only itself: nothing more is read of it meanwhile.

export interface Pace {
  /** Resolves when this much may be taken; undefined: at once. */
  take(amount: number): Promise<void> | undefined;
}

export interface PaceLimits {
  /** What can be taken at once. */
  readonly burst: number;
  /** What comes back in a second. */
  readonly perSecond: number;
}

export function openPace({ burst, perSecond }: PaceLimits, now: () => number = () => performance.now()): Pace {
  let left = burst;
  let at = now();
  return {
    take(amount) {
      const time = now();
      left = Math.min(burst, left + ((time - at) / 1000) * perSecond);
      at = time;
      left -= amount;
      if (left >= 0) return undefined;
      return new Promise((resolve) => {
        setTimeout(resolve, (-left / perSecond) * 1000);
      });
    },
  };
}

/** All that a runner may send. A model writes a hundred pieces of text in a second, and hardly a megabyte. */
export const frames: PaceLimits = { burst: 5000, perSecond: 500 };
export const bytes: PaceLimits = { burst: 64 << 20, perSecond: 2 << 20 };
/** What makes the host search, read transcripts or write to the store. */
export const deeds: PaceLimits = { burst: 20, perSecond: 4 };

/** True for whoever does something more often than that: over a window that begins with the first. */
export function floodDetector(most: number, windowMs: number, now: () => number = Date.now): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const time = now();
    if (time - since > windowMs) [since, count] = [time, 0];
    return ++count > most;
  };
}
