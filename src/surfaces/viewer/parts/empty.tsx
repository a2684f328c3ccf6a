import type { ComponentChildren } from 'preact';

/** Nothing here yet, and what to do about it. `small`: among other things that are there. */
export function Empty({
  title,
  small = false,
  children,
}: {
  title: string;
  small?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class={small ? 'empty small' : 'empty'}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
