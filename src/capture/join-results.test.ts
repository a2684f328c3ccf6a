import { expect, it } from 'vitest';
import { entry } from '../../test/contracts/chunks.ts';
import type { NewEntry, NewToolResult } from '../store/transcripts/port.ts';
import { joinResults } from './join-results.ts';

const uses = (uuid: string, pos: number, ...ids: string[]): NewEntry =>
  entry(uuid, '', { pos, toolUses: ids.map((id) => ({ id, tool: 'Bash', input: '{}', files: [] })) });
const result = (id: string, pos: number, output = ''): NewToolResult => ({ id, pos, outcome: 'ok', output });
const joined = (entries: readonly NewEntry[], results: readonly NewToolResult[]) => {
  const all = joinResults(entries, results);
  const found = all.entries.flatMap(({ uuid, toolUses }) =>
    toolUses.flatMap(({ id, result: of }) => (of === undefined ? [] : [`${uuid} ${id} ${of.output}`])),
  );
  return { found, left: all.results.map(({ id }) => id) };
};

it('a result joins the last use before it, and the last of several results counts', () => {
  const entries = [uses('a', 0, 'u', 'v'), uses('b', 10, 'u'), uses('c', 30, 'u')];
  const results = [result('u', 5, 'first'), result('u', 20, 'second'), result('u', 25, 'third'), result('v', 40, 'v')];
  expect(joined(entries, results)).toEqual({ found: ['a u first', 'a v v', 'b u third'], left: [] });
});

it('a result without a use before it, or with several at one position, is left to the store', () => {
  const entries = [
    uses('a', 10, 'late'),
    uses('b', 20, 'twice'),
    uses('c', 20, 'twice'),
    uses('d', 30, 'same', 'same'),
  ];
  const results = [result('late', 5), result('gone', 50), result('twice', 50), result('same', 50)];
  expect(joined(entries, results)).toEqual({ found: [], left: ['late', 'gone', 'twice', 'same'] });
});
