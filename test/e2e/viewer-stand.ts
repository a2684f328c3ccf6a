// The viewer as a person uses it: a real worker over a folder of transcripts, and Debian's Chromium. One of each per test file.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freePort } from './claude.ts';
import { patienceMs, program, root, until } from './holdfast.ts';

const chromiumProgram = '/usr/bin/chromium';
/** Where the tests must not be skipped, a missing browser is a failure. */
export const noBrowser =
  existsSync(chromiumProgram) || process.env.CI ? undefined : `${chromiumProgram} is not installed`;

export interface ViewerStand {
  readonly folder: string;
  readonly home: string;
  readonly claude: string;
  readonly env: NodeJS.ProcessEnv;
  readonly origin: string;
  /** A page of a registered browser. The stand records what went wrong in it, and its requests to other addresses. */
  page(options?: BrowserContextOptions): Promise<Page>;
  /** A browser that is not registered. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Another page of that browser. */
  pageOf(context: BrowserContext): Promise<Page>;
  /** Errors of scripts, refusals by the page's policy, and requests to other addresses. */
  readonly troubles: string[];
  run(...args: string[]): string;
  /** The same without blocking, with more in its environment. */
  runWith(more: NodeJS.ProcessEnv, ...args: string[]): Promise<string>;
  startWorker(): Promise<void>;
  /** Ends the worker at once, as a crash would, or as `worker stop` does. */
  stopWorker(signal?: NodeJS.Signals): Promise<void>;
  close(): Promise<void>;
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumProgram,
    timeout: patienceMs,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });

export async function viewerStand(
  options: { claude?: string; pi?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ViewerStand> {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-viewer-'));
  const home = path.join(folder, 'data');
  const claude = options.claude ?? path.join(folder, 'claude');
  mkdirSync(claude, { recursive: true });
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: folder,
    TZ: 'UTC',
    HOLDFAST_HOME: home,
    HOLDFAST_PORT: String(port),
    HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH: claude,
    HOLDFAST_AGENTS_PI_WATCH_PATH: options.pi ?? path.join(folder, 'pi'),
    HOLDFAST_DISTILL_AUTO: 'false',
    ...options.env,
  };
  const origin = `http://127.0.0.1:${port}`;
  const troubles: string[] = [];
  let worker: ReturnType<typeof spawn> | undefined;
  let browser: Browser | undefined;

  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${status}: ${stderr}`);
    return stdout.trim();
  };
  const answers = () =>
    fetch(`${origin}/api/health`).then(
      () => true,
      () => false,
    );

  async function startWorker(): Promise<void> {
    const child = spawn(program, ['worker', 'run'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    worker = child;
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint = `${complaint}${text}`.slice(-2000);
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}: ${complaint}`);
      return answers();
    }, 'the worker');
  }
  async function stopWorker(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = worker;
    worker = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    browser ??= await launchBrowser();
    const own = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', ...options });
    own.setDefaultTimeout(patienceMs);
    return own;
  }
  async function pageOf(own: BrowserContext): Promise<Page> {
    const page = await own.newPage();
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML|Trusted Type/i.test(message.text())) troubles.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`)) troubles.push(`asked for ${request.url()}`);
    });
    return page;
  }

  return {
    folder,
    home,
    claude,
    env,
    origin,
    troubles,
    run,
    startWorker,
    stopWorker,
    context: newContext,
    pageOf,
    runWith: (more, ...args) => promisify(execFile)(program, args, { env: { ...env, ...more } }).then((o) => o.stdout),
    async page(context = {}) {
      const page = await pageOf(await newContext(context));
      await enter(page, run('open', '--print'));
      return page;
    },
    async close() {
      await browser?.close();
      // In order: processes that a killed worker leaves would still write into the folder.
      await stopWorker();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Opens an address with a code. Resolves when the browser is registered, and has stored its key. */
export async function enter(page: Page, address: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/open/browser'));
  await page.goto(address);
  await answered;
  await until(async () => (await page.evaluate('sessionStorage.length')) === 0, 'the key of the browser');
}

/** Opens a page of the viewer. Resolves when everything that it requests has arrived. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('main :is(h1, [role=alert])').first().waitFor({ state: 'attached' });
  // Counts elements: the page's policy lets no test inject a function.
  await until(async () => (await page.locator('[aria-busy=true]').count()) === 0, 'the page');
}

export const sample = {
  claude: path.join(root, 'demo/claude-code/projects'),
  pi: path.join(root, 'demo/pi/sessions'),
} as const;
