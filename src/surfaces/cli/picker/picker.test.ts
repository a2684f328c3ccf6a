import { describe, expect, it } from 'vitest';
import type { Session } from '../../../schema/session.ts';
import { styles } from '../style.ts';
import { widthOf } from '../width.ts';
import { type Choice, ofHit, ofSession } from './choice.ts';
import { frame } from './frame.ts';
import { begin, chosenIn, type Key, type State, step } from './state.ts';

const now = Date.parse('2026-03-10T12:00:00.000Z');
const plainSession = (id: string, title: string, project = 'lighthouse'): Session => ({
  id,
  agent: 'claude-code',
  project,
  projectPath: `/srv/${project}`,
  cwd: `/srv/${project}`,
  title,
  startedAt: '2026-03-10T08:00:00.000Z',
  endedAt: '2026-03-10T09:00:00.000Z',
  entries: 2,
  subagentEntries: 0,
  toolUses: 0,
  resume: `claude --resume ${id}`,
});
const session = (id: string, title: string, project?: string) => ofSession(plainSession(id, title, project));
const many = (count: number) => Array.from({ length: count }, (_, i) => session(`s${i}`, `Session ${i}`));
const three = [
  session('a1', 'Mend the lamp'),
  session('b2', 'Count the gulls', 'shore'),
  session('c3', 'Paint the door'),
];
const screen = { columns: 80, rows: 24 };

const typed = (text: string): Key[] => [...text].map((sequence) => ({ sequence, name: sequence.toLowerCase() }));
const ctrl = (name: string): Key => ({ name, ctrl: true, sequence: String.fromCharCode(name.charCodeAt(0) - 96) });
const press = (state: State, ...keys: (Key | string)[]): State =>
  keys
    .flatMap((key) => (typeof key === 'string' ? [{ name: key, sequence: '\x1b[x' }] : [key]))
    .reduce((last, key) => step(last, { kind: 'key', key }), state);
const found = (state: State, query: string, ...hits: Choice[]) => step(state, { kind: 'found', query, hits });
const titles = (state: State) => state.shown.map(({ title }) => title);
const drawn = (state: State, coloured = false) =>
  frame(state, { style: styles(coloured), now, label: 'Resume', help: 'Esc leaves' }).lines;
const bare = (line: string) => line.replaceAll(/(?:\p{Cc})\[\d+m/gu, '');

describe('the picker', () => {
  it('begins with all sessions, newest first, and shows project, age and title', () => {
    const state = begin(three, screen);
    expect(titles(state)).toEqual(['Mend the lamp', 'Count the gulls', 'Paint the door']);
    expect(drawn(state)[2]).toMatch(/^ {4}3h {2}shore +Count the gulls$/);
    expect(drawn(state)).toHaveLength(24);
  });

  it('cuts no hint in a narrow terminal: it shows as many as fit', () => {
    const help = 'Enter opens · Esc leaves · in another agent: --in <agent>';
    const last = (columns: number) =>
      frame(begin(three, { ...screen, columns }), { style: styles(false), now, label: 'Resume', help }).lines.at(-1);
    expect([80, 40, 20].map(last)).toEqual([help, 'Enter opens · Esc leaves', 'Enter opens']);
  });

  it('finds titles, projects and ids while the person types, and then messages', () => {
    const state = press(begin(three, screen), ...typed('THE lam'));
    expect(titles(state)).toEqual(['Mend the lamp']);
    expect(state.searching).toBe(true);
    const hit = { ...(three[2] as Choice), snippet: 'red, like the «lamp»' };
    const answered = found(state, 'THE lam', { ...(three[0] as Choice), snippet: 'the «lamp»' }, hit);
    expect(titles(answered)).toEqual(['Mend the lamp', 'Paint the door']);
    expect(answered.searching).toBe(false);
    expect(drawn(press(answered, 'down')).join('\n')).toContain('red, like the «lamp»');
    expect(titles(press(begin(three, screen), ...typed('shore')))).toEqual(['Count the gulls']);
    expect(titles(press(begin(three, screen), ...typed('c3')))).toEqual(['Paint the door']);
  });

  it('drops the answer to an outdated query', () => {
    const state = press(begin(three, screen), ...typed('gul'));
    const late = found(state, 'gu', { ...(three[2] as Choice), snippet: 'x' });
    expect(late).toBe(state);
  });

  it('deletes a character as a person sees it, a word, and everything', () => {
    const state = press(begin(three, screen), ...typed('red '), { sequence: '👨‍👩‍👧' });
    expect(press(state, { name: 'backspace', sequence: '\x7f' }).query).toBe('red ');
    expect(press(state, ctrl('w')).query).toBe('red ');
    const empty = press(state, ctrl('u'));
    expect([empty.query, empty.searching, empty.shown.length]).toEqual(['', false, 3]);
    expect(press(empty, { name: 'backspace', sequence: '\x7f' }).query).toBe('');
  });

  it('moves by one, by a page, and to both ends, and keeps the chosen item visible', () => {
    let state = begin(many(100), screen);
    const inSight = () => expect(drawn(state).filter((line) => line.startsWith('> '))).toHaveLength(1);
    for (const [key, place] of [
      ['up', 0],
      ['down', 1],
      ['pagedown', 11],
      ['pagedown', 21],
      ['pageup', 11],
      ['end', 99],
      ['down', 99],
      ['pageup', 89],
      ['home', 0],
    ] as const) {
      state = press(state, key);
      expect([key, state.chosen]).toEqual([key, place]);
      inSight();
    }
    state = press(state, ctrl('n'), ctrl('n'), ctrl('p'));
    expect(chosenIn(state)?.id).toBe('s1');
  });

  it('returns the chosen session on Enter, and nothing on Esc, Ctrl+C, and Ctrl+D with nothing typed', () => {
    const state = begin(three, screen);
    expect(press(state, 'down', 'return').end).toBe(three[1]);
    for (const key of [{ name: 'escape', meta: true }, ctrl('c'), ctrl('d')])
      expect(press(state, key).end).toBe('left');
    expect(press(state, ...typed('x'), ctrl('d')).end).toBeUndefined();
  });

  it('says that nothing was found, and then Enter does nothing', () => {
    const state = press(begin(three, screen), ...typed('zebra'));
    expect(drawn(state).join('\n')).toContain('Searching …');
    const answered = found(state, 'zebra');
    expect(drawn(answered).join('\n')).toContain('Nothing found');
    expect(press(answered, 'return', 'down', 'pageup').end).toBeUndefined();
  });

  it('chooses the first hit if Enter came before the answer, unless another key is pressed', () => {
    const state = press(begin(three, screen), ...typed('zebra'), 'return');
    const hit = { ...(three[1] as Choice), snippet: 'a zebra' };
    expect(state.end).toBeUndefined();
    expect(found(state, 'zebra', hit).end).toBe(hit);
    expect(found(state, 'zebra').end).toBeUndefined();
    expect(found(press(state, 'down'), 'zebra', hit).end).toBeUndefined();
    expect(found(press(state, ...typed('s')), 'zebras', hit).end).toBeUndefined();
  });

  it('says what went wrong with a search, and still offers the titles', () => {
    const state = press(begin(three, screen), ...typed('lamp'));
    const failed = step(state, { kind: 'found', query: 'lamp', hits: [], note: 'The store is busy' });
    expect(drawn(failed).at(-1)).toBe('The store is busy');
    expect(press(failed, 'return').end).toBe(three[0]);
  });

  it('takes pasted text as words, with its line breaks, and chooses nothing by it', () => {
    const state = press(
      begin(three, screen),
      'paste-start',
      ...typed('the'),
      { name: 'return', sequence: '\r' },
      ...typed('lamp'),
      { name: 'c', ctrl: true, sequence: '\x03' },
      'paste-end',
    );
    expect([state.query, state.end, titles(state)]).toEqual(['the lamp ', undefined, ['Mend the lamp']]);
    const flood = press(begin(three, screen), 'paste-start', { sequence: 'x'.repeat(5000) });
    expect(flood.query).toHaveLength(300);
  });

  it('does not take keys without a meaning for text', () => {
    const keys = [{ name: 'undefined', sequence: '\x1b[57425u' }, { name: 'f5', sequence: '\x1b[15~' }, ctrl('y')];
    expect(
      press(begin(three, screen), ...keys, 'tab', 'left', { name: 'x', meta: true, sequence: '\x1bx' }).query,
    ).toBe('');
  });

  it('shows the last lines of what is chosen', () => {
    const said = Array.from({ length: 30 }, (_, i) => ({ by: i % 2 ? 'other' : 'person', text: `line ${i}` }) as const);
    const state = step(begin(three, screen), { kind: 'preview', key: (three[0] as Choice).key, said });
    const lines = drawn(state);
    expect(lines.at(-2)).toBe('     line 29');
    expect(lines.at(-3)).toBe('you  line 28');
    expect(drawn(press(state, 'down')).join('\n')).not.toContain('line 29');
  });

  it.each([
    [20, 5],
    [80, 24],
    [7, 3],
    [1, 1],
    [2, 2],
    [200, 60],
    [40, 11],
  ])('fits a screen of %i × %i, whatever the titles hold', (columns, rows) => {
    const titles = [
      '灯台のランプを直す'.repeat(9),
      '👨‍👩‍👧 👍🏽 ❤️ 🇩🇪 family '.repeat(9),
      `e${'\u0301'.repeat(50)}`,
      'ＦＵＬＬ',
      '',
    ];
    const rough = titles.map((title, i) => session(`id${i}`, title, title.slice(0, 30)));
    const said = titles.map((text) => ({ by: 'person', text }) as const);
    const first = rough[0] as Choice;
    let state = step(begin([...rough, ...many(50)], screen), { kind: 'preview', key: first.key, said });
    state = step(press(state, ...typed('灯')), {
      kind: 'found',
      query: '灯',
      hits: [{ ...first, snippet: '灯'.repeat(200) }],
    });
    for (const one of [state, press(state, ctrl('u'), 'end')]) {
      const small = step(one, { kind: 'resize', size: { columns, rows } });
      const { lines, cursor } = frame(small, { style: styles(true), now, label: 'Resume', help: 'Esc leaves' });
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(widthOf(bare(line)), bare(line)).toBeLessThanOrEqual(columns);
      expect(cursor.column).toBeLessThan(columns);
      if (rows >= 2 && columns >= 4) expect(lines.filter((line) => bare(line).startsWith('> '))).not.toHaveLength(0);
    }
  });

  it('lets no control character from a transcript or from typing reach the terminal', () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\x1b[31mred\u009b2J\r\n\t\x00\u202eflip\u2066\u200b\u2028next\x7f';
    const bad = ofSession({ ...plainSession(`id${evil}`, evil, evil), cwd: `/srv/${evil}` });
    let state = step(begin([bad], screen), { kind: 'preview', key: bad.key, said: [{ by: 'person', text: evil }] });
    state = press(state, 'paste-start', { sequence: 'red' }, { sequence: evil }, 'paste-end', ctrl('u'), ...typed('r'));
    state = step(state, { kind: 'found', query: 'r', hits: [{ ...bad, snippet: evil }], note: evil });
    for (const line of drawn(state)) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    for (const line of drawn(state, true)) expect(bare(line)).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    expect(drawn(state).join('\n')).toContain('red');
  });
});

describe('a live search', () => {
  const hit = (id: string, snippet: string) =>
    ofHit({
      kind: 'entry',
      id,
      session: 'a1',
      project: 'lighthouse',
      agent: 'claude-code',
      at: '2026-03-10T09:00:00.000Z',
      role: 'user',
      score: 1,
      snippet,
      title: 'Mend the lamp',
    });
  const [wick, oil] = [hit('e1', 'the «wick» was wet'), hit('e2', 'a new «wick», and oil')];

  it('shows nothing before words are typed, and then what was found, with its session', () => {
    const state = begin(undefined, screen);
    expect(drawn(state).join('\n')).toContain('Type words');
    const typing = press(state, ...typed('wick'));
    expect(drawn(typing).join('\n')).toContain('Searching …');
    const lines = drawn(found(typing, 'wick', wick, oil));
    expect(lines[1]).toMatch(/^> {3}3h {2}lighthouse {12}the «wick» was wet$/);
    expect(lines.join('\n')).toContain('Mend the lamp · lighthouse · you · claude-code · 3h ago · e1');
    expect(drawn(press(found(typing, 'wick', wick), ctrl('u'))).join('\n')).toContain('Type words');
    expect(drawn(found(typing, 'wick')).join('\n')).toContain('Nothing found');
  });

  it('replaces the hits with each answer, and Enter never opens an outdated one', () => {
    const first = press(found(press(begin(undefined, screen), ...typed('wick')), 'wick', wick, oil), 'down');
    expect(chosenIn(first)).toBe(oil);
    const more = press(first, ...typed(' wet'));
    expect(more.shown).toHaveLength(2);
    const hurried = press(more, 'return');
    expect(hurried.end).toBeUndefined();
    expect(found(hurried, 'wick wet', wick).end).toBe(wick);
    const answered = found(more, 'wick wet', wick);
    expect([answered.shown, answered.chosen]).toEqual([[wick], 0]);
    expect(press(answered, 'return').end).toBe(wick);
  });

  it('shows the lines around the words, and others for other words', () => {
    const said = Array.from({ length: 30 }, (_, i) => ({ by: 'other', text: `line ${i}` }) as const);
    const state = found(press(begin(undefined, screen), ...typed('wick')), 'wick', wick);
    const seen = step(state, { kind: 'preview', key: wick.key, said });
    expect(drawn(seen).join('\n')).toContain('line 0\n');
    const long = step(state, {
      kind: 'preview',
      key: wick.key,
      said: [{ by: 'person', text: 'wet wick '.repeat(20) }],
    });
    expect(drawn(long).slice(14, 17)).toEqual([
      `you  ${'wet wick '.repeat(8).trim()}`,
      `     ${'wet wick '.repeat(8).trim()}`,
      `     ${'wet wick '.repeat(4).trim()}`,
    ]);
    for (const columns of [1, 5, 6, 7])
      for (const line of drawn(step(long, { kind: 'resize', size: { columns, rows: 24 } })))
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(drawn(found(press(seen, ...typed('s')), 'wicks', wick)).join('\n')).not.toContain('line 0');
  });
});
