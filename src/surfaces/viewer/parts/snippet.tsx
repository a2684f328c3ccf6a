import type { ComponentChildren } from 'preact';
import { codeParts } from '../code-parts.ts';

/** A snippet of a hit. Text between « and » matched, text between backticks is code. Marks of emphasis are not shown. */
export function Snippet({ text }: { text: string }) {
  return (
    <span class="snippet">
      {codeParts(text).map(({ text: part, isCode }, i) =>
        isCode && isWhole(part) ? <code key={i}>{marked(part)}</code> : marked(isCode ? `\`${part}\`` : plain(part)),
      )}
    </span>
  );
}

const plain = (text: string): string => text.replace(/\*\*(\S(?:[^*]*\S)?)\*\*/g, '$1');

/** Whether no match crosses the ends of this part. */
const isWhole = (part: string): boolean => /^[^«»]*(?:«[^«»]*»[^«»]*)*$/.test(part);

const marked = (text: string): ComponentChildren =>
  text
    .split(/(«[^»]*»)/)
    .map((part, i) => (part.startsWith('«') && part.endsWith('»') ? <mark key={i}>{part.slice(1, -1)}</mark> : part));
