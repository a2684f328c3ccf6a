// npm run screenshots [-- FOLDER]: takes a picture of every page of the viewer over the sample data, light and dark, narrow and wide. Writes
// them into a new temporary folder, or into FOLDER, and prints its name. Needs a build and /usr/bin/chromium.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin', 'holdfast');
const pictures = process.argv[2] ?? mkdtempSync(path.join(tmpdir(), 'holdfast-screenshots-'));
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-screenshots-data-'));
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TZ: 'UTC',
  HOLDFAST_HOME: path.join(folder, 'data'),
  HOLDFAST_PORT: String(port),
  HOLDFAST_DISTILL_AUTO: 'false',
  HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH: path.join(root, 'demo', 'claude-code', 'projects'),
  HOLDFAST_AGENTS_PI_WATCH_PATH: path.join(root, 'demo', 'pi', 'sessions'),
};
const run = (...args) => execFileSync(program, args, { env, encoding: 'utf8' }).trim();

const origin = `http://127.0.0.1:${port}`;
run('ingest');
run('process', '--all');
run('remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
run('groups', 'create', 'family');
const worker = spawn(program, ['worker', 'run'], { env, stdio: 'ignore' });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const answers = () =>
    fetch(`${origin}/api/health`).then(
      () => true,
      () => false,
    );
  while (!(await answers())) await sleep(100);
  const authorization = `Bearer ${readFileSync(path.join(env.HOLDFAST_HOME, 'token'), 'utf8').trim()}`;
  const ask = async (name) =>
    (await (await fetch(`${origin}/api/${name}`, { headers: { authorization } })).json())[name];
  const sessions = await ask('sessions');
  const session = sessions.toSorted((a, b) => b.toolUses - a.toolUses)[0];
  const projects = await ask('projects');
  // Tokens appear in lists once they are counted.
  for (const { id } of sessions) run('sessions', 'usage', id, '--json');
  const compared = new URLSearchParams(projects.slice(0, 2).map((one) => ['project', one.path]));
  const pages = {
    now: '/',
    search: '/search?q=test',
    'search-empty': '/search',
    sessions: '/sessions',
    session: `/sessions/${session.id}`,
    'session-changes': `/sessions/${session.id}?tab=changes`,
    'session-briefing': `/sessions/${session.id}?tab=briefing`,
    timeline: '/timeline',
    memory: '/memory',
    'memory-page': '/memory/core%2Ffacts.md',
    projects: '/projects',
    project: `/projects/${encodeURIComponent(projects[0].path)}`,
    compare: `/compare?${compared}&since=3650d`,
    groups: '/groups',
    group: '/groups/family',
    costs: '/costs',
    health: '/health',
    nowhere: '/no/such/page',
  };
  for (const colorScheme of ['light', 'dark'])
    for (const width of [390, 1360]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, timezoneId: 'UTC' });
      const page = await context.newPage();
      const admitted = page.waitForResponse((response) => response.url().endsWith('/open/browser'));
      await page.goto(run('open', '--print'));
      await admitted;
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(`${origin}${address}`);
        await page.locator('main h1').first().waitFor({ state: 'attached' });
        // Counts elements: the page's policy lets no script inject a function.
        while ((await page.locator('[aria-busy=true]').count()) > 0) await sleep(50);
        await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${width}.png`) });
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (over > 0) console.log(`${name}, ${colorScheme}, ${width}: ${over} pixels wider than the window`);
      }
      await context.close();
    }
  console.log(pictures);
} finally {
  await browser.close();
  worker.kill();
  await new Promise((end) => worker.once('exit', end));
  rmSync(folder, { recursive: true, force: true });
}
