import { describe, expect, it } from 'vitest';
import { wordPattern } from '../recall/question/words.ts';
import { indexText } from '../store/search/index-text.ts';
import { wordHash, wordsOf } from './words.ts';

/** The plain way to compute the same: a regular expression, and a map of what it finds. */
function slowly(text: string) {
  const counts = new Map<number, number>();
  let length = 0;
  for (const word of indexText(text.slice(0, 20_000)).match(wordPattern) ?? []) {
    length++;
    const hash = wordHash(word);
    if (hash !== undefined && (counts.size < 200 || counts.has(hash))) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const times = [...counts.values()].map((n) => Math.min(n, 1000));
  return { words: `{${[...counts.keys()].join(',')}}`, times: `{${times.join(',')}}`, length };
}

const pieces = [
  ...[
    'the',
    'Retry',
    'retries',
    'useAuthStore',
    'HTTPServer',
    'v1.2.3',
    'snake_case',
    '',
    '  ',
    '\n',
    '—',
    '…',
    'naïve',
  ],
  ...[
    'e\u0301clair',
    'Straße',
    '東京のサーバー',
    'ありがとう',
    '한국어',
    '😀',
    '𝒳𝒴',
    '𠮷野家',
    '\ud83d',
    '\udc00',
    '\ue000',
    '٣٤',
    'ﬁ',
    'x'.repeat(50),
  ],
  ...['{"a": [1, 2]}', '/usr/lib/node', '0x1f', 'ПРИВЕТ', 'ё'],
];

describe('the words of a text', () => {
  it('are those that a regular expression finds, however the text is written', () => {
    let seed = 3;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return seed % below;
    };
    for (let round = 0; round < 400; round++) {
      const text = Array.from(
        { length: random(60) },
        () => `${pieces[random(pieces.length)]}${[' ', '', '.'][random(3)]}`,
      ).join('');
      expect(wordsOf({ text, uses: [] }), JSON.stringify(text)).toEqual(slowly(text));
    }
  });

  it('are at most 200 different ones, each counted a thousand times at most, of the first 20,000 characters', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ');
    expect(wordsOf({ text: many, uses: [] })).toEqual(slowly(many));
    expect(wordsOf({ text: many, uses: [] }).words.split(',')).toHaveLength(200);
    const often = 'gearbox '.repeat(3000);
    expect(wordsOf({ text: often, uses: [] })).toEqual(slowly(often));
    expect(wordsOf({ text: often, uses: [] })).toMatchObject({ times: '{1000}', length: 2500 });
  });

  it('stay the same when so many words were seen that the table begins again', () => {
    const text = 'the gearbox of the first machine';
    const before = wordsOf({ text, uses: [] });
    for (let i = 0; i < 60_000; i += 2000)
      wordsOf({ text: Array.from({ length: 2000 }, (_, n) => `w${i + n}`).join(' '), uses: [] });
    expect(wordsOf({ text, uses: [] })).toEqual(before);
    expect(before).toEqual(slowly(text));
  });
});
