import { expect, it } from 'vitest';
import { codeParts } from './code-parts.ts';

const shown = (text: string): string =>
  codeParts(text)
    .map(({ text: part, isCode }) => (isCode ? `<${part}>` : part))
    .join('');

it.each([
  ['plain words', 'plain words'],
  ['run `npm test` now', 'run <npm test> now'],
  ['`a` and `b`', '<a> and <b>'],
  [
    '… --all-refs` mirrors all `refs/*` names, and `HEAD` too',
    '… --all-refs` mirrors all <refs/*> names, and <HEAD> too',
  ],
  ['a lone ` stays', 'a lone ` stays'],
  ['an empty `` stays, `x` too', 'an empty `` stays, <x> too'],
  ['the end is cut in `npm te…', 'the end is cut in `npm te…'],
])('marks code in %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
