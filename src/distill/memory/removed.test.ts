import { expect, it } from 'vitest';
import { emptyMemory } from '../../../test/demo-memory.ts';
import { apply, conversation, filesOf, folderOf } from '../../../test/memory-stand.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { historyOf } from './history.ts';

const page = 'projects/tide/overview.md';
const on = (day: number) => `2026-09-${String(day).padStart(2, '0')}T08:00:00.000Z`;
const says = (...statements: KeyedStatement[]) => ({ projects: [{ name: 'tide', statements }] });
const known: KeyedStatement = {
  ...{ key: 'commit: cursor', text: 'A TideCursor refuses a second read.', saidBy: 'agent' },
};
const decided: KeyedStatement = {
  ...{ key: 'change: cursor', text: 'Decided in a commit: split TideCursor into readers.', saidBy: 'agent' },
};
const wished: KeyedStatement = { key: 'cursors', text: 'Never hand a TideCursor to a plugin.', saidBy: 'person' };
const longer: KeyedStatement = { key: 'names', text: 'TideCursors and `TideCursorPool` are lists.', saidBy: 'agent' };
const failing: KeyedStatement = {
  ...{ key: 'commit: reuse', text: 'A second read returns ErrTideCursorReused.', saidBy: 'agent' },
};
const source: KeyedStatement = {
  ...{ key: 'commit: readers', text: 'A `TideReader` may be read twice. (From the commit “Drop TideCursor”.)' },
  saidBy: 'agent',
};
const gone: KeyedStatement = {
  ...{ key: 'removed: TideCursor', change: 'retire', saidBy: 'agent' },
  text: 'The commit “Drop TideCursor” removed TideCursor.',
};
const back: KeyedStatement = { key: 'cursors again', text: 'A TideCursor is back as a stream.', saidBy: 'agent' };

const sessions = [
  ['s1', on(1), says(known, decided, wished, longer, failing)],
  ['s2', on(2), says(source, gone)],
  ['s3', on(3), says(back)],
] as const;

it('a commit that removes a name retires what agents said about it before, in any order of sessions', async () => {
  const texts: string[] = [];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    const memory = await emptyMemory();
    for (const i of order) {
      const [id, at, gave] = sessions[i] as (typeof sessions)[number];
      await apply(memory, conversation(id, at), gave);
    }
    texts.push(filesOf(folderOf(memory))[page] ?? '');
  }
  expect(new Set(texts).size).toBe(1);
  const [text = ''] = texts;
  expect(text).not.toContain('refuses a second read');
  expect(text).not.toContain('ErrTideCursorReused');
  for (const { text: kept } of [decided, wished, longer, source, back]) expect(text).toContain(kept);
  expect(text).not.toContain('removed TideCursor');
});

it('a sentence that something is no longer so retires what agents said about the same names before', async () => {
  const memory = await emptyMemory();
  const before: KeyedStatement = {
    ...{ key: 'change: all', text: 'Decided in a commit: wire --all into the CLI. `--all` implies `TideGuess`.' },
    saidBy: 'agent',
  };
  const half: KeyedStatement = { key: 'commit: guess', text: 'A `TideGuess` is never stored.', saidBy: 'agent' };
  const own: KeyedStatement = { key: 'guesses', text: 'Use --all only without TideGuess.', saidBy: 'person' };
  const over: KeyedStatement = {
    ...{ key: 'commit: over', text: 'The flag `--all` no longer enables `TideGuess`. (From the commit “Fix it”.)' },
    saidBy: 'agent',
  };
  const after: KeyedStatement = { ...before, key: 'change: again', text: 'Bind `--all` and `TideGuess` in a group.' };
  const pageNow = () => filesOf(folderOf(memory))[page] ?? '';
  await apply(memory, conversation('s3', on(3)), says(after));
  await apply(memory, conversation('s2', on(2)), says(over));
  await apply(memory, conversation('s1', on(1)), says(before, half, own));
  expect(pageNow()).not.toContain(before.text);
  for (const { text } of [half, own, over, after]) expect(pageNow()).toContain(text);
});

it('the history of the page says which commit retired a line', async () => {
  const memory = await emptyMemory();
  for (const [id, at, gave] of sessions) await apply(memory, conversation(id, at), gave);
  const lines = (await historyOf({ ...memory, clock: () => Date.parse(on(9)) }, page)).map(({ versions }) => versions);
  const line = lines.find(([first]) => first?.text.includes('refuses a second read'));
  expect(line?.map(({ why, current }) => [why, current])).toEqual([
    [undefined, false],
    ['The commit “Drop TideCursor” removed TideCursor.', true],
  ]);
});

it('an amended commit retires what an earlier conversation of its session kept of it', async () => {
  const memory = await emptyMemory();
  const spool: KeyedStatement = {
    ...{ key: 'change: spool bodies', text: 'Decided in a commit: spool all bodies of a push.', saidBy: 'agent' },
  };
  const amend: KeyedStatement = {
    ...{ key: 'amended: spool only the bodies of large pushes', change: 'retire', saidBy: 'agent', text: 'Amended.' },
  };
  const pageNow = () => filesOf(folderOf(memory))[page] ?? '';
  await apply(memory, conversation('s1', on(1)), says(spool, decided));
  await apply(memory, conversation('s2', on(2)), says(amend));
  expect(pageNow(), 'another session').toContain(spool.text);
  await apply(memory, conversation('s1', on(3), { firstPos: 900 }), says(amend));
  expect(pageNow()).not.toContain(spool.text);
  expect(pageNow()).toContain(decided.text);
});
