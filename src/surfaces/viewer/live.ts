// Receives changes of the store as they happen. The last number seen stays valid when the worker restarts, so no change is lost or repeated.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Change } from '../../schema/change.ts';
import type { Work } from '../../schema/work.ts';
import { read } from './api.ts';
import { dropKept } from './kept.ts';
import { openStream } from './stream.ts';

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

/** What the worker does in the background right now. */
export const work = signal<readonly Work[]>([]);

type Listener = (change: Change | 'all') => void;
const listeners = new Set<Listener>();
const tell = (change: Change | 'all') => {
  if (change === 'all' || change.kind === 'gone') dropKept();
  for (const listener of listeners) listener(change);
};

/**
 * Keeps something open while the tab is visible. All tabs of a browser share six connections to one address, so hidden tabs close
 * theirs. `open` returns a function that closes the connection. `whileSeen` returns one that ends everything.
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
        // If something runs, the worker says so at once.
        work.value = [];
        // Pages that failed to load while the worker was away try again. The changes follow separately.
        if (wasLost) tell('all');
        wasLost = false;
      },
      event({ kind, data, id }) {
        if (kind === 'work') work.value = (JSON.parse(data) as { work: Work[] }).work;
        if (kind === 'reset') tell('all');
        if (kind !== 'change') return;
        last = id;
        tell(JSON.parse(data) as Change);
      },
      lost(refused) {
        connection.value = 'lost';
        work.value = [];
        wasLost = true;
        // Any request finds out whether the worker still knows this browser.
        if (refused) void read('jobs', { limit: 1 }).catch(() => undefined);
      },
    });
    return () => {
      close();
      wasLost ||= last === undefined;
    };
  });
}

/** Runs soon after a change that matters, once for several in quick succession. Redrawing the page loses none. */
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
