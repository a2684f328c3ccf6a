// Names that people and models gave → names of files, and keys that mean the same → one key.
import { createHash } from 'node:crypto';
import { stemmer } from 'stemmer';

/** Bytes of a file's name that are ours to use; systems allow 255, and what encrypts folders takes its share. */
const longest = 80;
/** Windows knows these as devices, with any ending. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/;

export const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

/** What two spellings of one name have in common: `Foo Bar`, `foo-bar` and `FOO_BAR` are one. */
const spelling = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFC')
    .trim()
    .replace(/[\s_-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

/**
 * A file's name for any text, the same one every time. Where letters had to be left out or cut away, the end is a print of the
 * whole, so that two names never share a file.
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

/** Words of a title for a file's name; nobody asks that two titles differ. */
export function titleSlug(title: string): string {
  const words = spelling(title)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const short = cut(words, 60);
  // Not in the middle of a word, where there are words.
  const whole = short === words || words[short.length] === '-' ? short : short.replace(/(?<=.{20})-[^-]*$/u, '');
  return whole === '' ? hash(title).slice(0, 8) : whole;
}

/** At a whole character, and not in the middle of what combines with it. */
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

/** After these, a word at the end says only that something is in use: "the package manager that we use". */
const inUse = new Set('current currently used use uses using is are was be'.split(' '));

/** `package manager`, `Package managers` and `the package manager used` are one key; `key a` and `key i`, `sign in` and `sign on` are two each. */
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
    // Behind the last telling word, a short word is a label or a part of the verb.
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

/** Two texts that say the same but for spaces, case and the last full stop. */
export const sameText = (a: string, b: string): boolean => plain(a) === plain(b);

/** Looked for where a run of them begins: else each sign of a long run, which is not at the end, would look over the rest of it. */
const endingSigns = /(?<![.!])[.!]+$/;

export const plain = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().replace(endingSigns, '');
