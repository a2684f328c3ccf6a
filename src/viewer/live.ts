// What changed in the store, as it changes. The last number seen survives a worker that is restarted: nothing is missed, nothing comes twice.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Change } from '../schema/change.ts';
import { locked, read } from './api.ts';
import { dropKept } from './kept.ts';

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

type Listener = (change: Change | 'all') => void;
const listeners = new Set<Listener>();
const tell = (change: Change | 'all') => {
  if (change === 'all' || change.kind === 'gone') dropKept();
  for (const listener of listeners) listener(change);
};

const againAfterMs = 2000;

/**
 * A browser opens six connections to one address, for all of its tabs together: those that nobody sees leave theirs to the others.
 * `open` gives what closes it. Returns the end of it all.
 */
export function whileSeen(open: () => () => void): () => void {
  let close: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState !== 'hidden') close ??= open();
    else {
      close?.();
      close = undefined;
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    close?.();
  };
}

export function listen(after?: string, isReturn = false): void {
  let last = after;
  let wasLost = isReturn;
  const stop = whileSeen(() => {
    const source = new EventSource(`/api/events${last === undefined ? '' : `?after=${encodeURIComponent(last)}`}`);
    source.addEventListener('open', () => {
      connection.value = 'live';
      // A page that could not load meanwhile tries again; what changed is told besides.
      if (wasLost) tell('all');
      wasLost = false;
    });
    source.addEventListener('change', (event) => {
      const { data, lastEventId } = event as MessageEvent<string>;
      last = lastEventId;
      tell(JSON.parse(data) as Change);
    });
    source.addEventListener('reset', () => tell('all'));
    source.addEventListener('error', () => {
      connection.value = 'lost';
      wasLost = true;
      // The browser comes back by itself as long as nobody has refused it.
      if (source.readyState !== EventSource.CLOSED) return;
      stop();
      setTimeout(() => void comeBack(last), againAfterMs);
    });
    return () => {
      source.close();
      wasLost ||= last === undefined;
    };
  });
}

async function comeBack(last: string | undefined): Promise<void> {
  await read('jobs', { limit: 1 }).catch(() => undefined);
  if (!locked.value) listen(last, true);
}

/** Runs soon after a change that matters, once for many that come together. A page that is drawn anew meanwhile loses none. */
export function useChanges(matters: (change: Change) => boolean, run: () => void): void {
  const latest = useRef({ matters, run });
  latest.current = { matters, run };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener: Listener = (change) => {
      if (change !== 'all' && !latest.current.matters(change)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current.run();
      }, 150);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      clearTimeout(timer);
    };
  }, []);
}
