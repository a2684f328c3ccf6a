import { expect, it } from 'vitest';
import { parseKeywords } from '../question/keywords.ts';
import { type FoundEntry, type Measure, onOneScale } from './one-scale.ts';

const entry = (text: string, more: Partial<FoundEntry> = {}): FoundEntry => ({
  ...{ text, uses: [], at: 1000, role: 'user', subagent: false },
  ...more,
});
const measure = (query: string, more: Partial<Measure> = {}): Measure => {
  const keywords = parseKeywords(query);
  return { keywords, rarity: keywords.terms.map(() => 1), ofMeaning: 0.4, ...more };
};
const [whole, part, none] = [
  'the zeppelin migration needs two steps',
  'a zeppelin flew over the town today',
  'it rained all day over the town',
];

it('scores an entry with more of the question higher, whichever list it stands in', () => {
  const asked = measure('zeppelin migration steps');
  const [[first = 0] = [], [second = 0] = []] = onOneScale(asked, [[entry(part)], [entry(whole)]]);
  expect(second).toBe(1);
  expect(first).toBeLessThan(second);
  expect(onOneScale(asked, [[entry(whole)], [entry(part)]])).toEqual([[second], [first]]);
});

it('gives equal entries of two lists the same score', () => {
  const [first, second] = onOneScale(measure('zeppelin'), [[entry(part)], [entry(part)]]);
  expect(first).toEqual(second);
});

it("places a subagent's entry below an equal one, unless sessions are ranked", () => {
  const lists = [[entry(part, { subagent: true })], [entry(part)]];
  const [[first = 0] = [], [second = 0] = []] = onOneScale(measure('zeppelin'), lists);
  expect(first).toBeLessThan(second);
  const [alike, other] = onOneScale(measure('zeppelin', { subagentsAlike: true }), lists);
  expect(alike).toEqual(other);
});

it('counts a rare word for more than a common one', () => {
  const asked = measure('zeppelin town', { rarity: [6, 0] });
  const [[rare = 0] = [], [common = 0] = []] = onOneScale(asked, [
    [entry('a zeppelin flew over the field')],
    [entry('a balloon flew over the town')],
  ]);
  expect(rare).toBeGreaterThan(common);
});

it('keeps the order of a list: an entry scores at least what those behind it score', () => {
  const [own = []] = onOneScale(measure('zeppelin migration'), [[entry(none), entry(whole), entry(part)], []]);
  expect(own[0]).toBe(1);
  expect(own[1]).toBe(1);
  expect(own[2]).toBeLessThan(1);
});

it('compares meaning only if both lists know it', () => {
  const near = entry(none, { cosine: 0.9 });
  const far = entry(part, { cosine: 0.2 });
  const byBoth = onOneScale(measure('zeppelin', { ofMeaning: 0.6 }), [[near], [far]]);
  expect(byBoth[0]?.[0]).toBeGreaterThan(byBoth[1]?.[0] ?? 1);
  const byWords = onOneScale(measure('zeppelin', { ofMeaning: 0.6 }), [[near], [entry(part)]]);
  expect(byWords).toEqual([[0], [1]]);
});

it('finds words in what tools were given and answered', () => {
  const used = entry('', { uses: [{ tool: 'Bash', input: '{"command":"npm run zeppelin"}', output: null }] });
  const [[first = 0] = []] = onOneScale(measure('zeppelin'), [[used], [entry(none)]]);
  expect(first).toBe(1);
});

it('raises what the asked speaker said', () => {
  const asked = measure('zeppelin', { speaker: 'assistant' });
  const [[user = 0] = [], [assistant = 0] = []] = onOneScale(asked, [
    [entry(part)],
    [entry(part, { role: 'assistant' })],
  ]);
  expect(assistant).toBeGreaterThan(user);
});

it('handles empty lists and a question without words', () => {
  expect(onOneScale(measure('zeppelin'), [[], []])).toEqual([[], []]);
  expect(onOneScale(measure('***'), [[entry(part)], []])).toEqual([[0], []]);
});
