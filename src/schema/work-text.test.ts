import { expect, it } from 'vitest';
import type { Work } from './work.ts';
import { workProgress, workTitle } from './work-text.ts';

const since = '2026-11-16T12:00:00.000Z';

it.each([
  [
    { kind: 'import', since, done: 12, total: 1040, share: 0.319, secondsLeft: 130 },
    '12 of 1,040 transcripts, 31 %, about 2 min left',
  ],
  [{ kind: 'embed', since, done: 1, total: 3, share: 1 / 3 }, '1 of 3 texts, 33 %'],
  [
    { kind: 'distill', since, done: 1, total: 3, share: 0.999, secondsLeft: 3 },
    '1 of 3 jobs, 99 %, a few seconds left',
  ],
  [{ kind: 'redact', since, done: 40, total: 100, share: 0.4, secondsLeft: 44 }, '40 %, about 40 s left'],
  [
    { kind: 'copy', since, done: 1, total: 3, share: 0.3, secondsLeft: 3700 },
    '1 of 3 transcripts, 30 %, about 1 h left',
  ],
  [
    { kind: 'copy', since, done: 1, total: 3, share: 0.3, secondsLeft: 8900 },
    '1 of 3 transcripts, 30 %, about 2 h 30 min left',
  ],
  [
    { kind: 'copy', since, done: 1, total: 3, share: 0.3, secondsLeft: 57 },
    '1 of 3 transcripts, 30 %, about 1 min left',
  ],
  [{ kind: 'backup', since }, ''],
] satisfies [Work, string][])('describes %o', (work, text) => {
  expect(workProgress(work)).toBe(text);
  expect(workTitle(work)).toMatch(/^[A-Z]/);
});
