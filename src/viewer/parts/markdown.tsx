import { useLayoutEffect, useRef } from 'preact/hooks';
import { toFragment } from '../markdown.ts';

/** Text of a transcript or a page as Markdown, with nothing in it that could act. */
export function Markdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(toFragment(text)), [text]);
  return <div class="markdown" ref={place} />;
}
