// Words for scripts that are written without spaces, and one spelling for letters that have two. Index and query both call this.

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;
const unspacedRuns = new RegExp(`${unspaced.source}+`, 'gu');

let segmenter: Intl.Segmenter | undefined;

export const isUnspaced = (text: string): boolean => unspaced.test(text);

/** What unicode61 takes for different letters: ß and ss, ё and е, wide and narrow forms, letters typed in two parts. */
const variants = /[ßẞёЁøØłŁæÆœŒđĐ\u1100-\u11ff\u3099\u309a\uff01-\uffee]/;
const spellings: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  ё: 'е',
  Ё: 'Е',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  đ: 'd',
  Đ: 'D',
};

/** The text in one spelling; nearly every text comes back as it is. Contract: never throws. */
export function spell(text: string): string {
  if (!variants.test(text)) return text;
  return text
    .replace(/[\uff01-\uffee]+/g, (run) => run.normalize('NFKC'))
    .replace(/[ßẞёЁøØłŁæÆœŒđĐ]/g, (letter) => spellings[letter] as string)
    .normalize('NFC');
}

/** Katakana as hiragana, letter for letter. */
export const toHiragana = (text: string): string =>
  text.replace(/[\u30a1-\u30f6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60));

/** The text in one spelling, with spaces between the words of unspaced scripts. Contract: never throws. */
export function segment(text: string): string {
  const spelt = spell(text);
  if (!unspaced.test(spelt)) return spelt;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const words = segmenter;
  // Kana change only now: whether a word is written in one or the other tells where it ends.
  return spelt.replace(
    unspacedRuns,
    (run) => ` ${toHiragana(Array.from(words.segment(run), (part) => part.segment).join(' '))} `,
  );
}
