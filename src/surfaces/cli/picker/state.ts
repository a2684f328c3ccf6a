// The picker as data: keys and answers → state. It knows no terminal and no clock.
import type { Choice, Said } from './choice.ts';
import { layout, type Size } from './layout.ts';

export interface State {
  /** Everything that can be chosen, newest first. A live search knows nothing before words are typed. */
  readonly all: readonly Choice[];
  /** Every answer replaces the list; until it arrives, the old list stays visible. */
  readonly live: boolean;
  readonly query: string;
  /** Whether the answer of the full-text search is still pending. */
  readonly searching: boolean;
  /** The choices: title matches first, then full-text matches. */
  readonly shown: readonly Choice[];
  readonly chosen: number;
  /** The first visible one. */
  readonly top: number;
  readonly size: Size;
  /** The texts of choices that were selected before, by key. */
  readonly previews: ReadonlyMap<string, readonly Said[]>;
  readonly note: string;
  /** Enter was pressed before there was any hit: choose the first one that arrives. */
  readonly hurried: boolean;
  readonly pasting: boolean;
  readonly end?: 'left' | Choice;
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
  | { readonly kind: 'found'; readonly query: string; readonly hits: readonly Choice[]; readonly note?: string }
  | { readonly kind: 'preview'; readonly key: string; readonly said: readonly Said[] };

export const chosenIn = (state: State): Choice | undefined => state.shown[state.chosen];

/** Without a list of choices, the search is live. */
export const begin = (all: readonly Choice[] | undefined, size: Size, words = ''): State =>
  ask(empty(all ?? [], all === undefined, size), words);

const empty = (all: readonly Choice[], live: boolean, size: Size): State => ({
  all,
  live,
  query: '',
  searching: false,
  shown: all,
  chosen: 0,
  top: 0,
  size,
  previews: new Map(),
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
    case 'preview':
      return { ...state, previews: new Map(state.previews).set(event.key, event.said) };
    case 'found': {
      // The query has changed since, so ignore this answer.
      if (event.query !== state.query || !state.searching) return state;
      const shown = state.live ? event.hits : merged(state.shown, event.hits);
      const answered = { ...state, searching: false, hurried: false, shown, note: event.note ?? '' };
      // Around other words a hit shows other lines.
      const settled = state.live ? choose({ ...answered, previews: new Map() }, 0) : answered;
      return state.hurried ? open(settled) : settled;
    }
  }
}

/** Visible choices keep their place: the person may be about to choose one. */
function merged(shown: readonly Choice[], hits: readonly Choice[]): Choice[] {
  const known = new Map(shown.map(({ key }, i) => [key, i]));
  const all = [...shown];
  for (const hit of hits) {
    const at = known.get(hit.key);
    if (at === undefined) all.push(hit);
    else all[at] = hit;
  }
  return all;
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
  const isOutdated = state.live && state.searching;
  return found === undefined || isOutdated ? { ...state, hurried: state.searching } : { ...state, end: found };
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
  const isNamed = ({ title, project, id }: Choice) => {
    const text = `${title}\n${project}\n${id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const outdated = words.length === 0 ? [] : state.shown;
  const shown = state.live ? outdated : state.all.filter((one) => words.length === 0 || isNamed(one));
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
