import type { ComponentChildren } from 'preact';

/** A snippet of recall: what stands between « and » matched, what stands between backticks is code. */
export function Snippet({ text }: { text: string }) {
  return (
    <span class="snippet">
      {(text.replace(usedTools, '').trim() || text)
        .split(/(`[^`]+`)/)
        .map((part, i) =>
          i % 2 === 1 && isWhole(part) ? <code key={i}>{marked(part.slice(1, -1))}</code> : marked(part),
        )}
    </span>
  );
}

/** What stands in the store for tools, behind the words that an answer has. */
const usedTools = /\s*\[Used tools: [^\]]*\]/g;

/** Whether no match goes on beyond it. */
const isWhole = (part: string): boolean => /^[^«»]*(?:«[^«»]*»[^«»]*)*$/.test(part);

const marked = (text: string): ComponentChildren =>
  text
    .split(/(«[^»]*»)/)
    .map((part, i) => (part.startsWith('«') && part.endsWith('»') ? <mark key={i}>{part.slice(1, -1)}</mark> : part));
