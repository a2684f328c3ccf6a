// Work that many callers request and that is done once for all of them: a caller that asks while it rests or runs shares the next run.

export function coalesced(
  work: (key: string) => Promise<void>,
  restMs: number,
  now: () => number = Date.now,
): (key: string) => Promise<void> {
  interface State {
    last: Promise<unknown>;
    endedAt: number;
    next?: Promise<void> | undefined;
  }
  const states = new Map<string, State>();
  return (key) => {
    const state = states.get(key) ?? { last: Promise.resolve(), endedAt: Number.NEGATIVE_INFINITY };
    states.set(key, state);
    if (state.next !== undefined) return state.next;
    const next = (async () => {
      // The callers of the last run got its error.
      await state.last.catch(() => {});
      const rest = state.endedAt + restMs - now();
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(rest, restMs)));
      // From here on, a new caller is too late for this run.
      state.next = undefined;
      const run = work(key);
      state.last = run;
      try {
        await run;
      } finally {
        state.endedAt = now();
      }
    })();
    state.next = next;
    return next;
  };
}
