// Takes a screenshot of each page of the viewer in light and dark, over the sample: node scripts/screenshots.mjs [folder]. Needs a build
// and Chromium.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(root, 'docs', 'pictures'));
const wide = { width: 1120, height: 700 };
const views = [
  { name: 'now', path: '/' },
  { name: 'search', path: '/search?q=retry%20queue' },
  { name: 'session', path: '/sessions/3f7fa8be-2f80-491a-9244-a1466e9ebb4e' },
  { name: 'timeline', path: '/timeline' },
  { name: 'memory', path: '/memory/projects%2Fcourier%2Foverview.md' },
  { name: 'memory-overview', path: '/memory' },
  { name: 'memory-history', path: '/memory/core%2Ffacts.md?view=statements' },
  { name: 'projects', path: '/projects' },
  { name: 'costs', path: '/costs' },
  { name: 'health', path: '/health' },
  { name: 'now-narrow', path: '/', size: { width: 360, height: 740 } },
  { name: 'session-narrow', path: '/sessions/3f7fa8be-2f80-491a-9244-a1466e9ebb4e', size: { width: 360, height: 740 } },
  { name: 'now-huge', path: '/', size: { width: 2560, height: 1300 } },
];

const home = mkdtempSync(path.join(tmpdir(), 'holdfast-pictures-'));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  HOLDFAST_HOME: path.join(home, 'data'),
  HOLDFAST_PORT: String(20_000 + Math.floor(Math.random() * 20_000)),
  HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH: path.join(root, 'demo/claude-code/projects'),
  HOLDFAST_AGENTS_PI_WATCH_PATH: path.join(root, 'demo/pi/sessions'),
  TZ: 'UTC',
};
const holdfast = (...args) => {
  const { status, stdout, stderr } = spawnSync(path.join(root, 'bin/holdfast'), args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`holdfast ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};

mkdirSync(folder, { recursive: true });
holdfast('ingest');
holdfast('process');
holdfast('remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
holdfast('remember', 'Deploys happen on Mondays, before ten', '--key', 'deploy day');
holdfast('remember', 'Tabs, never spaces', '--about', 'user', '--key', 'indentation');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
try {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme, viewport: wide, timezoneId: 'UTC', locale: 'en-GB' });
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && console.error(`${page.url()}: ${message.text()}`));
    page.on('pageerror', (error) => console.error(`${page.url()}: ${error.message}`));
    await page.goto(holdfast('open', '--print'));
    const { origin } = new URL(page.url());
    for (const { name, path: address, size = wide } of views) {
      await page.setViewportSize(size);
      await page.goto(`${origin}${address}`);
      await page.waitForTimeout(700);
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) });
    }
    await context.close();
  }
} finally {
  await browser.close();
  holdfast('worker', 'stop');
  rmSync(home, { recursive: true, force: true });
}
