import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/**
 * The browser's own dialog: it keeps the focus inside, Escape closes it, and the focus goes back where it was. The element with `data-first`
 * has the focus at first, otherwise the first one that can.
 */
export function Dialog({
  title,
  onClose,
  kind,
  children,
}: {
  title: string;
  onClose: () => void;
  /** Has its own style. */
  kind?: 'palette';
  children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    place.current?.showModal();
    place.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);
  return (
    <dialog ref={place} class={kind} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading} class={kind === 'palette' ? 'unseen' : 'dialog-title'}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
