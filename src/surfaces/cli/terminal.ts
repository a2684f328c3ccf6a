// A chat at the terminal or through a pipe: lines in, text out, and notes beside the answer.
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Terminal } from '../../operations/operation.ts';
import { clean, type Style } from './style.ts';

export function openTerminal({ silent, style, stop }: { silent: boolean; style: Style; stop: () => void }): Terminal {
  const { stdin, stdout, stderr } = process;
  const isTyped = stdin.isTTY === true && stdout.isTTY === true;
  const show = (said: string) => void (silent || stdout.write(isTyped ? clean(said) : said));
  const note = (said: string) => void stderr.write(`${style.dim(clean(said))}\n`);
  if (!isTyped) return { isTyped, lines: once(), show, note, ready() {}, close: () => void stdin.destroy() };
  const lines = createInterface({ input: stdin, output: stdout, prompt: style.cyan('› ') });
  // In raw mode Ctrl+C is a key, not a signal.
  lines.on('SIGINT', stop);
  // From now on, not from the first question on: a line that the person types ahead waits here.
  const typed = lines[Symbol.asyncIterator]();
  return { isTyped, lines: typed, show, note, ready: () => lines.prompt(), close: () => lines.close() };
}

async function* once(): AsyncIterable<string> {
  yield await text(process.stdin);
}
