// The prompts of a session: an overview, and keys to go from one to the next.
import { useEffect, useRef } from 'preact/hooks';
import type { Placed } from '../answers.ts';
import { isTyping, placeInSight } from '../in-sight.ts';
import { usePrompts } from '../prompt-window.ts';
import { go, sessionAddress } from '../router.ts';
import { Clock } from './moment.tsx';

export function Outline({
  id,
  first,
  focus,
}: {
  id: string;
  first: { readonly prompts: readonly Placed[]; readonly more: boolean };
  focus: string | undefined;
}) {
  const { shown, showEarlier, showLater, near } = usePrompts(id, first);
  /** The target of the last key, since the page may still be scrolling there. Any other move of the person clears it. */
  const jumped = useRef<number>(undefined);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  useEffect(() => {
    const jump = async (step: 1 | -1) => {
      // Without an answer the view stays where it is; the key works again.
      const next = await near(jumped.current ?? placeInSight(), step).catch(() => undefined);
      if (next === undefined || isGone.current) return;
      jumped.current = next.place;
      go(sessionAddress(id, next.id), { replace: true });
    };
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event.target);
      const step = !isPlain ? undefined : event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (step === undefined) return forget();
      event.preventDefault();
      void jump(step);
    };
    const forget = () => {
      jumped.current = undefined;
    };
    const leaving = new AbortController();
    const { signal } = leaving;
    addEventListener('keydown', onKey, { signal });
    for (const move of ['wheel', 'touchmove', 'pointerdown']) addEventListener(move, forget, { signal, passive: true });
    return () => leaving.abort();
  }, [shown, id]);
  if (shown.prompts.length === 0) return null;
  return (
    <>
      <h2>
        Prompts{' '}
        <span class="keys-hint">
          <kbd>j</kbd> <kbd>k</kbd>
        </span>
      </h2>
      {shown.earlier && <More title="Earlier prompts" show={showEarlier} />}
      <ol class="outline">
        {shown.prompts.map(({ id: entry, at, text }) => (
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
      {shown.later && <More title="More prompts" show={showLater} />}
    </>
  );
}

/** After a failure the button stays, so that a click tries again. */
const More = ({ title, show }: { title: string; show: () => Promise<void> }) => (
  <p>
    <button type="button" class="quiet" onClick={() => void show().catch(() => undefined)}>
      {title}
    </button>
  </p>
);
