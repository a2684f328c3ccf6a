// Which keys do what. `?` shows it.
import { useEffect, useState } from 'preact/hooks';
import { isTyping } from '../in-sight.ts';
import { Dialog } from './dialog.tsx';

const keys = [
  ['/', 'Search everything'],
  ['Ctrl K', 'Search everything, from anywhere'],
  ['j  k', 'In a session: next prompt, prompt before'],
  ['Ctrl F', 'In a session: find; Enter goes on, Shift Enter back'],
  ['↑  ↓  Enter', 'In search: choose a hit, open it'],
  ['Esc', 'Clear a search, close a dialog'],
  ['?', 'This list'],
] as const;

export function Keys() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
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
        <button type="button" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
