// Separates words in scripts without spaces, and unifies letters with two spellings. Both index and query call this.

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;
/** A quick test: most texts have letters of no such script, and one class of plain units is much faster to look for. */
const mayBeUnspaced = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u19e0-\u19ff\u2e80-\uffff]/;
/** Bounded, because a repetition of millions overflows the stack of the regular expression engine. */
const unspacedPiece = new RegExp(`${unspaced.source}{1,10000}`, 'gu');

let segmenter: Intl.Segmenter | undefined;

export const isUnspaced = (text: string): boolean => mayBeUnspaced.test(text) && unspaced.test(text);

/** Letters that unicode61 treats as different: ß and ss, ё and е, wide and narrow forms, letters typed in two parts. */
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

/** The text in one spelling; most texts come back unchanged. Contract: never throws. */
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
 * The segmenter takes more than quadratic time for a long run of letters, so it gets a run in windows. Nearly all runs
 * that people write fit into one window and are segmented as a whole.
 */
const longestWindow = 1000;
/** A window may cut its last words; the next window starts with them. */
const windowOverlap = 100;

/** The text in one spelling, with spaces between the words of unspaced scripts. Contract: never throws; linear in the length. */
export function segment(text: string): string {
  const spelt = spell(text);
  if (!isUnspaced(spelt)) return spelt;
  let out = '';
  let at = 0;
  for (const [from, to] of unspacedRuns(spelt)) {
    // Convert kana only now: the segmenter needs the difference to find where words end.
    out += `${spelt.slice(at, from)} ${toHiragana(wordsOfRun(spelt.slice(from, to)).join(' '))} `;
    at = to;
  }
  return out + spelt.slice(at);
}

/** The start and end of each run of unspaced letters. */
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
    // Words in the overlap wait for the next window. A first word that reaches
    // into it is accepted, so every window makes progress.
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

/** The end of a window that starts at `from`: never within a surrogate pair. */
function windowEnd(run: string, from: number): number {
  const end = from + longestWindow;
  if (end >= run.length) return run.length;
  const before = run.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
