// The list of keyboard shortcuts. `?` shows it.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isTyping } from '../in-sight.ts';
import { Dialog } from './dialog.tsx';

const keys = [
  ['/', 'Search everything'],
  ['Ctrl K', 'Go to a page, project or session, or run an action'],
  ['j  k', 'In a session: next prompt, previous prompt'],
  ['Ctrl F', 'In a session: find; Enter for the next match, Shift Enter for the previous one'],
  ['↑  ↓  Enter', 'In search: choose a hit, open it'],
  ['Esc', 'Clear a search, close a dialog'],
  ['?', 'Show this list'],
] as const;

const isOpen = signal(false);
const close = () => {
  isOpen.value = false;
};
export const showKeys = () => {
  isOpen.value = true;
};

export function Keys() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      showKeys();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
