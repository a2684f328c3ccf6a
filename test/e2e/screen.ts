// tmux as a person's screen and keyboard.

import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { without } from '../because.ts';
import { temporaryFolder, until } from './holdfast.ts';

export const prompt = 'shell$ ';

/** The CI setup installs tmux, so in CI these tests fail without it. */
export const noTmux = without('tmux', '-V');

export interface Screen {
  /** Types text, or presses keys that tmux knows by name. */
  type(text: string): void;
  press(...keys: string[]): void;
  run(command: string): void;
  /** Resolves when only the shell's prompt is left, so that nothing of an earlier command is taken for the next one's. */
  clear(): Promise<void>;
  /** As if the window was closed or the connection broke. */
  hangUp(): void;
  shown(colours?: boolean): string;
  sees(text: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The terminal's settings: modes of the line, the screen and the cursor. */
  modes(): string;
  /** The last line that a command printed into a file. */
  fact(format: string): string;
}

export async function screen(env: NodeJS.ProcessEnv, columns = 80, rows = 24): Promise<Screen> {
  const folder = temporaryFolder();
  const socket = path.join(folder, 'tmux');
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      env: { LC_ALL: 'C.UTF-8', ...env, PS1: prompt, SHELL: '/bin/sh' },
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), 'sh');
  onTestFinished(() => {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
  });
  const shown = (colours = false) => tmux('capture-pane', '-p', ...(colours ? ['-e'] : []));
  const fact = (format: string) => tmux('display-message', '-p', format).trim();
  const tty = fact('#{pane_tty}');
  await until(() => shown().includes(prompt.trim()), 'the shell');
  return {
    type: (text) => tmux('send-keys', '-l', text),
    press: (...keys) => tmux('send-keys', ...keys),
    run: (command) => tmux('send-keys', command, 'Enter'),
    async clear() {
      tmux('send-keys', 'clear', 'Enter');
      await until(() => shown().trim() === prompt.trim(), 'the empty screen');
    },
    hangUp: () => tmux('kill-server'),
    shown,
    async sees(text) {
      const seen = () => (typeof text === 'string' ? shown().includes(text) : text.test(shown()));
      await until(seen, `${text} on the screen`).catch((error: Error) => {
        throw new Error(`${error.message}:\n${shown()}`);
      });
    },
    resize: (width, height) => tmux('resize-window', '-x', String(width), '-y', String(height)),
    modes: () =>
      [
        fact('#{alternate_on} #{cursor_flag} #{wrap_flag} #{keypad_flag} #{mouse_any_flag}'),
        execFileSync('stty', ['-a', '-F', tty], { encoding: 'utf8' }),
      ].join('\n'),
    fact,
  };
}
