// Text → token ids, like BERT's uncased WordPiece: lower case without accents, punctuation and CJK apart, then the longest known pieces.
// Runs over every entry at import, so it allocates nothing per character or word.

export interface WordPiece {
  /** The number of tokens in the vocabulary. */
  readonly size: number;
  /**
   * Writes the ids of the text's tokens and returns their number. Stops when `ids` is full. A word without pieces becomes `[UNK]`, or
   * nothing if the vocabulary lacks that.
   */
  tokenize(text: string, ids: Int32Array): number;
}

export interface WordPieceOptions {
  /** Splits a word that is not itself a token into its parts: `useAuthStore` into `use auth store`. BERT does not. */
  readonly splitHumps?: boolean;
}

const LETTER = 1;
const SPACE = 2;
const NOTHING = 3;
const ALONE = 4;
/** A longer word is a hash or a blob. BERT has the same limit. */
const MAX_WORD = 100;
const SLOTS = 1 << 17;
/** So many units of a word tell how long its next token can be. */
const PREFIX = 3;
const REACHES = 1 << 14;
const HASH = 35;
const NEWLINE = 10;

const classes = new Uint8Array(0x10000);
const lower = new Uint16Array(0x10000);

/** The class of a UTF-16 unit of decomposed text and its lower case, determined at its first use. */
function classOf(unit: number): number {
  const char = String.fromCharCode(unit);
  const small = char.toLowerCase();
  lower[unit] = small.length === 1 ? small.charCodeAt(0) : unit;
  let found = LETTER;
  if (unit === 9 || unit === 10 || unit === 13) found = SPACE;
  else if (/[\p{C}\p{Mn}\ufffd]/u.test(char)) found = NOTHING;
  else if (/\s/.test(char)) found = SPACE;
  else if (/[!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/u.test(char)) found = ALONE;
  // Unlike BERT: a picture attached to a word would make the word unknown.
  else if (unit > 0x7f && /\p{Extended_Pictographic}/u.test(char)) found = ALONE;
  classes[unit] = found;
  return found;
}

/** A hash table over the one string of the vocabulary: a Map of strings would cost more to build and to keep. */
interface Table {
  readonly vocabulary: string;
  readonly slots: Int32Array;
  /** Where each token begins and ends in the vocabulary, without the ## that marks those inside a word. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly isInner: Uint8Array;
  readonly size: number;
  /** The length of the longest token that begins like this, by the hash of its first three units; it may say too much, never too little. */
  readonly reach: Uint8Array;
  /** The token for unknown words; -1 if the vocabulary lacks it. */
  readonly unknown: number;
}

function readVocabulary(vocabulary: string): Table {
  const slots = new Int32Array(SLOTS).fill(-1);
  const starts = new Int32Array(SLOTS / 2);
  const ends = new Int32Array(SLOTS / 2);
  const isInner = new Uint8Array(SLOTS / 2);
  const reach = new Uint8Array(REACHES).fill(PREFIX - 1);
  let size = 0;
  let unknown = -1;
  for (let at = 0; at < vocabulary.length && size < starts.length; size++) {
    const within = vocabulary.charCodeAt(at) === HASH && vocabulary.charCodeAt(at + 1) === HASH;
    const start = within ? at + 2 : at;
    let hash = within ? 1 : 0;
    let prefix = 0;
    let unit = 0;
    for (at = start; at < vocabulary.length; at++) {
      unit = vocabulary.charCodeAt(at);
      if (unit === NEWLINE) break;
      hash = (Math.imul(hash, 0x01000193) ^ unit) | 0;
      if (at - start === PREFIX - 1) prefix = hash;
    }
    const place = reachOf(prefix);
    if (at - start > (reach[place] as number)) reach[place] = Math.min(at - start, MAX_WORD);
    starts[size] = start;
    ends[size] = at;
    isInner[size] = within ? 1 : 0;
    if (at - start === 5 && vocabulary.startsWith('[UNK]', start)) unknown = size;
    let slot = slotOf(hash);
    while (slots[slot] !== -1) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = size;
    at++;
  }
  return { vocabulary, slots, starts, ends, isInner, size, reach, unknown };
}

/** Finds the token that equals word[from, to); -1 if no token does. */
function finder({ vocabulary, slots, starts, ends, isInner }: Table, word: Uint16Array) {
  return function find(hash: number, from: number, to: number, within: number): number {
    for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const id = slots[slot] as number;
      if (id === -1) return -1;
      const start = starts[id] as number;
      if (isInner[id] !== within || (ends[id] as number) - start !== to - from) continue;
      let i = from;
      while (i < to && vocabulary.charCodeAt(start + i - from) === word[i]) i++;
      if (i === to) return id;
    }
  };
}

function hasHump(capital: Uint8Array, to: number): boolean {
  for (let at = 1; at < to; at++) if (isHump(capital, at, to)) return true;
  return false;
}

/** A capital after a small letter (`authStore`), or the last of several before one (`HTTPServer`). */
function isHump(capital: Uint8Array, at: number, to: number): boolean {
  return capital[at] === 1 && (capital[at - 1] === 0 || (at + 1 < to && capital[at + 1] === 0));
}

/** `vocabulary` has a token on each line. */
export function openWordPiece(vocabulary: string, options: WordPieceOptions = {}): WordPiece {
  const splitHumps = options.splitHumps ?? false;
  const table = readVocabulary(vocabulary);
  const { size, reach, unknown } = table;
  const word = new Uint16Array(MAX_WORD);
  const capital = new Uint8Array(MAX_WORD);
  const hashes = new Int32Array(MAX_WORD + 1);
  const find = finder(table, word);
  let length = 0;

  /** The pieces of word[from, to). Returns the new count of ids. One unknown piece removes the others. */
  function pieces(from: number, to: number, ids: Int32Array, count: number): number {
    const before = count;
    for (let start = from; start < to; ) {
      const within = start > from ? 1 : 0;
      let last = Math.min(to, start + PREFIX);
      let hash = within;
      for (let i = start; i < last; i++) {
        hash = (Math.imul(hash, 0x01000193) ^ (word[i] as number)) | 0;
        hashes[i + 1] = hash;
        if (i === start + PREFIX - 1) last = Math.min(to, start + (reach[reachOf(hash)] as number));
      }
      let end = last;
      let id = -1;
      for (; end > start; end--) {
        id = find(hashes[end] as number, start, end, within);
        if (id !== -1) break;
      }
      if (id === -1) return unknownWord(ids, before);
      if (count === ids.length) return count;
      ids[count++] = id;
      start = end;
    }
    return count;
  }

  function unknownWord(ids: Int32Array, count: number): number {
    if (unknown === -1 || count === ids.length) return count;
    ids[count] = unknown;
    return count + 1;
  }

  /** Ends the current word. */
  function flush(ids: Int32Array, count: number): number {
    const to = length;
    length = 0;
    if (to > MAX_WORD) return unknownWord(ids, count);
    if (!splitHumps || !hasHump(capital, to)) return pieces(0, to, ids, count);
    const before = count;
    let filled = pieces(0, to, ids, count);
    if (filled === before + 1 && ids[before] !== unknown) return filled;
    filled = before;
    for (let from = 0, at = 1; at <= to; at++)
      if (at === to || isHump(capital, at, to)) {
        filled = pieces(from, at, ids, filled);
        from = at;
      }
    return filled;
  }

  /** Ends the current word, and adds the first units of `word` as a token of their own. */
  function alone(units: number, first: number, second: number, ids: Int32Array, count: number): number {
    const filled = length > 0 ? flush(ids, count) : count;
    if (filled === ids.length) return filled;
    word[0] = first;
    word[1] = second;
    return pieces(0, units, ids, filled);
  }

  /** Adds a letter to the current word. Of a word that is too long, only the length counts. */
  function append(unit: number): void {
    if (length < MAX_WORD) {
      const small = lower[unit] as number;
      word[length] = small;
      capital[length] = small === unit ? 0 : 1;
    }
    length++;
  }

  function tokenize(text: string, ids: Int32Array): number {
    const plain = /[^\0-\x7f]/.test(text) ? text.normalize('NFD') : text;
    const units = plain.length;
    let count = 0;
    length = 0;
    for (let at = 0; at < units && count < ids.length; at++) {
      const unit = plain.charCodeAt(at);
      const kind = classes[unit] || classOf(unit);
      // Beyond the basic plane there are pictures and rare CJK: each stands alone.
      if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < units) count = alone(2, unit, plain.charCodeAt(++at), ids, count);
      else if (kind === LETTER) append(unit);
      else if (kind === ALONE) count = alone(1, lower[unit] as number, 0, ids, count);
      else if (kind === SPACE && length > 0) count = flush(ids, count);
    }
    if (length > 0 && count < ids.length) count = flush(ids, count);
    length = 0;
    return count;
  }

  return { size, tokenize };
}

const reachOf = (hash: number): number => (hash ^ (hash >>> 15)) & (REACHES - 1);

/** Spreads a hash over the table: its low bits alone would follow the last letter. */
const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1);
