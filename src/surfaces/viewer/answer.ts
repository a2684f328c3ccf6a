// A worker's answer in a component. The hook asks when the key changes, and again when something in the store has changed.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Change } from '../../schema/change.ts';
import type { Failure } from './api.ts';
import { keep, keptOf } from './kept.ts';
import { useChanges } from './live.ts';

export interface Answer<T> {
  /** The last answer, also while the next is on its way. */
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  readonly waiting: boolean;
  /** False: the data answers an earlier key. */
  readonly isCurrent: boolean;
  /** Asks again. */
  again(): void;
}

interface State<T> {
  readonly data?: T | undefined;
  /** The key that the data answers. */
  readonly of?: string | undefined;
  readonly failure?: Failure;
  readonly waiting: boolean;
}

/**
 * With an undefined key it asks nothing. It drops late answers to earlier keys. The key must describe the whole request: until the new
 * answer comes, the last answer to the same key is shown. If the request fails, an answer to another key is not shown in its place.
 */
export function useAnswer<T>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
  matters: (change: Change) => boolean = () => false,
): Answer<T> {
  const [state, setState] = useState<State<T>>(() => ({ data: keptOf<T>(key), of: key, waiting: key !== undefined }));
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  const asking = useRef(false);
  const isDue = useRef(false);
  // Ask before the page is drawn: drawing takes as long as the answer.
  useLayoutEffect(() => {
    if (key === undefined) return setState({ waiting: false });
    const leaving = new AbortController();
    const kept = keptOf<T>(key);
    setState((before) => ({ ...before, ...(kept === undefined ? {} : { data: kept, of: key }), waiting: true }));
    asking.current = true;
    isDue.current = false;
    latest
      .current(leaving.signal)
      .then((data) => {
        if (leaving.signal.aborted) return;
        keep(key, data);
        setState({ data, of: key, waiting: false });
      })
      .catch((failure: Failure) => {
        if (leaving.signal.aborted) return;
        setState((before) => ({ ...(before.of === key ? before : {}), failure, waiting: false }));
      })
      .finally(() => {
        if (leaving.signal.aborted) return;
        asking.current = false;
        if (isDue.current) setRound((before) => before + 1);
      });
    return () => leaving.abort();
  }, [key, round]);
  // A running request is not aborted for a change: if changes came faster than answers, no answer would ever come.
  const again = () => {
    isDue.current = asking.current;
    if (!asking.current) setRound((before) => before + 1);
  };
  useChanges(matters, again);
  const { data, failure, waiting } = state;
  return { data, failure, waiting, isCurrent: data !== undefined && state.of === key, again };
}

export const aMinute = 60_000;

/** Polls while the page is visible. For data that sends no changes, or is too expensive to fetch at every change. */
export function useLooking(again: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), everyMs);
    return () => clearInterval(timer);
  }, []);
}
