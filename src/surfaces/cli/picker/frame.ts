// State → the lines of a screen, each no wider than the screen. All text from a transcript passes `inColumns`.
import { ageOf } from '../age.ts';
import { inColumns, plain } from '../columns.ts';
import { titleOf } from '../session-title.ts';
import { marked, type Style } from '../style.ts';
import { endInColumns, pad, widthOf } from '../width.ts';
import { layout } from './layout.ts';
import { chosenIn, type Found, keyOf, type State } from './state.ts';

export interface Frame {
  readonly lines: readonly string[];
  /** The position of the text cursor, from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Look {
  readonly style: Style;
  readonly now: number;
}

export function frame(state: State, look: Look): Frame {
  const { rows } = state.size;
  const { list, about, help } = layout(state.size);
  const head = promptLine(state, look);
  const lines = [head.line, ...listLines(state, list, look)];
  if (about > 0) lines.push(...aboutLines(state, about, look));
  if (help)
    lines.push(
      look.style.dim(
        inColumns(
          state.note || 'Enter opens · ↑ ↓ choose · type to search · Esc leaves · in another agent: --in <agent>',
          state.size.columns,
        ),
      ),
    );
  return { lines: lines.slice(0, rows), cursor: { row: 0, column: head.column } };
}

function promptLine({ query, shown, searching, size }: State, { style }: Look): { line: string; column: number } {
  const { columns } = size;
  const label = columns >= 30 ? 'Resume: ' : columns >= 4 ? '? ' : '';
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
  const { shown, chosen, top, searching, sessions } = state;
  const { columns } = state.size;
  const lines = shown.slice(top, top + list).map((found, i) => row(found, top + i === chosen, columns, look));
  if (lines.length === 0 && list > 0) {
    const nothing = searching
      ? 'Searching …'
      : sessions.length === 0
        ? 'No sessions.'
        : 'Nothing found. Try other words.';
    lines.push(look.style.dim(inColumns(nothing, columns)));
  }
  return [...lines, ...Array<string>(list - lines.length).fill('')];
}

function row({ session }: Found, chosen: boolean, columns: number, { style, now }: Look): string {
  const mark = columns < 4 ? '' : chosen ? '> ' : '  ';
  const age = columns >= 24 ? `${ageOf(session.endedAt, now).padStart(4)}  ` : '';
  const projectWidth = columns >= 48 ? Math.min(20, Math.floor(columns / 4)) : 0;
  const project = projectWidth === 0 ? '' : `${pad(inColumns(session.project, projectWidth), projectWidth)}  `;
  const left = columns - widthOf(mark) - widthOf(age) - widthOf(project);
  const title = inColumns(titleOf(session) || session.id, Math.max(1, left));
  return `${style.cyan(mark)}${style.dim(age)}${style.green(project)}${chosen ? style.bold(title) : title}`;
}

function aboutLines(state: State, about: number, { style, now }: Look): string[] {
  const { columns } = state.size;
  const rule = style.dim('─'.repeat(columns));
  const found = chosenIn(state);
  if (found === undefined) return [rule, ...Array<string>(about - 1).fill('')];
  const { session, snippet } = found;
  const facts = [session.project, session.cwd, session.agent, `${ageOf(session.endedAt, now)} ago`, session.id];
  const lines = [rule, style.dim(inColumns(facts.filter((fact) => fact !== '').join(' · '), columns))];
  if (snippet !== '') lines.push(marked(inColumns(snippet, columns), style));
  const room = about - lines.length;
  const said = state.endings.get(keyOf(session)) ?? [];
  for (const { by, text } of said.slice(Math.max(0, said.length - room))) {
    const who = by === 'person' ? 'you  ' : '     ';
    lines.push(style.dim(who) + inColumns(text, Math.max(1, columns - 5)));
  }
  return [...lines, ...Array<string>(Math.max(0, about - lines.length)).fill('')];
}
