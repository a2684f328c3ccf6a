import type { ComponentChildren } from 'preact';

/** Says that there is nothing yet, and what to do. `small`: for use among other content. */
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
