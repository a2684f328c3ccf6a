// Input of a person at the terminal beside the command: piped text, an editor, a yes.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { terminalWishes } from '../../config/config.ts';
import { HoldfastError } from '../../system/errors.ts';
import { clean } from './style.ts';

/** The person was asked and chose nothing: there is nothing more to do or to say. */
export class Left extends Error {
  override readonly name = 'Left';
}

/** Undefined when nothing is piped in. */
export async function piped(): Promise<string | undefined> {
  return process.stdin.isTTY ? undefined : text(process.stdin);
}

/** Opens the person's editor and waits. False if there is no terminal to open it on. */
export async function openEditor(file: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const { editor } = terminalWishes();
  // EDITOR may contain options: `code --wait`.
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
      : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new HoldfastError('BAD_INPUT', `The editor (${editor}) ended with ${code}`, {
      hint: 'Set EDITOR to another one. What it saved is kept.',
    });
  return true;
}

/** Whether there is a person to ask: an agent's shell and a script have no terminal. */
export const canBeAsked = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

export async function agrees(question: string, signal: AbortSignal): Promise<boolean> {
  if (!canBeAsked()) return false;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await lines.question(`${clean(question)} [y/N] `, { signal })).trim());
  } catch (error) {
    // Ctrl+C or Ctrl+D instead of an answer, or just before the question.
    if ((error as Error).name !== 'AbortError') throw error;
    process.stdout.write('\n');
    throw new Left();
  } finally {
    lines.close();
  }
}
