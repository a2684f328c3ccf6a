// The prompts of a session: an overview, and keys to go from one to the next.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Placed } from '../answers.ts';
import { read } from '../api.ts';
import { isTyping, placeInSight } from '../in-sight.ts';
import { neighbour } from '../prompts.ts';
import { go, sessionAddress } from '../router.ts';
import { number } from '../time.ts';
import { Clock } from './moment.tsx';

/** More rows would delay the page, and few people read so many. The keys go through all. */
export const firstPrompts = 200;

export function Outline({
  id,
  first,
  version,
  focus,
}: {
  id: string;
  /** The first prompts. If there are more, all are asked for once the page is there. */
  first: readonly Placed[];
  /** A new value means that the session has changed. */
  version: number;
  focus: string | undefined;
}) {
  const isPart = first.length === firstPrompts;
  const whole = useAnswer(isPart ? `outline ${id} ${version}` : undefined, (signal) =>
    read('sessions outline', { id }, signal),
  );
  const prompts = (isPart ? whole.data?.prompts : undefined) ?? first;
  /** The target of the last key, since the page may still be scrolling there. Any other move of the person clears it. */
  const jumped = useRef<number>(undefined);
  const [all, setAll] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event.target);
      const step = !isPlain ? undefined : event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (step === undefined) return forget();
      const next = neighbour(prompts, jumped.current ?? placeInSight(), step);
      if (next === undefined) return;
      event.preventDefault();
      jumped.current = next.place;
      go(sessionAddress(id, next.id), { replace: true });
    };
    const forget = () => {
      jumped.current = undefined;
    };
    const leaving = new AbortController();
    const { signal } = leaving;
    addEventListener('keydown', onKey, { signal });
    for (const move of ['wheel', 'touchmove', 'pointerdown']) addEventListener(move, forget, { signal, passive: true });
    return () => leaving.abort();
  }, [prompts, id]);
  if (prompts.length === 0) return null;
  const shown = all ? prompts : first;
  const isMore = isPart && whole.data === undefined ? !all : shown.length < prompts.length;
  return (
    <>
      <h2>
        Prompts{' '}
        <span class="keys-hint">
          <kbd>j</kbd> <kbd>k</kbd>
        </span>
      </h2>
      <ol class="outline">
        {shown.map(({ id: entry, at, text }) => (
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
      {isMore && (
        <p>
          <button type="button" class="quiet" onClick={() => setAll(true)}>
            Show all {isPart && whole.data === undefined ? '' : number(prompts.length)} prompts
          </button>
        </p>
      )}
    </>
  );
}
