import { useLayoutEffect, useRef } from 'preact/hooks';
import { toFragment } from '../markdown.ts';

/** Text of a transcript or a page as Markdown, with nothing in it that could act. `lines`: as a person types, each line is one. */
export function Markdown({ text, lines = false }: { text: string; lines?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(toFragment(text, { lines })), [text, lines]);
  return <div class="markdown" ref={place} />;
}
