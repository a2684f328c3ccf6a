import type { ComponentChildren } from 'preact';

/** A snippet of a hit. Text between « and » matched, text between backticks is code. Marks of emphasis are not shown. */
export function Snippet({ text }: { text: string }) {
  return (
    <span class="snippet">
      {text
        .split(/(`[^`]+`)/)
        .map((part, i) =>
          i % 2 === 1 && isWhole(part) ? <code key={i}>{marked(part.slice(1, -1))}</code> : marked(plain(part)),
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
