// Highlights words as they come into sight, without changing the document. Browsers without this feature show only the entry's frame.
import { useEffect } from 'preact/hooks';

const name = 'found';
/** More than fit on a screen. */
const most = 500;

export function useMarked(words: string): void {
  useEffect(() => {
    if (words === '' || typeof Highlight === 'undefined') return;
    const mark = () => CSS.highlights.set(name, new Highlight(...rangesOf(words.toLowerCase())));
    let waiting = 0;
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(mark);
    });
    const column = document.querySelector('.transcript-column');
    if (column !== null) observer.observe(column, { childList: true, subtree: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(waiting);
      CSS.highlights.delete(name);
    };
  }, [words]);
}

function rangesOf(words: string): Range[] {
  const found: Range[] = [];
  const column = document.querySelector('.transcript-column');
  if (column === null) return found;
  const texts = document.createTreeWalker(column, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && found.length < most; node = texts.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(words); at >= 0 && found.length < most; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      // Lower case can be longer than the original text. The range would then end outside the node.
      if (at + words.length > (node.nodeValue ?? '').length) break;
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      found.push(range);
    }
  }
  return found;
}
