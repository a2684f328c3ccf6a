// Opens the viewer in the person's browser, and manages the browsers with access. Any process that can read the data
// folder can grant access.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Config, ensureHome } from '../../config/config.ts';
import { Moment, toMoment } from '../../schema/time.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';

const patienceMs = 10_000;
/** A browser that is starting needs a while before it uses its code. */
const browserMs = 20_000;

const KnownBrowser = z.object({
  id: z.string(),
  label: z.string().describe('the name that the browser gives itself'),
  createdAt: Moment,
  usedAt: Moment,
  expiresAt: Moment.describe('each use extends it, up to seven days after the browser got access'),
});

export const openViewer = operation({
  name: 'open',
  ending: 'orderly',
  summary: 'Open the viewer in your browser: live activity, memory and costs',
  input: z.object({
    print: z.boolean().default(false).describe('only print an address that works once: for a browser elsewhere'),
    list: z.boolean().default(false).describe('list the browsers that have access'),
    revoke: z.string().min(1).max(100).optional().describe('end the access of a browser: its id from --list, or all'),
  }),
  output: z.object({
    address: z.string().optional().describe('works once, within ten minutes; that browser then has access'),
    opened: z.boolean().describe('whether a browser was opened'),
    browsers: z.array(KnownBrowser).optional().describe('with list or revoke: browsers that have access'),
    revoked: z.array(z.string()).optional().describe('ids of the browsers whose access was ended'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast open', 'holdfast open --print', 'holdfast open --list', 'holdfast open --revoke all'],
  withoutStore: true,
  async run(context: Context<never>, { print, list, revoke }) {
    const { config, clock, signal } = context;
    ensureHome(config);
    if (list || revoke !== undefined) return known(context, revoke);
    await workerIsThere(config, signal);
    if (print) return { address: await viewerAddress(config, clock()), opened: false };
    if (await openInBrowser(context)) return { opened: true };
    return { address: await viewerAddress(config, clock()), opened: false };
  },
});

export async function viewerAddress(config: Config, now: number): Promise<string> {
  const { addressOf, makeCode } = await import('../../processes/access/entrance.ts');
  return addressOf(config.settings.port, makeCode(config.home, now));
}

async function known({ config, clock }: Context<never>, revoke: string | undefined) {
  const { listBrowsers, revokeBrowser } = await import('../../processes/access/browsers.ts');
  const before = listBrowsers(config.home, clock());
  const ending = revoke === 'all' ? before : before.filter(({ id }) => id === revoke);
  if (revoke !== undefined && revoke !== 'all' && ending.length === 0)
    throw new HoldfastError('NOT_FOUND', `No browser ${JSON.stringify(revoke)} has access`, {
      hint: 'See: holdfast open --list',
    });
  const revoked = ending.map(({ id }) => id).filter((id) => revokeBrowser(config.home, id));
  const browsers = listBrowsers(config.home, clock()).map(({ id, label, createdAt, usedAt, expiresAt }) => ({
    id,
    label,
    createdAt: toMoment(createdAt),
    usedAt: toMoment(usedAt),
    expiresAt: toMoment(expiresAt),
  }));
  return { opened: false, browsers, ...(revoke === undefined ? {} : { revoked }) };
}

async function workerIsThere(config: Config, signal: AbortSignal | undefined): Promise<void> {
  const [{ startWorker }, { httpState }] = await Promise.all([
    import('../../processes/worker-process.ts'),
    import('../../processes/access/reach.ts'),
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
    // An abort ends the wait; the loop looks for it.
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

/**
 * Gives the browser a page that holds the code, because every user of the machine can read a program's arguments. Waits
 * until the browser has used it. Returns false if there is no browser, for example on a server without a screen.
 */
async function openInBrowser({ config, clock, signal }: Context<never>): Promise<boolean> {
  const { isUnused, makeCodePage, useCode } = await import('../../processes/access/entrance.ts');
  const folder = (await isConfined()) ? config.userHome : join(config.home, 'open');
  const { code, page } = makeCodePage(config.home, folder, config.settings.port, clock());
  if (!(await callBrowser(page))) {
    useCode(config.home, code, clock());
    return false;
  }
  const giveUp = Date.now() + browserMs;
  while (isUnused(config.home, code) && Date.now() < giveUp && !signal?.aborted)
    // An abort ends the wait; the loop looks for it.
    await sleep(100, undefined, { signal }).catch(() => {});
  return true;
}

/** Browsers from Snap and Flatpak cannot read hidden folders of the person, and have their own /tmp. */
async function isConfined(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const said = await outputOf('xdg-settings', ['get', 'default-web-browser']);
  // Snap calls them snap_program.desktop, Flatpak org.example.Program.desktop.
  return /^(?:[a-z0-9-]+_[a-z0-9-]+|[a-z0-9-]+(?:\.[\w-]+){2,})\.desktop$/im.test(said.trim());
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], timeout: 2000 });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(0, 1000);
    });
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(text));
  });
}

function callBrowser(page: string): Promise<boolean> {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', page]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', page]
        : ['xdg-open', page];
  return new Promise((resolve) => {
    const child = spawn(program as string, args, { detached: true, stdio: 'ignore' });
    const end = (opened: boolean) => {
      clearTimeout(enough);
      child.unref();
      resolve(opened);
    };
    // A browser that stays in the foreground has opened.
    const enough = setTimeout(() => end(true), 3000);
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
