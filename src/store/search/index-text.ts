// Text → index text: separated words, then the parts of names such as `useAuthStore`.
import { segment } from './segment.ts';

/** Increase it when the same text gives a different index text; older texts are then indexed again. */
export const indexVersion = 3;

/** A word that never occurs: it keeps phrases from matching across the end of the text into the parts. */
const barrier = '\ue000';

/** The words that find a text. Contract: never throws; linear in the length of the text. */
export function indexText(text: string): string {
  const words = segment(text);
  const parts = compoundParts(words);
  return parts === '' ? words : `${words} ${barrier} ${parts}`;
}

/** The words that find an entry: those of its text, and the names of the tools that it used. */
export function entryIndexText(text: string, tools: readonly string[]): string {
  return indexText([text, tools.join(', ')].filter((part) => part !== '').join('\n'));
}

/**
 * Where a new word starts within a name (`useAuth`, `HTTPServer`), and
 * versions (`v1.2`), which people search without the v.
 */
const seams = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|\b[vV]\d+\.\d/g;

/**
 * The parts of all compound names, each name once. They follow the text,
 * so phrases stay intact and lengths nearly the same.
 */
function compoundParts(text: string): string {
  let parts: Set<string> | undefined;
  seams.lastIndex = 0;
  for (let seam = seams.exec(text); seam !== null; seam = seams.exec(text)) {
    let start = seam.index;
    while (start > 0 && isWordUnit(text.charCodeAt(start - 1))) start--;
    let end = seam.index + 1;
    while (end < text.length && isWordUnit(text.charCodeAt(end))) end++;
    const version = /^[vV](\d+)$/.exec(text.slice(start, end))?.[1];
    if (version !== undefined) {
      const rest = /^(?:\.\d+)+/.exec(text.slice(end, end + 40))?.[0] ?? '';
      parts = (parts ?? new Set()).add(version + rest);
    } else {
      const words = end - start <= longestName ? splitName(text.slice(start, end)) : [];
      if (words.length > 1) parts = (parts ?? new Set()).add(words.join(' '));
      // People search for `authstore` too. A name of two parts is already the pair.
      for (let i = 1; i < words.length && words.length > 2; i++) parts?.add(`${words[i - 1]}${words[i]}`);
    }
    seams.lastIndex = Math.max(end, seam.index + 1);
  }
  return parts === undefined ? '' : [...parts].join(' ');
}

const longestName = 80;
const mostParts = 8;
/** `APIs` is one word; the acronym of `HTTPServer` ends before its last capital. */
const nameParts = /\p{Lu}+s?(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+/gu;

/** The words of a compound name. At most one for other words, and none for noise (`aB3dE9`, Base64). */
export function splitName(word: string): string[] {
  const parts = word.match(nameParts) ?? [];
  return parts.length > mostParts || word.length < 2 * parts.length ? [] : parts;
}

/** Digits, and letters of the scripts that have capitals. */
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) ||
  (unit >= 65 && unit <= 90) ||
  (unit >= 48 && unit <= 57) ||
  (unit >= 0xc0 && unit <= 0x52f);
