import { describe, expect, it } from 'vitest';
import { segment } from './segment.ts';

const asOne = (run: string): string =>
  ` ${Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(run), (part) => part.segment).join(' ')} `;

describe('segment', () => {
  it.each(['重试队列数据库连接失败了', 'ภาษาไทยเป็นภาษาที่มีระดับเสียง', 'ភាសាខ្មែរ', '日本語の文章'])(
    'gives a run that fits into one window the words of the segmenter: %s',
    (run) => {
      const long = run.repeat(Math.floor(1000 / run.length));
      expect(segment(run)).toBe(asOne(run));
      expect(segment(long)).toBe(asOne(long));
    },
  );

  it.each(['重试队列数据库连接失败了', 'ภาษาไทยเป็นภาษาที่มีระดับเสียง', '中', '𠀀', '안녕하세요'])(
    'keeps every letter of a run of many windows, in order: %s',
    (run) => {
      const long = run.repeat(Math.ceil(25_000 / run.length));
      expect(segment(long).replaceAll(' ', '')).toBe(long);
    },
  );

  it('segments a long run like a short one, also where two windows meet', () => {
    const word = '重试队列数据库连接失败了我们需要检查';
    const words = asOne(word).trim();
    const long = segment(word.repeat(2000)).trim();
    const whole = long.split(words).length - 1;
    expect(whole).toBeGreaterThan(1900);
  });

  // The segmenter alone would exceed any test's time limit: its time grows with the square of the length.
  it.each(['中', '重试队列', 'ภาษาไทย', 'カ', '中a', 'が', '한'])('takes 200,000 letters in one run: %s', (letters) => {
    const out = segment(letters.repeat(Math.ceil(200_000 / letters.length)));
    expect(out.length).toBeGreaterThan(200_000);
  });

  it('accepts a run of letters longer than a regular expression can match at once', () => {
    expect(segment('한'.repeat(10_000_000)).length).toBeGreaterThan(10_000_000);
  });
});
