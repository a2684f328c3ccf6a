// A terminal with a person at it: tmux with a separate server.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { without } from '../because.ts';
import { until } from './holdfast.ts';

export const noTerminal = without('tmux', '-V');

export interface Terminal {
  /** Everything that was ever shown and not overwritten. */
  screen(): string;
  /** Types a line, waits for it on the screen, and sends it. */
  type(text: string): Promise<void>;
  /** Leaves the client as a person does. Resolves with what the terminal then shows. */
  leave(): Promise<string>;
}

export function openTerminal(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Terminal {
  const name = `holdfast-${randomUUID().slice(0, 8)}`;
  const run = (...words: string[]) =>
    execFileSync('tmux', ['-L', name, '-f', '/dev/null', ...words], { encoding: 'utf8', stdio: 'pipe' });
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  run(
    // The screen stays when the client has ended: it may print its last line then.
    ...['set-option', '-g', 'remain-on-exit', 'on', ';'],
    'new-session',
    '-d',
    '-x',
    '180',
    '-y',
    '60',
    '-c',
    cwd,
    'env',
    '-i',
    ...variables,
    'TERM=screen-256color',
    program,
    ...args,
  );
  onTestFinished(() => void spawnSync('tmux', ['-L', name, 'kill-server']));
  const isOver = () => run('display-message', '-p', '#{pane_dead}').trim() === '1';
  const screen = () => run('capture-pane', '-p', '-S', '-2000');
  const type = async (text: string) => {
    run('send-keys', '-l', text);
    await until(() => screen().includes(text.slice(0, 12)), 'what was typed');
    // The client takes an Enter that arrives together with text as part of that text, and offers commands while one is typed.
    await sleep(400);
    run('send-keys', 'Enter');
  };
  return {
    screen,
    type,
    async leave() {
      await type('/exit');
      await until(isOver, 'the client to leave');
      return screen();
    },
  };
}
