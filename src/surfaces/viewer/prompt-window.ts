// The part of a session's prompts that the page has. A long session has too many to load them all.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Placed } from './answers.ts';
import { read } from './api.ts';
import { neighbour } from './prompts.ts';

export interface PromptWindow {
  readonly prompts: readonly Placed[];
  /** Whether there are prompts before these, and behind them. */
  readonly earlier: boolean;
  readonly later: boolean;
}

/** More rows would delay the page. */
export const promptsAtOnce = 100;

/** Whether the window knows which prompt follows, or precedes, this place. */
export function knowsNeighbour({ prompts, earlier, later }: PromptWindow, place: number, step: 1 | -1): boolean {
  const [first, last] = [prompts[0], prompts.at(-1)];
  if (first === undefined || last === undefined) return true;
  const isBehindStart = step === 1 ? !earlier || place >= first.place : !earlier || place > first.place;
  const isBeforeEnd = step === 1 ? !later || place < last.place : !later || place <= last.place;
  return isBehindStart && isBeforeEnd;
}

/** `first`: the first prompts, and whether there are more. A new value means that the session has changed. */
export function usePrompts(id: string, first: { readonly prompts: readonly Placed[]; readonly more: boolean }) {
  const atStart = { prompts: first.prompts, earlier: false, later: first.more };
  const [shown, setShown] = useState<PromptWindow>(atStart);
  const isAsking = useRef(false);
  useEffect(() => {
    // A window that the person has moved or grown stays. The session may have grown behind it.
    setShown((before) =>
      before.earlier || before.prompts.length > first.prompts.length ? { ...before, later: true } : atStart,
    );
  }, [first]);

  async function ask(range: { after: number } | { before: number }) {
    isAsking.current = true;
    try {
      return await read('sessions outline', { id, ...range, limit: promptsAtOnce });
    } finally {
      isAsking.current = false;
    }
  }

  return {
    shown,
    async showEarlier() {
      const { prompts, more } = await ask({ before: shown.prompts[0]?.place ?? 0 });
      setShown((now) => ({ ...now, prompts: [...prompts, ...now.prompts], earlier: more }));
    },
    async showLater() {
      const { prompts, more } = await ask({ after: shown.prompts.at(-1)?.place ?? 0 });
      setShown((now) => ({ ...now, prompts: [...now.prompts, ...prompts], later: more }));
    },
    /** The next prompt after a place, or the one before it. Moves the window there if it has to. */
    async near(place: number, step: 1 | -1): Promise<Placed | undefined> {
      if (knowsNeighbour(shown, place, step)) return neighbour(shown.prompts, place, step);
      // A key is repeated faster than an answer comes.
      if (isAsking.current) return undefined;
      const { prompts, more } = await ask(step === 1 ? { after: place } : { before: place });
      if (prompts.length > 0)
        setShown(step === 1 ? { prompts, earlier: true, later: more } : { prompts, earlier: more, later: true });
      return neighbour(prompts, place, step);
    },
  };
}
