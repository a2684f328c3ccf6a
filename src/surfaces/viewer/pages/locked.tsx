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
        This browser then has access while you use it, and for twelve hours after. With <code>--print</code> the command
        prints an address that works once, within ten minutes. An older or used address leads to this page.
      </p>
    </main>
  );
}
