import { expect, it } from 'vitest';
import { withCommas } from './with-commas.ts';

it.each([0, 7, -7, 999, 1000, -1000, 12_345, 123_456, 1_234_567, -123_456, Number.MAX_SAFE_INTEGER])(
  'groups the digits of %s as English does',
  (count) => expect(withCommas(count)).toBe(count.toLocaleString('en')),
);
