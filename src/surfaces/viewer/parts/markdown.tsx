import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { highlighted } from '../highlighter.ts';
import { toFragment } from '../markdown.ts';

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
