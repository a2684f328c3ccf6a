import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { highlighted } from '../highlighter.ts';
import { toFragment } from '../markdown.ts';
import { sessionAddress } from '../router.ts';

/** A page of memory. The sessions that its parts come from are links. */
export function MemoryMarkdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    for (const origin of place.current?.querySelectorAll('em') ?? []) linkSession(origin);
  }, [text]);
  return (
    <div ref={place}>
      <Markdown text={text} />
    </div>
  );
}

/** `courier · session 0250d3ae`, as Holdfast writes it below each part of a page. */
function linkSession(origin: HTMLElement): void {
  const [, before = '', session] = /^(.* · )?session (\S+)$/.exec(origin.textContent ?? '') ?? [];
  if (session === undefined) return;
  const link = document.createElement('a');
  link.href = sessionAddress(session);
  link.textContent = `session ${session}`;
  origin.replaceChildren(before, link);
}

/** Text of a transcript or a page as Markdown, without active content. `lines`: keeps line breaks, as in typed text. */
export function Markdown({ text, lines = false }: { text: string; lines?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(toFragment(text, { lines })), [text, lines]);
  useEffect(() => {
    for (const code of place.current?.querySelectorAll<HTMLElement>('pre > code[class^=language-]') ?? [])
      void colour(code);
  }, [text, lines]);
  return <div class="markdown" ref={place} />;
}

async function colour(code: HTMLElement): Promise<void> {
  const language = /^language-([\w#+-]+)/.exec(code.className)?.[1] ?? '';
  const lines = await highlighted(code.textContent ?? '', language.toLowerCase());
  if (lines === undefined) return;
  code.replaceChildren(
    ...lines.flatMap((line, i) => [
      ...(i === 0 ? [] : ['\n']),
      ...line.map(({ kind, text }) => {
        if (kind === '') return text;
        const piece = document.createElement('span');
        piece.className = `hl-${kind}`;
        piece.textContent = text;
        return piece;
      }),
    ]),
  );
}
