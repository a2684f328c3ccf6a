// The viewer in the person's browser: an address that opens once, for whoever can read the data folder.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Config, ensureHome } from '../config.ts';
import { HoldfastError } from '../errors.ts';
import { operation } from './operation.ts';

const patienceMs = 10_000;

export const openViewer = operation({
  name: 'open',
  summary: 'Open the viewer in your browser: what happens now, what is remembered, what it costs',
  input: z.object({ print: z.boolean().default(false).describe('only print the address, which opens once') }),
  output: z.object({
    address: z.string().describe('opens once, within ten minutes; your browser then stays let in'),
    opened: z.boolean().describe('whether a browser was called'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast open', 'holdfast open --print'],
  withoutStore: true,
  async run({ config, clock, signal }, { print }) {
    ensureHome(config);
    await workerIsThere(config, signal);
    const address = await viewerAddress(config, clock());
    return { address, opened: print ? false : await callBrowser(address) };
  },
});

export async function viewerAddress(config: Config, now: number): Promise<string> {
  const { makeCode } = await import('../http/entrance.ts');
  return `http://127.0.0.1:${config.settings.port}/open/${makeCode(config.home, now)}`;
}

async function workerIsThere(config: Config, signal: AbortSignal | undefined): Promise<void> {
  const [{ startWorker }, { httpState }] = await Promise.all([
    import('../worker/process.ts'),
    import('../http/reach.ts'),
  ]);
  const { pid } = await startWorker(config);
  const giveUp = Date.now() + patienceMs;
  for (;;) {
    const state = await httpState(config.settings.port, pid);
    if (state.open) return;
    if (Date.now() > giveUp || signal?.aborted)
      throw new HoldfastError('UNREACHABLE', state.message ?? `The worker does not answer on port ${state.port}`, {
        hint: state.hint ?? 'See: holdfast status',
      });
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

/** False where there is none to call: a server without a screen, say. */
function callBrowser(address: string): Promise<boolean> {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', address]
        : ['xdg-open', address];
  return new Promise((resolve) => {
    const child = spawn(program as string, args, { detached: true, stdio: 'ignore' });
    const end = (opened: boolean) => {
      clearTimeout(enough);
      child.unref();
      resolve(opened);
    };
    // A browser that stays in the foreground has been opened.
    const enough = setTimeout(() => end(true), 3000);
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
