// The picker as data: keys and answers → state. It knows no terminal and no clock.
import type { Session } from '../../../schema/session.ts';
import { layout, type Size } from './layout.ts';

export interface Found {
  readonly session: Session;
  /** Where its words were found; empty if the title matched. */
  readonly snippet: string;
}

export interface Said {
  readonly by: 'person' | 'other';
  readonly text: string;
}

export interface State {
  /** All sessions, newest first. */
  readonly sessions: readonly Session[];
  readonly query: string;
  /** Whether the answer of the full-text search is still pending. */
  readonly searching: boolean;
  /** The choices: title matches first, then full-text matches. */
  readonly shown: readonly Found[];
  readonly chosen: number;
  /** The first visible one. */
  readonly top: number;
  readonly size: Size;
  /** The last lines of sessions that were selected before. */
  readonly endings: ReadonlyMap<string, readonly Said[]>;
  readonly note: string;
  /** Enter was pressed before there was any hit: choose the first one that arrives. */
  readonly hurried: boolean;
  readonly pasting: boolean;
  readonly end?: 'left' | Session;
}

/** As `node:readline` reports it. */
export interface Key {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export type Event =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'found'; readonly query: string; readonly hits: readonly Found[]; readonly note?: string }
  | { readonly kind: 'ending'; readonly session: Session; readonly said: readonly Said[] };

export const keyOf = ({ agent, id }: Pick<Session, 'agent' | 'id'>): string => `${agent} ${id}`;

export const chosenIn = (state: State): Found | undefined => state.shown[state.chosen];

export const begin = (sessions: readonly Session[], size: Size, words = ''): State => ask(empty(sessions, size), words);

const empty = (sessions: readonly Session[], size: Size): State => ({
  sessions,
  query: '',
  searching: false,
  shown: sessions.map((session) => ({ session, snippet: '' })),
  chosen: 0,
  top: 0,
  size,
  endings: new Map(),
  note: '',
  hurried: false,
  pasting: false,
});

export function step(state: State, event: Event): State {
  switch (event.kind) {
    case 'key':
      return pressed({ ...state, hurried: false }, event.key);
    case 'resize':
      return choose({ ...state, size: event.size }, state.chosen);
    case 'ending':
      return { ...state, endings: new Map(state.endings).set(keyOf(event.session), event.said) };
    case 'found': {
      // The query has changed since, so ignore this answer.
      if (event.query !== state.query || !state.searching) return state;
      const known = new Map(state.shown.map(({ session }, i) => [keyOf(session), i]));
      const shown = [...state.shown];
      // Visible choices keep their place: the person may be about to choose one.
      for (const hit of event.hits) {
        const at = known.get(keyOf(hit.session));
        if (at === undefined) shown.push(hit);
        else shown[at] = hit;
      }
      const answered = { ...state, searching: false, hurried: false, shown, note: event.note ?? '' };
      return state.hurried ? open(answered) : answered;
    }
  }
}

function pressed(state: State, key: Key): State {
  const { name = '', ctrl = false } = key;
  if (name === 'paste-start' || name === 'paste-end') return { ...state, pasting: name === 'paste-start' };
  if (state.pasting) return type(state, key.sequence ?? '');
  const act = ctrl ? withCtrl[name] : withoutCtrl[name];
  if (act !== undefined) return act(state);
  return ctrl || key.meta ? state : type(state, key.sequence ?? '');
}

type Act = (state: State) => State;

const move = (state: State, by: number): State => choose(state, state.chosen + by);
const aPage = ({ size }: State): number => Math.max(1, layout(size).list - 1);

const up: Act = (state) => move(state, -1);
const down: Act = (state) => move(state, 1);
const leave: Act = (state) => ({ ...state, end: 'left' });
const rub: Act = (state) => ask(state, withoutLast(state.query));
const open: Act = (state) => {
  const found = chosenIn(state);
  return found === undefined ? { ...state, hurried: state.searching } : { ...state, end: found.session };
};

const withCtrl: Readonly<Record<string, Act>> = {
  c: leave,
  d: (state) => (state.query === '' ? leave(state) : state),
  g: leave,
  h: rub,
  j: open,
  m: open,
  n: down,
  p: up,
  u: (state) => ask(state, ''),
  w: (state) => ask(state, state.query.replace(/\S+\s*$/u, '')),
};

const withoutCtrl: Readonly<Record<string, Act>> = {
  escape: leave,
  return: open,
  enter: open,
  backspace: rub,
  up,
  down,
  pageup: (state) => move(state, -aPage(state)),
  pagedown: (state) => move(state, aPage(state)),
  home: (state) => choose(state, 0),
  end: (state) => choose(state, state.shown.length - 1),
  ...Object.fromEntries(
    ['tab', 'left', 'right', 'delete', 'insert', 'clear'].map((name) => [name, (state: State) => state]),
  ),
};

/** No query needs more, and the person may paste a whole file. */
const longestQuery = 300;

function type(state: State, text: string): State {
  // An unknown escape sequence is not text.
  if (!state.pasting && /\p{Cc}/u.test(text)) return state;
  const typed = text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
  return ask(state, [...(state.query + typed).trimStart()].slice(0, longestQuery).join(''));
}

function ask(state: State, query: string): State {
  if (query === state.query) return state;
  const words = wordsOf(query);
  const said = (session: Session) =>
    `${session.title}\n${(session.tags ?? []).join(' ')}\n${session.project}\n${session.id}`.toLowerCase();
  const shown = state.sessions
    .filter((session) => {
      if (words.length === 0) return true;
      const text = said(session);
      return words.every((word) => text.includes(word));
    })
    .map((session) => ({ session, snippet: '' }));
  return choose({ ...state, query, shown, searching: words.length > 0, note: '' }, 0);
}

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[\s"]+/u)
    .filter((word) => word !== '');

/** Chooses an existing item and scrolls to it. */
function choose(state: State, wanted: number): State {
  const chosen = Math.max(0, Math.min(wanted, state.shown.length - 1));
  const { list } = layout(state.size);
  const last = Math.max(0, state.shown.length - list);
  const top = Math.min(Math.max(Math.min(state.top, chosen), chosen - list + 1), last);
  return { ...state, chosen, top: Math.max(0, top) };
}

/** Removes one character as a person sees it. */
function withoutLast(text: string): string {
  const parts = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, parts.at(-1)?.index ?? 0);
}
