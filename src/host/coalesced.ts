// Work that many ask for and that is worth doing once for all of them: whoever asks while it rests or runs shares the next time.

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
      await state.last.catch(() => {});
      const rest = state.endedAt + restMs - now();
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(rest, restMs)));
      // From here on, whoever asks has come too late for this one.
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
