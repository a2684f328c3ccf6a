import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Copies a text, and confirms it on screen and to screen readers. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // The browser may refuse, for example if the page has no focus.
      setSaid('The browser does not let this page copy');
    }
    setTimeout(() => setSaid(''), 2000);
  };
  return (
    <button type="button" class="copy quiet" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name="copy" />
      <span class="copied" role="status">
        {said}
      </span>
    </button>
  );
}
