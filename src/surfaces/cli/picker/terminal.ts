// The terminal of the picker: plain ANSI on the alternate screen. However the process ends, it restores the terminal.
import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Frame } from './frame.ts';
import type { Size } from './layout.ts';
import type { Key } from './state.ts';

export interface Terminal {
  size(): Size;
  draw(frame: Frame): void;
  /** Redraws everything with the next frame. */
  forget(): void;
  /** Gives the terminal to the shell until the person returns. */
  suspend(): void;
  /** Contract: may be called more than once. */
  close(): void;
}

export interface Listener {
  key(key: Key): void;
  /** The size changed, or another program used the terminal: draw again. */
  changed(): void;
  /** The terminal was closed. */
  hungUp(): void;
}

/** Without wrapping, a wrongly measured character spoils at most the end of its own line. */
const enter = '\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[2J';
const leave = '\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l';

/**
 * A lone Escape can only be told from the start of a sequence by waiting; a slow connection may need this long for the
 * rest.
 */
const escapeMs = 100;

export function openTerminal(input: ReadStream, output: WriteStream, listener: Listener): Terminal {
  let last: readonly string[] = [];
  let isOpen = false;

  const open = () => {
    if (isOpen) return;
    isOpen = true;
    last = [];
    input.setRawMode(true);
    output.write(enter);
  };
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    try {
      output.write(leave);
      input.setRawMode(false);
    } catch {
      // The terminal itself is gone; there is nothing left to restore.
    }
  };

  const onKey = (_: string | undefined, key: Key) => listener.key(key);
  const onResize = () => {
    last = [];
    if (isOpen) output.write('\x1b[2J');
    listener.changed();
  };
  const onContinue = () => {
    // The shell may have changed the modes.
    isOpen = false;
    open();
    listener.changed();
  };
  const ended = (code: number) => () => {
    restore();
    process.exitCode = code;
    listener.hungUp();
  };
  const [onHangUp, onTermination] = [ended(129), ended(143)];

  // The types ask for a whole readline interface; Node reads this field alone.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  input.on('keypress', onKey).on('end', onHangUp);
  output.on('resize', onResize);
  process.on('SIGCONT', onContinue).on('SIGHUP', onHangUp).on('SIGTERM', onTermination).on('exit', restore);
  // Restore before the error is printed: the alternate screen would hide it.
  process.prependListener('uncaughtException', restore);
  open();
  input.resume();

  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    draw({ lines, cursor }) {
      if (!isOpen) return;
      // Clear each line before writing it: after a full line the cursor stands on its last character.
      const changed = lines.flatMap((line, i) => (line === last[i] ? [] : [`\x1b[${i + 1};1H\x1b[K${line}`]));
      last = lines;
      output.write(`\x1b[?25l${changed.join('')}\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h`);
    },
    forget() {
      onResize();
    },
    suspend() {
      if (process.platform === 'win32') return;
      restore();
      // Suspend the whole process group, as the terminal would: the shell waits for all of it.
      process.kill(0, 'SIGTSTP');
    },
    close() {
      restore();
      input.off('keypress', onKey).off('end', onHangUp).pause();
      output.off('resize', onResize);
      process.off('SIGCONT', onContinue).off('SIGHUP', onHangUp).off('SIGTERM', onTermination).off('exit', restore);
      process.off('uncaughtException', restore);
    },
  };
}
