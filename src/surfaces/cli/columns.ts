// Text of a transcript → one line of a terminal. Terminals disagree about joined emoji and variation selectors, so
// those are removed.
import { clean } from './style.ts';
import { startInColumns, widthOf } from './width.ts';

const pictograph = '\\p{Extended_Pictographic}\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?';
const joined = new RegExp(
  `(\\p{Extended_Pictographic})\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?(?:\\u{200d}${pictograph})*`,
  'gu',
);
/** Languages use up to this many marks on one letter; more are a prank. */
const tower = /(\p{M}{4})\p{M}+/gu;

/** One line, without anything that moves the cursor or that terminals measure differently. */
export const plain = (text: string): string =>
  clean(text)
    .replace(joined, '$1')
    .replace(/\p{Cf}|\p{Cs}|\p{Variation_Selector}/gu, '')
    .replace(tower, '$1')
    .replace(/\s+/gu, ' ')
    .trim();

/** As much of a text as fits; an ellipsis shows that there is more. */
export function inColumns(text: string, columns: number): string {
  // The rest of a long text is not shown, so do not process it.
  const flat = plain(text.slice(0, columns * 8 + 64));
  if (widthOf(flat) <= columns) return flat;
  return columns > 0 ? `${startInColumns(flat, columns - 1).trimEnd()}…` : '';
}

/** The first lines of a text, cut between words where possible. */
export function inLines(text: string, columns: number, most: number): string[] {
  const lines: string[] = [];
  let rest = plain(text.slice(0, columns * most * 8));
  while (rest !== '' && lines.length < most) {
    const fits = startInColumns(rest, columns);
    const cut = fits.length < rest.length ? fits.lastIndexOf(' ') : -1;
    // A character may be wider than the screen.
    const line = cut > 0 ? fits.slice(0, cut) : fits || rest;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}
