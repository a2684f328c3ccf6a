// The part of a text that shows why it was found: a window around the densest cluster of matches.
import { stemmer } from 'stemmer';
import { splitName } from '../../store/search/index-text.ts';
import type { KeywordQuery } from '../../store/search/port.ts';
import { isUnspaced, spell, toHiragana } from '../../store/search/segment.ts';
import { fold, wordPattern } from '../question/words.ts';

const width = 160;
/** Matches beyond this many add nothing to a window of 160 characters. */
const maxMatches = 20_000;

interface Match {
  readonly start: number;
  readonly end: number;
  /** Which word of the query it is. Two different words side by side say more than one word twice. */
  readonly key: string;
}

/** Marks matches with « and ». Linear in the length of the text. */
export function snippet(stored: string, query: KeywordQuery): string {
  // Halfwidth kana are two characters where the index has one, so such a text is shown as it was indexed.
  const text = /[\uff61-\uff9f\u3099\u309a\u1100-\u11ff]/.test(stored) ? spell(stored) : stored;
  const matches = findMatches(text, query);
  const { from, to } = window(text, matches);
  let out = from > 0 ? '…' : '';
  let at = from;
  for (const group of joined(text, matches)) {
    if (group.start < from || group.end > to) continue;
    out += `${text.slice(at, group.start)}«${text.slice(group.start, group.end)}»`;
    at = group.end;
  }
  out += text.slice(at, to) + (to < text.length ? '…' : '');
  return out.replace(/\s+/g, ' ').trim();
}

/** The words of the text that match the query, each once, as first written. */
export function matchedWords(text: string, query: KeywordQuery): string[] {
  const words = new Map<string, string>();
  for (const { start, end, key } of findMatches(text, query))
    if (!words.has(key)) words.set(key, text.slice(start, end).toLowerCase());
  return [...words.values()];
}

function findMatches(text: string, query: KeywordQuery): Match[] {
  const { isWanted, inside } = readyFor(query);
  const matches: Match[] = [];
  for (const found of text.matchAll(wordPattern)) {
    const word = found[0];
    const start = found.index;
    if (inside && isUnspaced(word)) {
      for (const part of toHiragana(word).matchAll(inside))
        matches.push({ start: start + part.index, end: start + part.index + part[0].length, key: part[0] });
    } else if (word.length <= 80) {
      const key = isWanted(word);
      if (key !== undefined) matches.push({ start, end: start + word.length, key });
      else if (/[a-z0-9][A-Z]|[A-Z]{2}[a-z]/.test(word)) {
        const parts = [...partsOf(word)];
        const before = matches.length;
        const look = ({ text: part, at }: Part) => {
          const partKey = isWanted(part);
          if (partKey !== undefined) matches.push({ start: start + at, end: start + at + part.length, key: partKey });
        };
        parts.forEach(look);
        if (matches.length === before) pairsOf(parts).forEach(look);
      }
    }
    if (matches.length >= maxMatches) break;
  }
  return matches;
}

interface Ready {
  isWanted(word: string): string | undefined;
  readonly inside: RegExp | undefined;
}

const ready = new WeakMap<KeywordQuery, Ready>();

/** Made once per query: each of its hits is examined several times. */
function readyFor(query: KeywordQuery): Ready {
  let found = ready.get(query);
  if (found === undefined) {
    const compare = matcher(query);
    const known = new Map<string, string | undefined>();
    const isWanted = (word: string) => {
      let key = known.get(word);
      if (key === undefined && !known.has(word)) {
        key = compare(word);
        if (known.size < 50_000) known.set(word, key);
      }
      return key;
    };
    found = { isWanted, inside: wordsInside(query) };
    ready.set(query, found);
  }
  return found;
}

/** Which word of the query a word is, as the index would compare them. */
function matcher(query: KeywordQuery): (word: string) => string | undefined {
  const terms = [...query.terms, ...(query.variants ?? [])].flatMap((term) => [term, ...(term.parts ?? [])]);
  const wanted = new Set(
    [...terms.flatMap(({ words }) => words), ...query.phrases.flat()]
      .filter((word) => !isUnspaced(word))
      .map((word) => stemmer(fold(word))),
  );
  const beginnings = terms
    .filter(({ words, prefix }) => prefix && !isUnspaced(words.at(-1) as string))
    .map(({ words }) => stemmer(fold(words.at(-1) as string)));
  const initials = new Set([...wanted].map((stem) => stem[0]));
  return (word) => {
    const folded = fold(word);
    // Stemming changes only endings, so a different first letter cannot match, and most words need no stemming.
    if (!initials.has(folded[0])) return undefined;
    const stem = stemmer(folded);
    return wanted.has(stem) ? stem : beginnings.find((beginning) => stem.startsWith(beginning));
  };
}

/** For scripts without spaces: the query's words, wherever they stand in a run. */
function wordsInside(query: KeywordQuery): RegExp | undefined {
  const words = [...query.terms, ...(query.variants ?? [])].flatMap((term) => term.words);
  const unspaced = new Set([...words, ...query.phrases.flat()].filter(isUnspaced));
  return unspaced.size > 0 ? anyOf(unspaced) : undefined;
}

interface Part {
  readonly text: string;
  readonly at: number;
}

/** Two adjacent parts as one, as the index has them. */
const pairsOf = (parts: readonly Part[]): Part[] =>
  parts.slice(1).map(({ text }, i) => ({ text: `${parts[i]?.text}${text}`, at: parts[i]?.at as number }));

function* partsOf(name: string): Generator<Part> {
  let at = 0;
  for (const text of splitName(name)) {
    at = name.indexOf(text, at);
    yield { text, at };
    at += text.length;
  }
}

function anyOf(words: ReadonlySet<string>): RegExp {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.join('|'), 'giu');
}

/** A sliding window over the matches: each match enters and leaves the count once. */
function window(text: string, matches: readonly Match[]): { from: number; to: number } {
  const inside = new Map<string, number>();
  let best = { score: 0, first: 0, last: 0 };
  let neighbours = 0;
  const touches = (index: number) => {
    const [before, after] = [matches[index - 1] as Match, matches[index] as Match];
    return after.key !== before.key && after.start - before.end <= 2;
  };
  for (let last = 0, first = 0; last < matches.length; last++) {
    const { key, end } = matches[last] as Match;
    inside.set(key, (inside.get(key) ?? 0) + 1);
    if (last > first && touches(last)) neighbours++;
    while (first < last && end - (matches[first] as Match).start > width - 20) {
      const leaving = (matches[first] as Match).key;
      const left = (inside.get(leaving) as number) - 1;
      if (left === 0) inside.delete(leaving);
      else inside.set(leaving, left);
      first++;
      if (touches(first)) neighbours--;
    }
    const score = inside.size * 100 + neighbours * 10 + Math.min(9, last - first);
    if (score > best.score) best = { score, first, last };
  }
  const start = matches[best.first]?.start ?? 0;
  const end = matches[best.last]?.end ?? 0;
  const room = Math.max(0, width - (end - start));
  let from = Math.max(0, start - Math.floor(room / 2));
  const to = Math.min(text.length, Math.max(end, from + width));
  from = Math.max(0, Math.min(from, to - width));
  return { from: tidy(text, from, Math.min(start, from + 20)), to: tidy(text, to, Math.max(end, to - 20)) };
}

/** Moves a cut to a space if one is near, and never into a surrogate pair. */
function tidy(text: string, cut: number, limit: number): number {
  if (cut <= 0 || cut >= text.length) return cut;
  const step = limit >= cut ? 1 : -1;
  for (let at = cut; at !== limit; at += step) if (/\s/.test(text[at] as string)) return at;
  const before = text.charCodeAt(cut - 1);
  return before >= 0xd800 && before <= 0xdbff ? cut - 1 : cut;
}

/** Matches that only punctuation separates (`src/auth.ts:42`) are marked as one. */
function joined(text: string, matches: readonly Match[]): { start: number; end: number }[] {
  const groups: { start: number; end: number }[] = [];
  for (const { start, end } of matches) {
    const last = groups[groups.length - 1];
    if (last && start - last.end <= 2 && !/\s/.test(text.slice(last.end, start))) last.end = end;
    else groups.push({ start, end });
  }
  return groups;
}
