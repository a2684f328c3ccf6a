// Text of a transcript → one line of a terminal. Terminals disagree about joined emoji and variation selectors: only what they agree on is left.
import { clean } from './style.ts';
import { startInColumns, widthOf } from './width.ts';

const pictograph = '\\p{Extended_Pictographic}\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?';
const joined = new RegExp(
  `(\\p{Extended_Pictographic})\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?(?:\\u{200d}${pictograph})*`,
  'gu',
);
/** Of marks on one letter, so many are a language and not a prank. */
const tower = /(\p{M}{4})\p{M}+/gu;

/** On one line, without anything that moves a cursor or that terminals measure differently. */
export const plain = (text: string): string =>
  clean(text)
    .replace(joined, '$1')
    .replace(/\p{Cf}|\p{Cs}|\p{Variation_Selector}/gu, '')
    .replace(tower, '$1')
    .replace(/\s+/gu, ' ')
    .trim();

/** As much of a text as fits; an ellipsis says that there is more. */
export function inColumns(text: string, columns: number): string {
  // Of a long text nobody sees the rest, so it is not looked at either.
  const flat = plain(text.slice(0, columns * 8 + 64));
  if (widthOf(flat) <= columns) return flat;
  return columns > 0 ? `${startInColumns(flat, columns - 1).trimEnd()}…` : '';
}
