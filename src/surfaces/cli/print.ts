// Text → standard output, through a pager if it is long and a person reads it.
import { spawn } from 'node:child_process';

/** Writes the text as it is. */
export const write = (text: string): Promise<void> => new Promise((done) => process.stdout.write(text, () => done()));

/** Resolves when the reader has accepted everything, even a slow one. */
export function print(text: string): Promise<void> {
  return new Promise((done) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => done()));
}

export async function page(text: string, pager: string | undefined): Promise<void> {
  const [command, args, shell] = pager === undefined ? ['less', ['-FRX'], false] : [pager, [], true];
  const child = spawn(command as string, args as string[], {
    shell: shell as boolean,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // A reader who quits early closes the pipe; that is not an error.
  child.stdin.on('error', () => {});
  const ended = new Promise<boolean>((done) => {
    child.once('error', () => done(false));
    child.once('close', (code) => done(code !== 127));
  });
  child.stdin.end(text.endsWith('\n') ? text : `${text}\n`);
  if (!(await ended)) await print(text);
}
