// Names from people and models → file names. Keys that mean the same → one key.
import { createHash } from 'node:crypto';
import { stemmer } from 'stemmer';

/** Bytes of a file name. Systems allow 255, but encrypted folders allow fewer. */
const longest = 80;
/** Windows treats these names as devices, with any extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/;

export const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

/** The common form of all spellings of a name: `Foo Bar`, `foo-bar` and `FOO_BAR` are the same. */
const spelling = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFC')
    .trim()
    .replace(/[\s_-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

/**
 * A file name for any text, always the same one. If characters had to be dropped or cut, it ends with a hash of the whole text, so
 * that two names never share a file.
 */
export function nameSlug(name: string): string {
  const whole = spelling(name);
  const kept = whole
    .replace(/[^\p{L}\p{N}\p{M}.-]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  const short = cut(kept);
  if (short === whole && short !== '' && !reserved.test(short)) return short;
  return `${short === '' ? 'page' : short}-${hash(whole).slice(0, 8)}`;
}

/** A title as part of a file name. Two titles may give the same one. */
export function titleSlug(title: string): string {
  const words = spelling(title)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const short = cut(words, 60);
  // Do not end in the middle of a word, unless the text has only one.
  const whole = short === words || words[short.length] === '-' ? short : short.replace(/(?<=.{20})-[^-]*$/u, '');
  return whole === '' ? hash(title).slice(0, 8) : whole;
}

/** Cuts between whole characters, never between a letter and its combining marks. */
function cut(text: string, most = longest): string {
  if (Buffer.byteLength(text) <= most) return text;
  let short = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(short + segment) > most - 9) break;
    short += segment;
  }
  return short.replace(/[.-]+$/, '');
}

const filler = new Set(
  'the a an our my your their its this that these those current currently used use uses using of for in on to is are was be which we i it'.split(
    ' ',
  ),
);

/** At the end of a key these words say only that something is in use: "the package manager that we use". */
const inUse = new Set('current currently used use uses using is are was be'.split(' '));

/** `package manager`, `Package managers` and `the package manager used` give one key. `key a` and `key i` give two, and so do `sign in` and `sign on`. */
export function keyOf(key: string): string {
  const words =
    key
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const last = words.findLastIndex((word) => !filler.has(word));
  const isTold = words.slice(last + 1).some((word) => inUse.has(word));
  const telling = words.filter((word, i) => {
    if (!filler.has(word)) return true;
    // After the last telling word, a short word is a label or a part of the verb.
    if (i > last) return !isTold || last < 0;
    return word.length === 1 && isLabel(words, i);
  });
  const stems = telling.map((word) => (/^[a-z]+$/.test(word) ? stemmer(word) : word));
  return stems.length > 0 ? stems.join(' ') : hash(key).slice(0, 12);
}

/** In `option a of the plan` the letter names an option; in `write a test` it is an article. */
const isLabel = (words: readonly string[], i: number): boolean => {
  const [before = '', after = ''] = [words[i - 1], words[i + 1]];
  return i > 0 && !filler.has(before) && filler.has(after) && !inUse.has(after);
};

/** Whether two texts are equal except for spaces, case and final full stops. */
export const sameText = (a: string, b: string): boolean => plain(a) === plain(b);

/** Matches only at the beginning of a run. Otherwise each character of a long run in the middle would scan the rest of the run. */
const endingSigns = /(?<![.!])[.!]+$/;

export const plain = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().replace(endingSigns, '');
