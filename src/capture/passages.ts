// Passages between two tags, `<private>…</private>` and our own tags: finds them in any spelling of the tags.
import { hidesWords, plainView } from './redaction/secrets/plain-view.ts';
import type { Span } from './redaction/secrets/span.ts';

export interface Tags {
  readonly names: RegExp;
  readonly name: string;
  /** A quick test whether a text may contain such a tag. It may say yes wrongly, never no. */
  readonly may: RegExp;
}

/** Letters of other scripts that look like Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'а\u03b1ɑᴀ',
  b: 'ЬвʙƄ',
  c: 'сϲᴄⅽ',
  d: 'ԁⅾᴅ',
  e: 'еєεҽᴇ',
  g: 'ɡɢ',
  h: 'һհʜ',
  i: 'іιıɪⅰӏ',
  l: 'ӏⅼʟǀ',
  n: 'ոɴ',
  o: 'оοօᴏ',
  p: 'рρᴘ',
  r: 'гᴦʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  v: 'νѵᴠⅴ',
};

const spelled = (name: string): string =>
  name.replace(/[a-z]/g, (letter) => (lookAlikes[letter] === undefined ? letter : `[${letter}${lookAlikes[letter]}]`));

/** The start of an opening or closing tag, in upper or lower case, with blanks allowed inside. */
export const tagsNamed = (name: string): Tags => ({
  name,
  names: new RegExp(`<\\s{0,20}(/?)\\s{0,20}(?:${spelled(name)})(?![\\w:.-])`, 'gi'),
  may: new RegExp(spelled(name), 'i'),
});

/** Attributes longer than this make it something other than a tag. */
const longestTag = 200_000;

/**
 * Nested passages count as one. An unclosed passage extends to the end of the text. A closing tag alone is a passage of its own.
 * Also finds tags that are written with entities or escapes, or that contain invisible characters.
 */
export function findPassages(text: string, tags: Tags): Span[] {
  if (!hidesWords(text)) return text.includes('<') && tags.may.test(text) ? passagesOf(text, tags) : [];
  const view = plainView(text);
  if (!tags.may.test(view.text)) return [];
  return passagesOf(view.text, tags).map(({ from, to, name }) => ({
    from: view.begin(from),
    to: to === view.text.length ? text.length : view.end(to),
    name,
  }));
}

function passagesOf(text: string, { names, name }: Tags): Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let from = 0;
  let next = 0;
  const all = [...text.matchAll(names)];
  const lastClosing = all.findLast((tag) => tag[1] !== '')?.index ?? -1;
  for (const tag of all) {
    if (tag.index < next) continue;
    const nameEnd = tag.index + tag[0].length;
    const end = endOfTag(text, nameEnd);
    // A tag without its `>`, or with too long attributes: what lies before the last closing tag is meant to be hidden.
    if (end < 0 && (tag[1] !== '' || nameEnd > lastClosing)) continue;
    next = end < 0 ? nameEnd : end;
    if (tag[1] === '') {
      if (depth === 0) from = tag.index;
      depth++;
    } else if (depth === 0) {
      spans.push({ from: tag.index, to: end, name });
    } else if (--depth === 0) {
      spans.push({ from, to: end, name });
    }
  }
  if (depth > 0) spans.push({ from, to: text.length, name });
  return spans;
}

/** Index after the `>` of a tag whose name ends at `at`; a `>` inside quotation marks does not count. -1: not a tag. */
function endOfTag(text: string, at: number): number {
  let quote = 0;
  const limit = Math.min(text.length, at + longestTag);
  for (let i = at; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 62) return i + 1;
    else if (code === 60) return -1;
    // A quotation mark counts only after `=`: an apostrophe in a bare word does not open a quotation.
    else if ((code === 34 || code === 39) && text.charCodeAt(i - 1) === 61) quote = code;
  }
  if (quote === 0) return -1;
  // The quotation mark was never closed: the next `>` ends the tag.
  const end = text.indexOf('>', at);
  return end < 0 || end > limit ? -1 : end + 1;
}

/** The text without the spans. */
export function without(text: string, spans: readonly { readonly from: number; readonly to: number }[]): string {
  if (spans.length === 0) return text;
  let kept = '';
  let from = 0;
  for (const span of spans) {
    kept += text.slice(from, span.from);
    from = span.to;
  }
  return kept + text.slice(from);
}

/** For texts that follow each other, such as the blocks of a prompt: a passage may begin in one and end in another. */
export function withoutPassagesAcross(texts: readonly string[], tags: Tags): string[] {
  const between = '\n';
  const spans = findPassages(texts.join(between), tags);
  let begin = 0;
  return texts.map((text) => {
    const start = begin;
    begin += text.length + between.length;
    const inside = spans
      .map(({ from, to }) => ({ from: Math.max(0, from - start), to: Math.min(text.length, to - start) }))
      .filter(({ from, to }) => from < to);
    return without(text, inside);
  });
}
