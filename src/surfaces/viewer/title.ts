import { useEffect } from 'preact/hooks';

/** Sets the title for the tab, the history and screen readers. Until the text is known, the title names the kind of page. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    if (text !== undefined) document.title = `${text} · Holdfast`;
  }, [text]);
}
