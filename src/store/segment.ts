// Words for scripts that are written without spaces. Index and query must cut the same way, so both call this.

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;
const unspacedRuns = new RegExp(`${unspaced.source}+`, 'gu');

let segmenter: Intl.Segmenter | undefined;

export const isUnspaced = (text: string): boolean => unspaced.test(text);

/** The text with spaces between the words of unspaced scripts; any other text comes back as it is. Contract: never throws. */
export function segment(text: string): string {
  if (!unspaced.test(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const words = segmenter;
  return text.replace(unspacedRuns, (run) => ` ${Array.from(words.segment(run), (part) => part.segment).join(' ')} `);
}
