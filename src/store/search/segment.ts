// Words for scripts that are written without spaces, and one spelling for letters that have two. Index and query both call this.

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;
/** Bounded: for a repetition of millions the matcher runs out of stack. */
const unspacedPiece = new RegExp(`${unspaced.source}{1,10000}`, 'gu');

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

/**
 * The segmenter needs more than quadratic time for a long run of letters, so a run goes through it in windows. A run that fits
 * into one window, as all that people write do, has the words that the segmenter gives it as a whole.
 */
const longestWindow = 1000;
/** The words at the end of a window may be cut; the next window begins with them. */
const windowOverlap = 100;

/** The text in one spelling, with spaces between the words of unspaced scripts. Contract: never throws; linear in the length. */
export function segment(text: string): string {
  const spelt = spell(text);
  if (!unspaced.test(spelt)) return spelt;
  let out = '';
  let at = 0;
  for (const [from, to] of unspacedRuns(spelt)) {
    // Kana change only now: whether a word is written in one or the other tells where it ends.
    out += `${spelt.slice(at, from)} ${toHiragana(wordsOfRun(spelt.slice(from, to)).join(' '))} `;
    at = to;
  }
  return out + spelt.slice(at);
}

/** Where the runs of unspaced letters begin and end. */
function* unspacedRuns(text: string): Generator<readonly [number, number]> {
  let from = -1;
  let to = -1;
  for (const piece of text.matchAll(unspacedPiece)) {
    if (piece.index !== to) {
      if (from >= 0) yield [from, to];
      from = piece.index;
    }
    to = piece.index + piece[0].length;
  }
  if (from >= 0) yield [from, to];
}

function wordsOfRun(run: string): string[] {
  if (run.length === 1) return [run];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const words: string[] = [];
  for (let from = 0; from < run.length; ) {
    const end = windowEnd(run, from);
    // The words in the overlap wait for the next window. A first word that reaches into it is taken as it is: each window moves on.
    const sure = end === run.length ? end : end - windowOverlap;
    let taken = from;
    for (const { segment: word, index } of segmenter.segment(run.slice(from, end))) {
      if (index > 0 && from + index + word.length > sure) break;
      words.push(word);
      taken = from + index + word.length;
    }
    from = taken;
  }
  return words;
}

/** Where a window that begins at `from` ends: never between the two halves of a letter. */
function windowEnd(run: string, from: number): number {
  const end = from + longestWindow;
  if (end >= run.length) return run.length;
  const before = run.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
