import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** The browser's own dialog: it keeps the focus inside, Escape closes it, and the focus goes back where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading} class="dialog-title">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
