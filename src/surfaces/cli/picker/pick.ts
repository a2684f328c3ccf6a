// Runs the picker: keys change the state, the state is drawn, and searches run in the background.

import { HoldfastError } from '../../../system/errors.ts';
import { Left } from '../person.ts';
import type { Choice } from './choice.ts';
import { frame, type Look } from './frame.ts';
import type { Source } from './source.ts';
import { begin, chosenIn, type Event, type State, step } from './state.ts';
import type { Listener, Terminal } from './terminal.ts';

export interface PickDeps {
  readonly source: Source;
  /** What can be chosen before words are typed; without it, the search is live. */
  readonly choices?: readonly Choice[];
  readonly look: Look;
  open(listener: Listener): Terminal;
  /** Words that are already typed in. */
  readonly words?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long the person must pause typing before a search starts. */
  readonly pauseMs?: number;
}

/**
 * What the person chooses. Contract: throws `Left` if they choose nothing; the terminal is restored first.
 */
export async function pick({
  source,
  choices,
  look,
  open,
  words = '',
  signal,
  pauseMs = 120,
}: PickDeps): Promise<Choice> {
  let end: { resolve(choice: Choice): void; reject(error: unknown): void } | undefined;
  const ended = new Promise<Choice>((resolve, reject) => {
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
        if (event.kind !== 'preview') inquire();
      }
    } catch (error) {
      end?.reject(error);
    }
  }

  function inquire(): void {
    clearTimeout(pause);
    pause = setTimeout(() => {
      void readPreview();
      if (!asking) void search();
    }, pauseMs);
  }

  async function readPreview(): Promise<void> {
    const choice = chosenIn(state);
    if (choice === undefined || state.previews.has(choice.key)) return;
    // A preview that cannot be read stays empty; the list works without it.
    on({ kind: 'preview', key: choice.key, said: await source.preview(choice).catch(() => []) });
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
      return { hits: await source.search(query) };
    } catch (error) {
      return { hits: [], note: error instanceof HoldfastError ? error.message : String(error) };
    }
  }

  try {
    state = begin(choices, terminal.size(), words);
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
