// The viewer over the sample of this repository, in a real browser.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { filesBelow } from './transcripts.ts';
import { noBrowser, sample, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const reviewed = '3f7fa8be-2f80-491a-9244-a1466e9ebb4e';
const forgotten = '77fb2c0a-9f29-478f-bcd7-fb5e6967d9e8';

describe.skipIf(noBrowser)(because('the viewer', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  let transcripts: string;
  beforeAll(async () => {
    transcripts = mkdtempSync(path.join(tmpdir(), 'holdfast-sample-'));
    cpSync(sample.claude, transcripts, { recursive: true });
    stand = await viewerStand({ claude: transcripts, pi: sample.pi });
    stand.run('ingest');
    stand.run('process');
    stand.run('remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
    stand.run('groups', 'create', 'family');
    stand.run('groups', 'send', 'family', 'How high is the tide?');
    // Otherwise the worker does it between two searches, and the second shows the same hits in another order.
    expect(JSON.parse(stand.run('embed', '--json'))).toMatchObject({ left: 0 });
    // And costs would appear in rows while a test watches whether anything jumps.
    stand.run('sessions', 'count');
    await stand.startWorker();
    page = await stand.page();
  });
  afterEach(() => expect(stand.troubles).toEqual([]));
  afterAll(async () => {
    await stand?.close();
    rmSync(transcripts, { recursive: true, force: true });
  });

  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name });

  it('opens by its address once, without showing the code; a stranger is told what to do', async () => {
    expect(page.url()).toBe(`${stand.origin}/`);
    await heading(/^Now$/).waitFor();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const stranger = await (await page.context().browser()?.newContext())?.newPage();
    if (stranger === undefined) throw new Error('no browser');
    await stranger.goto(`${stand.origin}/`);
    await stranger.getByText('holdfast open').waitFor();
    expect(await stranger.getByText('Security review').count()).toBe(0);
    await stranger.context().close();
  });

  it('says at a wrong address that there is no such page, and links to the start page', async () => {
    await show('/nowhere');
    await heading('There is no such page').waitFor();
    expect(await page.title()).toBe('No such page · Holdfast');
    await page.getByRole('link', { name: 'Go to start page', exact: true }).click();
    await heading(/^Now$/).waitFor();
    expect(page.url()).toBe(`${stand.origin}/`);
  });

  it('is searched by keyboard alone, and says why each hit was found', async () => {
    await show('/');
    await page.keyboard.press('/');
    await page.keyboard.type('retry queue');
    await page.getByText('found by: words: retry, queue').first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=retry+queue');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = await page.locator('.hit[aria-selected=true]').getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.origin}${chosen}`);
    await page.locator('.entry.focused').waitFor();
    await page.goBack();
    await page.locator('#search-field').waitFor();
    expect(await page.locator('#search-field').inputValue()).toBe('retry queue');
    await page.keyboard.press('Escape');
    await page.getByText('Ask in your own words').waitFor();
  });

  it('Enter right after the last letter does not open a hit of fewer letters', async () => {
    await show('/search?q=token');
    await page.locator('.hit').first().waitFor();
    await page.locator('#search-field').fill('retry queue');
    await page.keyboard.press('Enter');
    await page.getByText('found by: words: retry, queue').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/search');
  });

  it('returns to the scroll position of a page at once and at its full length, and starts a new page at its top', async () => {
    const low = await stand.page({ viewport: { width: 900, height: 400 } });
    const top = () => low.evaluate('scrollY');
    await visit(low, `${stand.origin}/search?q=retry+queue`);
    await low.locator('.hit').nth(4).waitFor();
    // The fifth hit leads the next by far: a near tie may end the other way when a vector arrives between the two searches.
    // In the middle of the window, so that the click itself does not scroll.
    const toHit = "document.querySelectorAll('.hit')[4].scrollIntoView({ block: 'center' })";
    await low.evaluate(toHit);
    const place = await top();
    expect(place).toBeGreaterThan(500);
    const before = await low.locator('.hit').nth(4).boundingBox();
    await low.locator('.hit').nth(4).click();
    await low.getByRole('button', { name: 'Forget…' }).waitFor();
    await low.evaluate('scrollTo(0, 200)');
    await low.getByRole('link', { name: 'courier' }).first().click();
    await low.getByRole('link', { name: 'Search this project' }).waitFor();
    expect(await top()).toBe(0);
    await low.goBack();
    await low.getByRole('button', { name: 'Forget…' }).waitFor();
    await low.goBack();
    await until(async () => (await top()) === place, 'the place');
    expect(await low.locator('.hit').nth(4).boundingBox()).toEqual(before);
    await low.reload();
    await until(async () => (await top()) === place, 'the place after a reload');
    await low.context().close();
  });

  it('a hidden tab leaves its connection to the others, and misses nothing', async () => {
    const tab = await stand.page();
    const look = (state: 'hidden' | 'visible') =>
      tab.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
    await visit(tab, `${stand.origin}/memory`);
    await tab.getByText('Live', { exact: true }).waitFor();
    const closed = tab.waitForEvent('requestfailed', (request) => request.url().includes('/api/events'));
    await look('hidden');
    await closed;
    stand.run('remember', 'The tab was asleep', '--about', 'user', '--key', 'sleep');
    await look('visible');
    await tab.getByRole('link', { name: /^preferences/ }).waitFor();
    await tab.context().close();
  });

  it('code in a hit is shown as code, with the match highlighted', async () => {
    await show('/search?q=retry%20queue');
    const hit = page.getByRole('option').filter({ hasText: 'is an array in memory' });
    await hit.locator('code mark').first().waitFor();
    expect(await hit.locator('.snippet').textContent()).not.toContain('`');
  });

  it('each page has its own name in the tab and in the history', async () => {
    // The title changes with the next frame.
    const named = (title: string) => until(async () => (await page.title()) === `${title} · Holdfast`, title);
    await show('/timeline');
    await named('Timeline');
    await page.getByRole('link', { name: 'Search' }).click();
    await page.keyboard.type('retry queue');
    await named('retry queue · Search');
    await show(`/sessions/${reviewed}`);
    await named('Security review: no secrets in logs');
    await page.getByRole('link', { name: 'Costs' }).click();
    await named('Costs');
    await show('/memory/core%2Ffacts.md');
    await named('core/facts');
    await show(`/projects/${encodeURIComponent('/home/dev/turnstile')}`);
    await named('turnstile');
  });

  it('by keyboard a person can skip the navigation, and lands in the content after opening a hit', async () => {
    const inContent = () => page.evaluate('document.activeElement.closest("main") !== null');
    await show('/projects');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await inContent()).toBe(true);
    expect(page.url()).toBe(`${stand.origin}/projects`);
    await show('/search?q=token');
    await page.locator('.hit').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Forget…' }).waitFor();
    await until(async () => (await inContent()) === true, 'the focus');
  });

  it('narrows a search by project, agent, kind and time, and keeps that in the address', async () => {
    await show('/search?q=token');
    await page.locator('.hit').first().waitFor();
    const all = await page.locator('.hit').count();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('pi');
    await page.waitForURL(/agent=pi/);
    await until(async () => (await page.locator('.hit').count()) < all, 'fewer hits');
    await page.reload();
    expect(await page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('pi');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('');
    await page.getByRole('combobox', { name: 'What' }).selectOption('session');
    await page.waitForURL(/kind=session/);
    await page.locator('.hit .kind', { hasText: 'session' }).first().waitFor();
    await page.getByRole('combobox', { name: 'When' }).selectOption('today');
    await page.getByText('Nothing was found').waitFor();
    await show('/search?q=***');
    await page.getByRole('alert').filter({ hasText: 'There is nothing to search for in "***"' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('shows a session: messages, folded tools, files touched, its summary, and its actions', async () => {
    await show(`/sessions/${reviewed}`);
    await heading('Security review: no secrets in logs').waitFor();
    await page.getByText('Before the security review').first().waitFor();
    const tool = page.locator('details.tool').first();
    expect(await tool.getAttribute('open')).toBeNull();
    await tool.locator('summary').click();
    await tool.getByText('Input').waitFor();
    await heading('Files changed').waitFor();
    await page.locator('.account dd', { hasText: 'access-log.ts' }).first().waitFor();
    // The sample's folder exists on no machine.
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('status').filter({ hasText: 'is not there' }).waitFor();
    await page.getByLabel(/what subagents said/).check();
    // They come after the session's own entries, and only visible rows are in the document.
    await until(async () => {
      await page.keyboard.press('End');
      return (await page.getByText('Subagent', { exact: true }).count()) > 0;
    }, 'a subagent');
    // Its own address leads to it, although subagents are hidden otherwise.
    const address = await page
      .locator('.entry', { hasText: 'Subagent' })
      .last()
      .locator('.permalink')
      .getAttribute('href');
    await show('/projects');
    await show(address as string);
    await page.locator('.entry.focused', { hasText: 'Subagent' }).waitFor();
    expect(await page.getByLabel(/what subagents said/).isChecked()).toBe(true);
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText(/^Archived: /).waitFor();
  });

  it('edits a memory in place, in the file on disk, shows the changes, and reverts', async () => {
    const file = path.join(stand.home, 'memory/core/facts.md');
    await show('/memory');
    await page.getByRole('link', { name: /^facts/ }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByRole('textbox', { name: 'Text of core/facts.md' });
    await field.fill((await field.inputValue()).replace('on Tuesdays', 'on Mondays'));
    await page.keyboard.press('Control+Enter');
    await page.locator('article', { hasText: 'Deploys happen on Mondays' }).waitFor();
    expect(readFileSync(file, 'utf8')).toContain('- **deploy day:** Deploys happen on Mondays');
    await page.getByRole('link', { name: 'Facts and history' }).click();
    await page.getByText('2 versions').click();
    expect(await page.locator('.difference del').allInnerTexts()).toEqual(['Tuesdays']);
    await page.getByRole('button', { name: 'Revert to this' }).click();
    await page.locator('.statement .markdown', { hasText: 'on Tuesdays' }).waitFor();
    expect(readFileSync(file, 'utf8')).toContain('- **deploy day:** Deploys happen on Tuesdays');
  });

  it('does not overwrite a change made in the file itself', async () => {
    await show('/memory/core%2Ffacts.md');
    await page.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByRole('textbox', { name: 'Text of core/facts.md' });
    await field.fill(`${await field.inputValue()}\n- mine\n`);
    stand.run('remember', 'The canary goes first', '--key', 'canary');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('core/facts.md was changed in the meantime').waitFor();
    expect(await field.inputValue()).toContain('- mine');
    await field.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
  });

  it('keeps an unsaved draft over a reload and another page, and asks before it discards it', async () => {
    const field = page.getByRole('textbox', { name: 'Text of core/facts.md' });
    await show('/memory/core%2Ffacts.md');
    await page.getByRole('button', { name: 'Edit' }).click();
    await field.waitFor();
    expect(await field.evaluate((area) => (area as unknown as { selectionStart: number }).selectionStart)).toBe(0);
    await field.fill(`${await field.inputValue()}\n- half a thought\n`);
    await page.reload();
    await page.getByText('This is your unsaved draft').waitFor();
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.goBack();
    expect(await field.inputValue()).toContain('- half a thought');
    await field.press('Escape');
    // A second key press by habit must not lose the text.
    await page.locator('button:focus', { hasText: 'Keep editing' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toContain('- half a thought');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await field.inputValue()).not.toContain('- half a thought');
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  it('shows what memory has written about a day', async () => {
    await show('/timeline?day=2026-09-14');
    await page.getByRole('heading', { name: 'Account of the day' }).waitFor();
    await page.locator('.day-sessions .day-result', { hasText: 'Done:' }).first().waitFor();
    await page.getByRole('link', { name: 'Open this page of memory' }).click();
    await page.waitForURL(/episodes%2F2026-09%2F2026-09-14/);
    await page
      .getByRole('link', { name: /^session [0-9a-f]/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'Transcript' }).waitFor();
  });

  it('remembers what a person says, at once', async () => {
    await show('/memory');
    await page.getByLabel('Remember', { exact: true }).fill('The staging host sleeps at night');
    await page.getByLabel('About').fill('staging host');
    await page.keyboard.press('Enter');
    await page.getByText('Remembered, on').waitFor();
    const { hits } = JSON.parse(stand.run('search', 'staging host', '--kind', 'memory', '--json'));
    expect(hits[0].snippet).toContain('sleeps');
  });

  it('asks the person the open questions: an answer is remembered, and the question disappears', async () => {
    const file = path.join(stand.home, 'memory/questions.md');
    writeFileSync(file, '# Questions\n\n- courier: Is the retry limit still 8?\n- courier: Who owns staging?\n');
    await show('/memory');
    const question = (text: string) => page.locator('.statement', { hasText: text });
    await question('retry limit').getByLabel('Your answer').fill('The retry limit is twelve since October');
    await question('retry limit').getByRole('button', { name: 'Remember the answer' }).click();
    await question('retry limit').waitFor({ state: 'detached' });
    await question('Who owns staging').getByRole('button', { name: 'No longer open' }).click();
    await question('Who owns staging').waitFor({ state: 'detached' });
    const { hits } = JSON.parse(stand.run('search', 'retry limit twelve', '--kind', 'memory', '--json'));
    expect(hits[0].snippet).toContain('since October');
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').not.toMatch(/retry limit|staging/);
  });

  it('asks once before it forgets, says what it will delete, and then nothing of it is found anywhere', async () => {
    await show(`/sessions/${forgotten}`);
    await page.getByText('the oldest from 7 September').first().waitFor();
    await page.getByRole('button', { name: 'Forget…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/20 entries/).waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
    await page.getByRole('button', { name: 'Forget…' }).click();
    await dialog.getByRole('button', { name: 'Forget it' }).click();
    await page.waitForURL(`${stand.origin}/`);
    await page.getByText('Webhooks lost on deploy').waitFor({ state: 'detached' });
    await show('/search?q=webhooks+lost+on+deploy');
    expect(await page.getByText('Webhooks lost').count()).toBe(0);
    await page.goto(`${stand.origin}/sessions/${forgotten}`);
    await page.getByRole('alert').waitFor();
    await stand.stopWorker();
    for (const file of filesBelow(stand.home).filter((one) => existsSync(one)))
      expect([file, readFileSync(file, 'latin1').includes('the oldest from 7 September')]).toEqual([file, false]);
    await stand.startWorker();
  });

  it('reconnects by itself after the worker restarts, with everything that happened in between', async () => {
    await show('/');
    await page.getByText('Live', { exact: true }).waitFor();
    await stand.stopWorker('SIGKILL');
    await page.getByText('The worker does not answer').first().waitFor();
    stand.run('forget', '2130b31c', '--yes');
    await stand.startWorker();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Flaky backoff test').first().waitFor({ state: 'detached' });
  });

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  interface Axe {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }
  const addresses = [
    '/',
    '/search',
    '/search?q=token',
    '/sessions',
    `/sessions/${reviewed}`,
    `/sessions/${reviewed}?tab=changes`,
    `/sessions/${reviewed}?tab=briefing`,
    '/timeline',
    '/timeline?week=2026-10-05',
    '/timeline?day=2026-10-08',
    '/memory',
    '/memory/core%2Ffacts.md',
    '/memory/core%2Ffacts.md?view=statements',
    '/projects',
    `/projects/${encodeURIComponent('/home/dev/turnstile')}`,
    '/groups',
    '/groups/family',
    '/costs',
    '/health',
  ];

  /** By how many pixels the page is wider than its window. */
  const overflow = async (shown: Page) =>
    Math.max(0, Number(await shown.evaluate('document.documentElement.scrollWidth - innerWidth')));

  it.each(['light', 'dark'] as const)('can be used with a screen reader, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const address of addresses) {
      await show(address);
      await page.evaluate(axe);
      const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as Axe;
      const bad = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect([address, bad]).toEqual([address, []]);
    }
    await page.emulateMedia({ colorScheme: null });
  });

  it.each([360, 1280])(
    'fits, and nothing jumps while a page fills, whatever comes last, %i pixels wide',
    async (width) => {
      const slow = await stand.page({ viewport: { width, height: 800 } });
      await slow.addInitScript(`globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shift += one.value;
      }).observe({ type: 'layout-shift', buffered: true });`);
      // A page that does not request something does not wait for it either.
      const asks = new Map<string, Set<string>>();
      for (const address of addresses) {
        const asked = new Set<string>();
        const note = (request: { url(): string }) => asked.add(new URL(request.url()).pathname);
        slow.on('request', note);
        await visit(slow, `${stand.origin}${address}`);
        slow.off('request', note);
        asks.set(address, asked);
        expect([address, await overflow(slow)]).toEqual([address, 0]);
      }
      for (const late of ['activity', 'memory/show', 'sessions', 'observations']) {
        const pattern = new RegExp(`/api/${late}\\b`);
        const waiting = addresses.filter((address) => [...(asks.get(address) ?? [])].some((one) => pattern.test(one)));
        expect(waiting, late).not.toEqual([]);
        await slow.route(pattern, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await route.continue();
        });
        for (const address of waiting) {
          await visit(slow, `${stand.origin}${address}`);
          // Drawing is reported with the next frame.
          await slow.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
          const shift = Number(await slow.evaluate('globalThis.shift'));
          expect([late, address, shift > 0.01 ? shift : 0]).toEqual([late, address, 0]);
        }
        await slow.unroute(pattern);
      }
      await slow.context().close();
    },
  );

  it('fits a window of 2560 pixels', async () => {
    await page.setViewportSize({ width: 2560, height: 900 });
    for (const address of addresses) {
      await show(address);
      expect([address, await overflow(page)]).toEqual([address, 0]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('in a narrow window the bar is readable, shows the current page, and covers nothing else', async () => {
    const narrow = await stand.page({ viewport: { width: 360, height: 740 } });
    await visit(narrow, `${stand.origin}/health`);
    const measured = (await narrow.evaluate(`(() => {
      const size = (one) => parseFloat(getComputedStyle(one).fontSize);
      const current = document.querySelector('nav [aria-current]').getBoundingClientRect();
      const bar = document.querySelector('.side').getBoundingClientRect();
      const theme = document.querySelector('.side-foot button').getBoundingClientRect();
      return {
        smallest: Math.min(...[...document.querySelectorAll('nav a span')].map(size)),
        inSight: current.left >= 0 && current.right <= theme.left,
        above: Math.max(0, bar.top - theme.top),
      };
    })()`)) as { smallest: number };
    expect(measured).toMatchObject({ inSight: true, above: 0 });
    expect(measured.smallest).toBeGreaterThanOrEqual(11);
    // A sign at each end that has more pages.
    const sign = (end: string) =>
      narrow.evaluate(`getComputedStyle(document.querySelector('.side nav'), '::${end}').content`);
    await expect.poll(async () => [await sign('before'), await sign('after')]).toEqual(['"‹"', 'none']);
    await visit(narrow, `${stand.origin}/`);
    await expect.poll(async () => [await sign('before'), await sign('after')]).toEqual(['none', '"›"']);
    await narrow.context().close();
  });

  it('an address of nothing says so, with commands shown as commands and a link onwards', async () => {
    for (const address of ['/sessions/nope', '/memory/nope.md', '/groups/nope']) {
      await show(address);
      const alert = page.getByRole('alert');
      await alert.getByRole('link', { name: 'Search for it' }).waitFor();
      expect([address, await alert.textContent()]).toEqual([address, expect.not.stringContaining('`')]);
    }
  });

  it('loads at most 150 KB, compressed, with the first page, and 200 KB with plots and coloured code', () => {
    const files = filesBelow(path.join(import.meta.dirname, '../../dist/viewer')).filter((one) => one.endsWith('.gz'));
    expect(files.length).toBeGreaterThan(2);
    const sum = (some: readonly string[]) => some.reduce((bytes, file) => bytes + readFileSync(file).length, 0);
    // The page loads these two when it first shows a plot, or code.
    const later = files.filter((file) => /\/(?:plot-canvas|highlighter-languages)-/.test(file));
    expect(later).toHaveLength(2);
    expect(sum(files) - sum(later)).toBeLessThan(150 * 1024);
    expect(sum(files)).toBeLessThan(200 * 1024);
  });
});
