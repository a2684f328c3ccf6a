// The prompts of a session: to see what it consists of, and to go from one to the next.
import { useEffect } from 'preact/hooks';
import type { Placed } from '../answers.ts';
import { isTyping, placeInSight } from '../in-sight.ts';
import { neighbour } from '../prompts.ts';
import { go, sessionAddress } from '../router.ts';
import { Clock } from './moment.tsx';

export function Outline({ id, prompts, focus }: { id: string; prompts: readonly Placed[]; focus: string | undefined }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      const next = step && neighbour(prompts, placeInSight(), step);
      if (next === undefined || step === undefined) return;
      event.preventDefault();
      go(sessionAddress(id, next.id), { replace: true });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [prompts, id]);
  if (prompts.length === 0) return null;
  return (
    <>
      <h2>
        Prompts{' '}
        <span class="keys-hint">
          <kbd>j</kbd> <kbd>k</kbd>
        </span>
      </h2>
      <ol class="outline">
        {prompts.map(({ id: entry, at, text }) => (
          <li key={entry}>
            <a
              class="to-entry"
              href={sessionAddress(id, entry)}
              aria-current={entry === focus ? 'location' : undefined}
            >
              {text}
            </a>
            <Clock at={at} />
          </li>
        ))}
      </ol>
    </>
  );
}
