// How fast an agent may keep the host busy. An agent over the limit waits, and only that agent: the host reads no more from it until then.

export interface Pace {
  /** Resolves when this much may be taken. Undefined: at once. */
  take(amount: number): Promise<void> | undefined;
}

export interface PaceLimits {
  /** What can be taken at once. */
  readonly burst: number;
  /** What is refilled in a second. */
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

/** For all frames of a runner. A model writes a hundred pieces of text in a second, and hardly a megabyte. */
export const frames: PaceLimits = { burst: 5000, perSecond: 500 };
export const bytes: PaceLimits = { burst: 64 << 20, perSecond: 2 << 20 };
/** For frames that make the host search, read transcripts or write to the store. */
export const deeds: PaceLimits = { burst: 20, perSecond: 4 };

/** Returns true when something happens more often than `most` within a window that begins with the first. */
export function floodDetector(most: number, windowMs: number, now: () => number = Date.now): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const time = now();
    if (time - since > windowMs) [since, count] = [time, 0];
    return ++count > most;
  };
}
