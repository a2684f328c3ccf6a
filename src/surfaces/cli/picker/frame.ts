// State → the lines of a screen, each no wider than the screen. All text from a transcript passes `inColumns`.
import { ageOf } from '../age.ts';
import { inColumns, inLines, plain } from '../columns.ts';
import { marked, type Style } from '../style.ts';
import { endInColumns, pad, widthOf } from '../width.ts';
import type { Choice } from './choice.ts';
import { layout } from './layout.ts';
import { chosenIn, type State } from './state.ts';

export interface Frame {
  readonly lines: readonly string[];
  /** The position of the text cursor, from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Look {
  readonly style: Style;
  readonly now: number;
  /** Stands before what is typed. */
  readonly label: string;
  /** The last line: what the keys do, with dots between. A narrow screen shows the first ones. */
  readonly help: string;
}

export function frame(state: State, look: Look): Frame {
  const { rows } = state.size;
  const { list, about, help } = layout(state.size);
  const head = promptLine(state, look);
  const lines = [head.line, ...listLines(state, list, look)];
  if (about > 0) lines.push(...aboutLines(state, about, look));
  if (help)
    lines.push(look.style.dim(inColumns(state.note || fitting(look.help, state.size.columns), state.size.columns)));
  return { lines: lines.slice(0, rows), cursor: { row: 0, column: head.column } };
}

/** As many whole hints as fit. */
function fitting(help: string, columns: number): string {
  const hints = help.split(' · ');
  while (hints.length > 1 && widthOf(hints.join(' · ')) > columns) hints.pop();
  return hints.join(' · ');
}

function promptLine({ query, shown, searching, size }: State, look: Look): { line: string; column: number } {
  const { columns } = size;
  const { style } = look;
  const label = columns >= 30 ? `${look.label}: ` : columns >= 4 ? '? ' : '';
  const count = searching ? `${shown.length} …` : String(shown.length);
  const room = Math.max(1, columns - widthOf(label) - 1);
  const typed = endInColumns(spaced(query), room);
  const used = widthOf(label) + widthOf(typed);
  const gap = columns - used - widthOf(count) - 1;
  return {
    line: style.bold(label) + typed + (gap >= 1 ? ' '.repeat(gap) + style.dim(count) : ''),
    column: Math.min(used, Math.max(0, columns - 1)),
  };
}

/** As typed, with a trailing blank, so that the cursor stands after it. */
const spaced = (query: string): string => plain(query) + (/\s$/.test(query) ? ' ' : '');

function listLines(state: State, list: number, look: Look): string[] {
  const { shown, chosen, top } = state;
  const { columns } = state.size;
  const lines = shown.slice(top, top + list).map((found, i) => row(found, top + i === chosen, state, look));
  if (lines.length === 0 && list > 0) lines.push(look.style.dim(inColumns(nothing(state), columns)));
  return [...lines, ...Array<string>(list - lines.length).fill('')];
}

function nothing({ searching, live, query, all }: State): string {
  if (searching) return 'Searching …';
  if (live && query.trim() === '') return 'Type words, or "a phrase".';
  return live || all.length > 0 ? 'Nothing found. Try other words.' : 'No sessions.';
}

function row(choice: Choice, chosen: boolean, { size: { columns }, live }: State, { style, now }: Look): string {
  const mark = columns < 4 ? '' : chosen ? '> ' : '  ';
  const age = columns >= 24 ? `${ageOf(choice.at, now).padStart(4)}  ` : '';
  const projectWidth = columns >= 48 ? Math.min(20, Math.floor(columns / 4)) : 0;
  const project = projectWidth === 0 ? '' : `${pad(inColumns(choice.project, projectWidth), projectWidth)}  `;
  const left = columns - widthOf(mark) - widthOf(age) - widthOf(project);
  const text = inColumns(choice.title || choice.id, Math.max(1, left));
  // A hit marks its words; in a title of a session these marks are quotes.
  const title = live ? marked(text, style) : text;
  return `${style.cyan(mark)}${style.dim(age)}${style.green(project)}${chosen ? style.bold(title) : title}`;
}

function aboutLines(state: State, about: number, { style, now }: Look): string[] {
  const { columns } = state.size;
  const rule = style.dim('─'.repeat(columns));
  const found = chosenIn(state);
  if (found === undefined) return [rule, ...Array<string>(about - 1).fill('')];
  const { snippet } = found;
  const facts = [...found.facts, `${ageOf(found.at, now)} ago`, found.id];
  const lines = [rule, style.dim(inColumns(facts.filter((fact) => fact !== '').join(' · '), columns))];
  if (snippet !== '') lines.push(marked(inColumns(snippet, columns), style));
  const room = about - lines.length;
  const gutter = columns >= 12 ? 5 : 0;
  const width = columns - gutter;
  const said = state.previews.get(found.key) ?? [];
  // A session is recognised by its end, a hit by the lines around its words, and those are read to their ends.
  const shown = state.live
    ? said.slice(0, room).flatMap(({ by, text }) => inLines(text, width, room).map((line) => ({ by, text: line })))
    : said.slice(Math.max(0, said.length - room));
  for (const [i, { by, text }] of shown.slice(0, room).entries()) {
    const isFirst = !state.live || i === 0;
    lines.push(style.dim((by === 'person' && isFirst ? 'you  ' : '     ').slice(0, gutter)) + inColumns(text, width));
  }
  return [...lines, ...Array<string>(Math.max(0, about - lines.length)).fill('')];
}
