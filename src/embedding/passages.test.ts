import { expect, it } from 'vitest';
import { passagesIn } from './passages.ts';

it('a long text has its first four passages, cut between sentences and lines', () => {
  const sentence = (word: string) => `${`${word} `.repeat(38).trim()}.`;
  const [a, b, c] = ['alpha', 'beta', 'gamma'].map(sentence) as [string, string, string];
  expect(passagesIn(`${a} ${b}\n${c}`)).toEqual([a, b, c]);
  expect(passagesIn(`${a} Yes. No.\n${b}`)).toEqual([`${a} Yes. No.`, b]);
  expect(passagesIn('A short sentence of some words. '.repeat(200))).toHaveLength(4);
});

it('a text of one passage, or none, has no passages beside the whole', () => {
  for (const text of ['', '\n\n', 'The tests pass again now. The build does so too.', 'x'.repeat(5000)])
    expect(passagesIn(text)).toEqual([]);
});

it('reads a bounded part of a huge text, and cuts a line without an end', () => {
  const passages = passagesIn(`${'y'.repeat(600)}\n${'x'.repeat(50_000_000)}`);
  expect(passages.map((passage) => passage.length)).toEqual([600, 800]);
});
