// Time as the host sees it. Tests hand it one that they move themselves.

export interface HostClock {
  now(): number;
  /** Calls back once, after so many milliseconds. Returns the way to stop that. */
  after(ms: number, call: () => void): () => void;
}

/** The longest that a timer of Node can wait. */
const longest = 2 ** 31 - 1;

export const systemClock: HostClock = {
  now: Date.now,
  after(ms, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, ms), longest));
    return () => clearTimeout(timer);
  },
};
