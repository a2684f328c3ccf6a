// How many columns a text takes on a terminal.

const wide =
  /[\u{1100}-\u{115f}\u{2329}\u{232a}\u{2e80}-\u{303e}\u{3041}-\u{33ff}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{a000}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{16ff1}\u{17000}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation}/u;
/** Marks on the letter before them; Korean vowels and final consonants also join the letter before. */
const unseen = /[\p{Mn}\p{Me}\p{Cf}\u{1160}-\u{11ff}\u{d7b0}-\u{d7fb}]/u;

const columnsOf = (point: string): number => (unseen.test(point) ? 0 : wide.test(point) ? 2 : 1);

export function widthOf(text: string): number {
  let columns = 0;
  for (const point of text) columns += columnsOf(point);
  return columns;
}

/** The beginning of a text that fits. */
export function startInColumns(text: string, columns: number): string {
  let used = 0;
  let kept = '';
  for (const point of text) {
    used += columnsOf(point);
    if (used > columns) break;
    kept += point;
  }
  return kept;
}

/** The end of a text that fits, for text being typed. */
export function endInColumns(text: string, columns: number): string {
  const points = [...text];
  let used = 0;
  let from = points.length;
  while (from > 0) {
    used += columnsOf(points[from - 1] as string);
    if (used > columns) break;
    from--;
  }
  return points.slice(from).join('');
}

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - widthOf(text)));
