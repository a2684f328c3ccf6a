// Text of a transcript → prose that fits in a line: sentences without markup, cut where a sentence ends.
import { withoutSequences } from '../schema/plain-text.ts';
import type { ToolUse } from '../schema/tool-use.ts';

export interface Sentence {
  readonly text: string;
  /** The Markdown heading above it. */
  readonly heading: string;
}

/** Of a longer text only the two ends are read. */
const ends = 8000;

/** The sentences of a text, without code, tables, rules and markup. List items are separate sentences. */
export function sentencesOf(text: string): Sentence[] {
  const whole = text.length <= 2 * ends ? text : `${text.slice(0, ends)}\n\n${text.slice(-ends)}`;
  const found: Sentence[] = [];
  let heading = '';
  let paragraph = '';
  let fenced = false;
  const flush = () => {
    for (const sentence of split(withoutMarks(paragraph)))
      if (isTelling(sentence)) found.push({ text: sentence, heading });
    paragraph = '';
  };
  for (const raw of whole.split('\n')) {
    // Some clients end a typed line with a backslash.
    const line = raw.replace(/\\$/, '').trim();
    if (/^(```|~~~)/.test(line)) {
      flush();
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    const title = /^#{1,6}\s+(.*)$/.exec(line)?.[1] ?? /^\*\*([^*]+?):?\*\*:?$/.exec(line)?.[1];
    const item = /^(?:[-*•+]|\d{1,3}[.)]|\p{Extended_Pictographic}\u{fe0f}?)\s+(?:\[[ xX]\]\s+)?(.*)$/u.exec(line)?.[1];
    if (title !== undefined) {
      flush();
      heading = withoutMarks(title);
    } else if (item !== undefined) {
      flush();
      paragraph = item;
    } else if (line === '' || isNoProse(line)) flush();
    else {
      paragraph = paragraph === '' ? line : `${paragraph} ${line}`;
      // Two blanks at the end break a line in Markdown.
      if (/ {2}$/.test(raw)) flush();
    }
  }
  flush();
  return found;
}

const isNoProse = (line: string): boolean => /^\|.*\|$/.test(line) || /^[-=_*~#╭╰│┃─\s]{3,}$/.test(line);

const isTelling = (sentence: string): boolean => /[\p{L}\p{N}]{2}/u.test(sentence);

/** Names of tags that would end or imitate a frame around the text. */
const frames = /<\s{0,20}\/?\s{0,20}(?:holdfast-[a-z]+|system-reminder|private)\b[^<>]{0,1000}>/gi;

/**
 * Removes everything that could end the frame around the text, or move a cursor. A removal leaves a gap, because its ends might form a new
 * tag.
 */
export const unframed = (text: string): string =>
  withoutSequences(text)
    .replace(frames, ' ')
    .replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, ' ');

export const inOneLine = (text: string): string => unframed(text).replace(/\s+/g, ' ').trim();

function withoutMarks(text: string): string {
  return (
    inOneLine(text)
      .replace(/\[(?:Image|Screenshot) #?\d+\]/g, '')
      .replace(/!?\[([^\]]{1,200})\]\([^)]{0,400}\)/g, '$1')
      .replace(/(?<![/\w`])\*\*|\*\*(?![/\w`])/g, '')
      // Stars in code are no emphasis.
      .replace(
        /`[^`\n]*`|(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]{1,200})(?<=\S)\*(?![\p{L}\p{N}*])/gu,
        (whole, inner: string | undefined) => inner ?? whole,
      )
      .replace(/(?:\p{Extended_Pictographic}\u{fe0f}?\u{200d}?)+\s?/gu, '')
      .replace(/[-=_]{5,}/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

const split = (text: string): string[] =>
  text
    .split(/(?<=[.!?…][)"'”’`\]]{0,2})\s+(?=[("'“‘`[]{0,2}[\p{Lu}\p{N}])|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const filler =
  /^(?:perfect|excellent|great|never mind|you'?re welcome|hi|hey|hello|oh|wait|awesome|wonderful|done|nice|sure|ok(?:ay)?|absolutely|certainly|understood|got it|you'?re (?:absolutely )?right|good (?:idea|point|catch|question)|thanks?(?: you)?)\b[^.!?:]{0,30}[.!]$/i;
const leadIn =
  /(?:^(?:here'?s|here is|let me|summary|in summary|i'll|now let)\b.*:$)|(?:\b(?:summary|what (?:i|was) (?:did|changed|done))\b.*:$)|^(?:summary|overview)\W*$/i;

/** The beginning of a text, in at most `max` characters: whole sentences, or the start of a long one. */
export function gist(text: string, max: number): string {
  return joinSentences(
    sentencesOf(text).map((sentence) => sentence.text),
    max,
  );
}

/** A gist that stands in a list by itself: without a full stop that the text does not have. */
export function line(text: string, max: number): string {
  const said = gist(text, max);
  return said.endsWith('.') && !inOneLine(text).includes(said.slice(-8)) ? said.slice(0, -1) : said;
}

export function joinSentences(all: readonly string[], max: number): string {
  const telling = all.filter((sentence) => !filler.test(sentence) && !leadIn.test(sentence));
  let out = '';
  for (const sentence of telling.length > 0 ? telling : all) {
    const ended = /[.!?…:;。！？]["'”’)\]`]*$/.test(sentence) ? sentence : `${sentence}.`;
    const next = out === '' ? ended : out + (/[。！？]$/.test(out) ? '' : ' ') + ended;
    // If the line would say next to nothing, add the beginning of the next sentence.
    if (next.length > max) return out.length > max / 3 ? out : cut(next, max);
    out = next;
  }
  return out;
}

/** The beginning of a line, cut between words. */
export function cut(text: string, max: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= max) return flat;
  const head = flat.slice(0, max - 1);
  const space = flat[max - 1] === ' ' ? head.length : head.lastIndexOf(' ');
  const kept = space > max / 2 ? head.slice(0, space) : head.replace(/[\ud800-\udbff]$/, '');
  return `${kept.replace(/[\s,;:.–-]+$/, '')}…`;
}

/** What a tool was used for: the command, the file, or the search. */
export function toolGist({ tool, input, files }: Pick<ToolUse, 'tool' | 'input' | 'files'>, max: number): string {
  const said =
    commandLine(input) ??
    files[0] ??
    inputField(input, 'pattern') ??
    inputField(input, 'query') ??
    inputField(input, 'url') ??
    inputField(input, 'description');
  return said === undefined ? tool : `${tool} ${cut(inOneLine(said), Math.max(10, max - tool.length - 1))}`;
}

/** A field of an input that may have been cut, so that it is no longer valid JSON. */
export function inputField(input: string, name: string, most = 400): string | undefined {
  const found = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.){1,${most}})`).exec(input)?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(`${found}"`) as string;
  } catch {
    // Cut in the middle of an escape.
    return found.slice(1).replaceAll('\\n', ' ');
  }
}

/** The command line in a tool's input. Some agents pass a list of words, with the line after `-c`, or a list of lines. */
export const commandLine = (input: string, most = 400): string | undefined =>
  inputField(input, 'command', most) ?? inputField(input, 'cmd', most) ?? commandWords(input) ?? listedLines(input);

function commandWords(input: string): string | undefined {
  const list = textsIn(input, /"command":\[((?:"(?:[^"\\]|\\.)*",?){1,8})\]/);
  const shellLine = list?.findIndex((word) => /^-l?c$/.test(word)) ?? -1;
  return shellLine >= 0 ? list?.[shellLine + 1] : list?.join(' ');
}

const listedLines = (input: string): string | undefined =>
  textsIn(input, /"commands":\[((?:"(?:[^"\\]|\\.)*",?){1,50})\]/)?.join('\n');

function textsIn(input: string, list: RegExp): string[] | undefined {
  const words = list.exec(input)?.[1];
  if (words === undefined) return undefined;
  try {
    return JSON.parse(`[${words}]`) as string[];
  } catch {
    // The stored input was cut in the middle of a word.
    return undefined;
  }
}
