import { Icon } from '../parts/icon.tsx';

/** For a browser that the worker does not know. */
export function Locked() {
  return (
    <main class="locked">
      <Icon name="holdfast" />
      <h1>Holdfast does not know this browser yet</h1>
      <p>Your memory is open only to you. In a terminal on this machine, run</p>
      <pre>holdfast open</pre>
      <p class="dim">
        It lets this browser in for as long as you use it, and for twelve hours more. With <code>--print</code> it
        prints an address that works once, for ten minutes. An address that was used before, or is older, leads here.
      </p>
    </main>
  );
}
