// The line of a fact on a page: how it is written, and how it is read again.
import type { Statement, TargetMemory } from '../../store/memory/port.ts';
import { keyedTarget } from './place.ts';
import { sourceMark } from './said-by.ts';

/** Keys that only distinguish statements. Readers do not need them. */
const unsaidKey = /^(?:doc|decision|preference|choice|rule|commit|change|place|name|unfit): /;

/** `- **package manager:** pnpm` */
export function factLine({ key, text, tags, saidBy }: Pick<Statement, 'key' | 'text' | 'tags' | 'saidBy'>): string {
  const marks = sourceMark(saidBy) + tags.map((tag) => ` #${tag}`).join('');
  return key === '' || unsaidKey.test(key)
    ? `- ${flat(text)}${marks}`
    : `- **${flat(key).replaceAll('*', '')}:** ${flat(text)}${marks}`;
}

/**
 * The key and the words of a fact, from its text in the index, which is its line without Markdown. The key is the one
 * that the target names. After a merge the target may name another key; then the key ends at the first colon.
 */
export function factIn({ text, target, saidBy }: Pick<TargetMemory, 'text' | 'target' | 'saidBy'>): {
  readonly key: string;
  readonly text: string;
} {
  const bare = withoutMark(text, sourceMark(saidBy));
  const ends = [...bare.slice(0, longestKey + 2).matchAll(/: /g)].map(({ index }) => index);
  const end =
    ends.find((one) => keyedTarget(bare.slice(0, one)) === target) ??
    ends.find((one) => one > 0 && !/[.!?`]/.test(bare.slice(0, one)));
  return end === undefined ? { key: '', text: bare } : { key: bare.slice(0, end), text: bare.slice(end + 2) };
}

const longestKey = 80;

/** Tags may follow the mark. */
function withoutMark(text: string, mark: string): string {
  const at = mark === '' ? -1 : text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + mark.length);
}

/** The key in the line of a fact, if it has one. */
export const keyInLine = (line: string): string | undefined => /^ ?[-*+] +\*\*(.+?):?\*\*/.exec(line)?.[1];

/** Removes control characters, except tabs and line breaks, and marks that reverse the direction of text. */
export const visible = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/(?!\n|\t)[\p{Cc}\p{Bidi_Control}]/gu, '');

export const flat = (text: string): string => visible(text).replace(/\s+/g, ' ').trim();
