// What changed in the store, as it changes. The last number seen survives a worker that is restarted: nothing is missed, nothing comes twice.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Change } from '../../schema/change.ts';
import { read } from './api.ts';
import { dropKept } from './kept.ts';
import { openStream } from './stream.ts';

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

type Listener = (change: Change | 'all') => void;
const listeners = new Set<Listener>();
const tell = (change: Change | 'all') => {
  if (change === 'all' || change.kind === 'gone') dropKept();
  for (const listener of listeners) listener(change);
};

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

export function listen(): void {
  let last: string | undefined;
  let wasLost = false;
  whileSeen(() => {
    const close = openStream(`/api/events${last === undefined ? '' : `?after=${encodeURIComponent(last)}`}`, {
      open() {
        connection.value = 'live';
        // A page that could not load meanwhile tries again; what changed is told besides.
        if (wasLost) tell('all');
        wasLost = false;
      },
      event({ kind, data, id }) {
        if (kind === 'reset') tell('all');
        if (kind !== 'change') return;
        last = id;
        tell(JSON.parse(data) as Change);
      },
      lost(refused) {
        connection.value = 'lost';
        wasLost = true;
        // Whether the worker does not know this browser any more, a question will tell.
        if (refused) void read('jobs', { limit: 1 }).catch(() => undefined);
      },
    });
    return () => {
      close();
      wasLost ||= last === undefined;
    };
  });
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
