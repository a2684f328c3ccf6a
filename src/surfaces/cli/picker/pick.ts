// Runs the picker: keys change the state, the state is drawn, and searches run in the background.

import type { Session } from '../../../schema/session.ts';
import { HoldfastError } from '../../../system/errors.ts';
import { Left } from '../person.ts';
import { frame, type Look } from './frame.ts';
import type { Library } from './library.ts';
import { begin, chosenIn, type Event, keyOf, type State, step } from './state.ts';
import type { Listener, Terminal } from './terminal.ts';

export interface PickDeps {
  readonly library: Library;
  readonly sessions: readonly Session[];
  readonly look: Look;
  open(listener: Listener): Terminal;
  /** Words that are already typed in. */
  readonly words?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long the person must pause typing before a search starts. */
  readonly pauseMs?: number;
}

/**
 * The session that the person chooses. Contract: throws `Left` if they choose nothing; the terminal is restored first.
 */
export async function pick({
  library,
  sessions,
  look,
  open,
  words = '',
  signal,
  pauseMs = 120,
}: PickDeps): Promise<Session> {
  let end: { resolve(session: Session): void; reject(error: unknown): void } | undefined;
  const ended = new Promise<Session>((resolve, reject) => {
    end = { resolve, reject };
  });
  const leave = () => end?.reject(new Left());
  let state: State;
  let pause: NodeJS.Timeout | undefined;
  let asking = false;
  let over = false;

  const terminal = open({
    key(key) {
      if (key.ctrl && key.name === 'z') terminal.suspend();
      else if (key.ctrl && key.name === 'l') terminal.forget();
      else on({ kind: 'key', key });
    },
    changed: () => on({ kind: 'resize', size: terminal.size() }),
    hungUp: leave,
  });

  function on(event: Event): void {
    if (over) return;
    try {
      state = step(state, event);
      if (state.end === 'left') leave();
      else if (state.end !== undefined) end?.resolve(state.end);
      else {
        terminal.draw(frame(state, look));
        if (event.kind !== 'ending') inquire();
      }
    } catch (error) {
      end?.reject(error);
    }
  }

  function inquire(): void {
    clearTimeout(pause);
    pause = setTimeout(() => {
      void readEnding();
      if (!asking) void search();
    }, pauseMs);
  }

  async function readEnding(): Promise<void> {
    const session = chosenIn(state)?.session;
    if (session === undefined || state.endings.has(keyOf(session))) return;
    on({ kind: 'ending', session, said: await library.ending(session).catch(() => []) });
  }

  /** One search at a time: when it is answered, searches for the latest query and skips those in between. */
  async function search(): Promise<void> {
    asking = true;
    while (state.searching && !over) {
      const { query } = state;
      on({ kind: 'found', query, ...(await answer(query)) });
    }
    asking = false;
  }

  /** Shows a failed search as a note; the person can still choose by title. */
  async function answer(query: string) {
    try {
      return { hits: await library.search(query) };
    } catch (error) {
      return { hits: [], note: error instanceof HoldfastError ? error.message : String(error) };
    }
  }

  try {
    state = begin(sessions, terminal.size(), words);
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    on({ kind: 'resize', size: terminal.size() });
    return await ended;
  } finally {
    over = true;
    clearTimeout(pause);
    signal?.removeEventListener('abort', leave);
    terminal.close();
  }
}
