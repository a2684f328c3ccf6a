import { useEffect } from 'preact/hooks';

/** What the tab, the history and a screen reader call this page; known late, the page's kind stands there until then. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    if (text !== undefined) document.title = `${text} · Holdfast`;
  }, [text]);
}
