// Counts the words of one text after another. A push counts millions: a word that was seen before costs one look into a table of numbers,
// without a string of its own.

import { wordPattern } from '../recall/question/words.ts';

export interface KnownWords {
  /** How many different words were seen. */
  size(): number;
  /** Counts the words of a text: what `wordPattern` finds in it. */
  count(text: string): void;
  /** What was counted since the last call: the words in the order of their first occurrence, and the number of all words. */
  take(): { readonly hashes: readonly string[]; readonly times: readonly number[]; readonly length: number };
}

const firstSlots = 1 << 12;
/** Of this process alone: a text cannot contain words that were chosen to share a slot. */
const [seedA = 0, seedB = 0] = crypto.getRandomValues(new Int32Array(2));

/** Whether each UTF-16 unit belongs to words: 1 if it does, 2 if not, 0 if that is not known yet. */
const classes = new Uint8Array(1 << 16);
const oneOfAWord = new RegExp(`^${wordPattern.source}$`, 'u');

function isOfWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const known = classes[unit];
  if (known !== 0) return known === 1;
  // Half of a character says nothing by itself.
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const whole = unit <= 0xdbff ? at : at - 1;
    const point = whole < 0 ? unit : (text.codePointAt(whole) as number);
    return point > 0xffff && oneOfAWord.test(String.fromCodePoint(point));
  }
  classes[unit] = oneOfAWord.test(String.fromCharCode(unit)) ? 1 : 2;
  return classes[unit] === 1;
}

/** `hashOf` gives the hash of a word; undefined: it is not counted. Of a text, at most `most` different words count. */
export function knownWords(hashOf: (word: string) => number | undefined, most: number): KnownWords {
  // Two hashes of 32 bits identify a word. The table is at most half full: a search in it ends after few steps.
  let slots = firstSlots;
  let [keysA, keysB, groups] = [new Int32Array(slots), new Int32Array(slots), new Int32Array(slots)];
  let size = 0;
  /** Words with the same stem are one group. Group 0 is not counted. */
  const groupOf = new Map<number, number>();
  const texts: string[] = [''];
  let counts = new Int32Array(1024);
  let touched: number[] = [];
  let length = 0;

  function place(a: number, b: number): number {
    let at = (a ^ (a >>> 16) ^ (b >>> 7)) & (slots - 1);
    while (groups[at] !== 0 && (keysA[at] !== a || keysB[at] !== b)) at = (at + 1) & (slots - 1);
    return at;
  }
  function grow(): void {
    const [oldA, oldB, old] = [keysA, keysB, groups];
    slots *= 2;
    [keysA, keysB, groups] = [new Int32Array(slots), new Int32Array(slots), new Int32Array(slots)];
    for (let i = 0; i < old.length; i++) {
      if (old[i] === 0) continue;
      const at = place(oldA[i] as number, oldB[i] as number);
      [keysA[at], keysB[at], groups[at]] = [oldA[i] as number, oldB[i] as number, old[i] as number];
    }
  }
  /** Groups are stored one higher, because 0 marks a free slot. */
  function add(word: string, a: number, b: number): number {
    const hash = hashOf(word);
    let group = 0;
    if (hash !== undefined) {
      group = groupOf.get(hash) ?? texts.length;
      if (group === texts.length) {
        groupOf.set(hash, group);
        texts.push(String(hash));
        if (group >= counts.length) counts = resized(counts);
      }
    }
    if (2 * ++size > slots) grow();
    const at = place(a, b);
    [keysA[at], keysB[at], groups[at]] = [a, b, group + 1];
    return group;
  }
  function note(group: number): void {
    length++;
    if (group === 0) return;
    const n = counts[group] as number;
    if (n > 0) counts[group] = n + 1;
    else if (touched.length < most) {
      counts[group] = 1;
      touched.push(group);
    }
  }
  function groupAt(text: string, from: number, to: number, a: number, b: number): number {
    const held = groups[place(a, b)] as number;
    return held > 0 ? held - 1 : add(text.slice(from, to), a, b);
  }

  return {
    size: () => size,
    count(text) {
      let start = -1;
      let [a, b] = [0, 0];
      for (let i = 0; i < text.length; i++) {
        if (isOfWord(text, i)) {
          if (start < 0) [start, a, b] = [i, seedA, seedB];
          const unit = text.charCodeAt(i);
          a = Math.imul(a ^ unit, 0x9e3779b1);
          b = Math.imul(b ^ unit, 0x85ebca6b);
        } else if (start >= 0) {
          note(groupAt(text, start, i, a, b));
          start = -1;
        }
      }
      if (start >= 0) note(groupAt(text, start, text.length, a, b));
    },
    take() {
      const taken = { hashes: touched.map((group) => texts[group] as string), times: [] as number[], length };
      for (const group of touched) {
        taken.times.push(counts[group] as number);
        counts[group] = 0;
      }
      touched = [];
      length = 0;
      return taken;
    },
  };
}

function resized(old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * old.length);
  larger.set(old);
  return larger;
}
