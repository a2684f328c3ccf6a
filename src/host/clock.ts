// Time as the host sees it. Tests pass a clock that they move themselves.

export interface HostClock {
  now(): number;
  /** Calls back once, after this many milliseconds. Returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** The longest delay of a Node timer. */
const longest = 2 ** 31 - 1;

export const systemClock: HostClock = {
  now: Date.now,
  after(ms, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, ms), longest));
    return () => clearTimeout(timer);
  },
};
