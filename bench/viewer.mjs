// The viewer in a real Chromium, from a real worker: how long until each page shows something, and everything; whether anything jumps on
// the way; and how a session of 100,000 entries feels: scrolled by wheel and keys, its tabs, its tools, find. For comparison, a page of one
// word from a bare server.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { filesBelow, realTranscripts, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show } from './figures.mjs';
import { idOf, large, largeTranscript } from './large-session.mjs';

const browserProgram = '/usr/bin/chromium';
if (!fs.existsSync(browserProgram)) {
  console.log(`${browserProgram} is not there; skipped.`);
  process.exit();
}

/** Fewer are enough to see whether frames stay short. */
const rounds = Number(process.env.VIEWER_ROUNDS ?? 7);
/** Names of pages, with semicolons between them, if not all are wanted. `reading`: how the long session feels. */
const only = process.env.VIEWER_PAGES?.split(';').map((name) => name.trim());
const isWanted = (name) => only === undefined || only.includes(name);
const port = 42_750;
const origin = `http://127.0.0.1:${port}`;
const folder = scratchFolder();
const projects = path.join(folder, 'claude', 'projects');
const env = {
  HOME: folder,
  HOLDFAST_HOME: path.join(folder, 'data'),
  HOLDFAST_PORT: String(port),
  HOLDFAST_DISTILL_AUTO: 'false',
  HOLDFAST_VAULT: 'false',
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
};
const holdfast = async (...args) => (await runNode([program, ...args], env)).out.trim();

const { files, bytes } = realTranscripts(projects, 40);
await holdfast('ingest', '--json');
await holdfast('process', '--all', '--json');
await holdfast('remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
await holdfast('groups', 'create', 'family');
fs.mkdirSync(path.join(projects, '-srv-large'));
fs.writeFileSync(path.join(projects, '-srv-large', `${large.session}.jsonl`), largeTranscript());
await holdfast('ingest', '--json');
console.log(
  `  ${files} real sessions (${(bytes / 1e6).toFixed(0)} MB), and one of ${large.entries.toLocaleString('en')} entries`,
);

const worker = spawn(process.execPath, [program, 'worker', 'run'], {
  env: { ...process.env, ...env },
  stdio: 'ignore',
});
const bare = http
  .createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>hello</p>'))
  .listen(0, '127.0.0.1');
const browser = await chromium.launch({
  executablePath: browserProgram,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
const inside = await browser.newBrowserCDPSession();
try {
  await until(async () => (await fetch(`${origin}/api/health`).catch(() => undefined))?.ok, 'the worker');
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const entrance = await context.newPage();
  const letIn = entrance.waitForResponse((response) => response.url().endsWith('/open/browser'));
  await entrance.goto(await holdfast('open', '--print'));
  await letIn;
  await entrance.close();
  const authorization = `Bearer ${fs.readFileSync(path.join(env.HOLDFAST_HOME, 'token'), 'utf8').trim()}`;
  const ask = async (name) =>
    (await (await fetch(`${origin}/api/${name}`, { headers: { authorization } })).json())[name];
  const [session] = (await ask('sessions')).filter(({ id }) => id !== large.session);
  const projects = await ask('projects');
  const [project] = projects.filter(({ path: one }) => one === session.projectPath);
  const compared = new URLSearchParams(projects.slice(0, 2).map((one) => ['project', one.path]));
  // The address, what the page shows once its answers have arrived, and whether a part that needs a separate process may still be loading.
  const everyPage = {
    now: ['/', '.feed li'],
    search: ['/search?q=failing+test', '.hit'],
    'search, nothing typed': ['/search', '#search-field'],
    sessions: ['/sessions', '.virtual .row'],
    session: [`/sessions/${session.id}`, '.entry:not(.waiting)'],
    'its changes': [`/sessions/${session.id}?tab=changes`, '.changes, .empty'],
    'its briefing': [`/sessions/${session.id}?tab=briefing`, '.briefing, .empty'],
    '100,000 entries': [`/sessions/${large.session}`, '.entry:not(.waiting)'],
    '100,000 entries, the middle': [`/sessions/${large.session}#${idOf(50_000)}`, '.entry.focused'],
    '100,000 entries, changes': [`/sessions/${large.session}?tab=changes`, '.changes'],
    timeline: ['/timeline', '.heat .cell'],
    'a day': [`/timeline?day=${session.endedAt.slice(0, 10)}`, '.said-by-day li'],
    memory: ['/memory', '.memory-list a'],
    'a memory page': ['/memory/core%2Ffacts.md', '.memory-main .markdown > *'],
    projects: ['/projects', '.rows .row'],
    'a project': [`/projects/${encodeURIComponent(project.path)}`, '.rows .row'],
    compare: [`/compare?${compared}&since=3650d`, '.compared td'],
    groups: ['/groups', '.rows .row'],
    'a group': ['/groups/family', '.chatting'],
    costs: ['/costs', '.tiles'],
    'health, checks apart': ['/health', '.settings li', 'apart'],
  };
  const unknown = only?.filter((name) => name !== 'reading' && everyPage[name] === undefined) ?? [];
  if (unknown.length > 0)
    throw new Error(`No such page: ${unknown.join(', ')}. There are: reading, ${Object.keys(everyPage).join(', ')}`);
  const pages = Object.fromEntries(Object.entries(everyPage).filter(([name]) => isWanted(name)));
  const figures = Object.fromEntries(Object.keys(pages).map((name) => [name, []]));
  const plain = [];
  const word = `http://127.0.0.1:${bare.address().port}/`;
  const awaited = {
    ...Object.fromEntries(Object.values(everyPage).map(([at, there, apart]) => [`${origin}${at}`, { there, apart }])),
    [word]: { there: 'p', apart: 'apart' },
  };
  const tab = await openTab(context, awaited);
  // One after the other, so that a busy moment of the machine affects all of them. The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, [address]] of Object.entries(pages)) {
      const figure = await load(tab, `${origin}${address}`);
      if (round > 0) figures[name].push(figure);
    }
    const figure = await load(tab, word);
    if (round > 0) plain.push(figure);
  }
  const first = [];
  // A new browser would not be let in: its key cannot be copied. So this one forgets what it has cached.
  const network = await context.newCDPSession(tab);
  for (let round = 0; round < rounds; round++) {
    await network.send('Network.clearBrowserCache');
    first.push(await load(tab, `${origin}/`));
  }
  const scrolled = isWanted('reading') ? await scroll(context) : undefined;
  const median = (list, key) =>
    quantile(
      list.map((one) => one[key]),
      0.5,
    );
  const beside = (list) =>
    `first paint ${median(list, 'paint').toFixed(0)} ms; processor ${median(list, 'processor').toFixed(0)} ms`;
  const packed = filesBelow(fileURLToPath(new URL('../dist/viewer', import.meta.url)), '.gz');
  show([
    ['a page of one word from a bare server', median(plain, 'there'), 'ms', undefined, beside(plain)],
    ...Object.entries(figures).map(([name, list]) => [
      `${name}: all there`,
      median(list, 'there'),
      'ms',
      200,
      beside(list),
    ]),
    ['now, with nothing cached', median(first, 'there'), 'ms', 400, beside(first)],
    [
      'layout shift, the worst page',
      Math.max(0, ...Object.values(figures).map((list) => median(list, 'shift'))),
      '',
      0.01,
      Object.entries(figures)
        .filter(([, list]) => median(list, 'shift') > 0)
        .map(([name, list]) => `${name} ${median(list, 'shift').toFixed(3)}`)
        .join(', '),
    ],
    [
      'the initial load, gzipped',
      median(first, 'bytes') / 1024,
      'KB',
      150,
      `everything that it could load ${(packed.reduce((sum, file) => sum + fs.statSync(file).size, 0) / 1024).toFixed(0)} KB`,
    ],
    ...(scrolled === undefined ? [] : feel(scrolled)),
  ]);
} finally {
  await browser.close();
  bare.close();
  worker.kill();
  await new Promise((end) => worker.once('exit', end));
}

/** A tab that records what happens in it. `awaited`: what has to appear, by address. */
async function openTab(context, awaited) {
  const page = await context.newPage();
  await page.addInitScript((all) => {
    const { there: wanted, apart } = all[location.href] ?? {};
    const figure = { paint: undefined, there: undefined, shift: 0 };
    globalThis.figure = figure;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) if (one.name === 'first-contentful-paint') figure.paint = one.startTime;
    }).observe({ type: 'paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) if (!one.hadRecentInput) figure.shift += one.value;
    }).observe({ type: 'layout-shift', buffered: true });
    const look = () => {
      if (figure.there !== undefined || wanted === undefined || document.querySelector(wanted) === null) return;
      if (apart === undefined && document.querySelector('[aria-busy=true]') !== null) return;
      requestAnimationFrame(() => (figure.there ??= performance.now()));
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  }, awaited);
  return page;
}

/**
 * `paint`: the first text. `there`: what is awaited has been drawn and no answer is outstanding. `processor`: the browser's CPU time until
 * then. `shift`: how much the layout jumped until some time later. `bytes`: the size of its files, compressed.
 */
async function load(page, address) {
  const before = await processorTime();
  await page.goto(address);
  const read = () => page.evaluate('globalThis.figure');
  await until(async () => {
    const { paint, there } = await read();
    return paint !== undefined && there !== undefined;
  }, address);
  const processor = (await processorTime()) - before;
  await sleep(500);
  // Of the page itself: answers of the interface depend on what is stored.
  const bytes =
    await page.evaluate(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => !name.includes('/api/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
  return { ...(await read()), processor, bytes };
}

/** CPU time of all processes of the browser so far, in milliseconds: it hardly depends on other load. */
async function processorTime() {
  const { processInfo } = await inside.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

/** As a person does: with the wheel, by keys, through the tabs, opening tools, then by leaps. */
async function scroll(context) {
  const page = await context.newPage();
  await page.goto(`${origin}/sessions/${large.session}`);
  await page.locator('.entry:not(.waiting)').first().waitFor();
  await sleep(500);
  await page.evaluate(`globalThis.gaps = []; globalThis.last = performance.now();
    (function frame() { const now = performance.now(); gaps.push(now - last); last = now; requestAnimationFrame(frame); })()`);
  const frames = {};
  const during = async (name, act) => {
    await page.evaluate('gaps.length = 0');
    await act();
    frames[name] = (await page.evaluate('gaps')).slice(1);
  };
  await page.mouse.move(500, 500);
  let rows = 0;
  await during('by the wheel', async () => {
    for (let step = 0; step < 240; step++) {
      await page.mouse.wheel(0, 240);
      await sleep(16);
      if (step % 20 === 0) rows = Math.max(rows, await page.locator('.virtual > li').count());
    }
  });
  const press = async (key, times) => {
    for (let step = 0; step < times; step++) {
      await page.keyboard.press(key);
      await sleep(50);
    }
  };
  await during('by keys', async () => {
    await press('PageDown', 20);
    await press('ArrowDown', 60);
    await press('j', 20);
    await press('k', 10);
    await press('End', 2);
    await press('PageUp', 20);
    await press('Home', 2);
  });
  await page.locator('.tool summary').first().waitFor();
  await during('opening tools', async () => {
    // At most a minute: the wheel may come to rest where no closed tool is near.
    for (let opened = 0, tries = 0; opened < 20 && tries < 400; tries++) {
      // Only rows near the window exist, and not each of them has a tool.
      const closed = page.locator('.tool:not([open]) summary');
      if ((await closed.count()) > 0) {
        await closed.first().click();
        opened++;
      }
      await page.mouse.wheel(0, 240);
      await sleep(50);
    }
  });
  await during('through its tabs', async () => {
    for (let step = 0; step < 4; step++)
      for (const [tab, there] of [
        ['Changes', '.changes'],
        ['Briefing', '.empty, .briefing'],
        ['Transcript', '.entry:not(.waiting)'],
      ]) {
        await page.getByRole('link', { name: tab, exact: true }).click();
        await page.locator(there).first().waitFor();
        await sleep(300);
      }
  });
  const jumps = await leap(page);
  const found = await find(page, 'entry number 99991.');
  const foundAll = await find(page, 'entry number');
  await page.close();
  return { frames, found, foundAll, jump: quantile(jumps, 0.5), slowest: Math.max(...jumps), rows };
}

/** Rows of how it felt. */
function feel({ frames, found, foundAll, jump, slowest, rows }) {
  return [
    ...Object.entries(frames).map(([name, gaps]) => [
      `100,000 entries, ${name}: frames over 50 ms, in 100`,
      (100 * gaps.filter((gap) => gap > 50).length) / gaps.length,
      '',
      1,
      `${gaps.length} frames, the longest ${Math.max(...gaps).toFixed(0)} ms`,
    ]),
    ['find in them, a rare word: counted', found, 'ms', 500],
    ['find in them, a word of every entry: counted', foundAll, 'ms', 500],
    ['a jump to anywhere in them: rows in sight', jump, 'ms', 200, `the slowest of 20 ${slowest.toFixed(0)} ms`],
    ['rows of them in the document, at most', rows, '', 120],
  ];
}

async function leap(page) {
  const jumps = [];
  for (let jump = 0; jump < 20; jump++) {
    const began = performance.now();
    await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${((jump * 7) % 20) / 20})`);
    await until(
      async () =>
        (await page.evaluate(`(() => {
          const inSight = [...document.querySelectorAll('.virtual > li')].filter((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return bottom > 0 && top < innerHeight;
          });
          return inSight.length > 0 && inSight.every((one) => one.querySelector('.waiting') === null);
        })()`)) === true,
      'rows in sight',
      5,
    );
    jumps.push(performance.now() - began);
    await sleep(100);
  }
  return jumps;
}

/** From the last letter to the count of matches, with the pause in which more letters could follow. */
async function find(page, words) {
  const field = page.getByLabel('Find in this session');
  await field.fill('');
  await page.locator('.find [role=status]', { hasText: /^$/ }).waitFor({ state: 'attached' });
  const began = performance.now();
  await field.fill(words);
  await page.locator('.find [role=status]', { hasText: /\d of \d/ }).waitFor();
  return performance.now() - began;
}

async function until(holds, what, everyMs = 50) {
  const giveUp = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error(`waited a minute for ${what}`);
    await sleep(everyMs);
  }
}
