// Answers that come late or not at all, and people who do not wait for them.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const session = 'dddddddd-0000-4000-8000-000000000001';
const line = (i: number, text: string) =>
  `${JSON.stringify({
    type: 'user',
    uuid: `dddddddd-1111-4000-8000-${String(i).padStart(12, '0')}`,
    parentUuid: i === 0 ? null : `dddddddd-1111-4000-8000-${String(i - 1).padStart(12, '0')}`,
    sessionId: session,
    timestamp: new Date(Date.parse('2026-03-01T10:00:00Z') + i * 1000).toISOString(),
    cwd: '/srv/harbour',
    message: { role: 'user', content: text },
  })}\n`;

describe.skipIf(noBrowser)(because('a person who does not wait', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  let transcript: string;
  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  beforeAll(async () => {
    stand = await viewerStand();
    mkdirSync(path.join(stand.claude, '-srv-harbour'));
    transcript = path.join(stand.claude, '-srv-harbour', `${session}.jsonl`);
    writeFileSync(transcript, line(0, 'The tide gate is stuck') + line(1, 'The ferry is late'));
    stand.run('ingest');
    stand.run('groups', 'create', 'family');
    stand.run('remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  it('shows no hits of another question below one that failed, and opens none', async () => {
    await show('/search?q=tide');
    await page.locator('.hit').first().waitFor();
    await page.route(/q=ferry/, (route) => route.abort());
    await page.locator('#search-field').fill('ferry');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.hit').count()).toBe(0);
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).pathname).toBe('/search');
    await page.unroute(/q=ferry/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.hit', { hasText: 'ferry' }).first().waitFor();
  });

  it('does not leave the search while an input method is composing a word', async () => {
    await show('/search?q=tide');
    await page.locator('.hit').first().waitFor();
    const field = page.locator('#search-field');
    for (const key of ['ArrowDown', 'Enter', 'Escape'])
      await field.dispatchEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true });
    expect(new URL(page.url()).pathname).toBe('/search');
    expect(await field.inputValue()).toBe('tide');
    expect(await page.locator('.hit.active').count()).toBe(0);
  });

  it('puts what is typed at once where the person selects, not at the top of the text', async () => {
    await show('/memory/core%2Ffacts.md');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    // Before the field is drawn it is in focus: no later focus moves what a quick person has selected meanwhile.
    const isInFocus = await page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const field = document.querySelector('.editor textarea');
        if (field === null) return;
        observer.disconnect();
        resolve(document.activeElement === field && field.selectionEnd === 0);
      }).observe(document.body, { childList: true, subtree: true });
      [...document.querySelectorAll('button')].find((one) => one.textContent === 'Edit').click();
    })`);
    expect(isInFocus).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('keeps an edit when the key that ends composition is pressed, and saves nothing that the button would not', async () => {
    await show('/memory/core%2Ffacts.md');
    await page.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Text of core/facts.md');
    await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, cancelable: true });
    expect(await field.count()).toBe(1);
    const asked: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()));
    await field.focus();
    await page.keyboard.press('Control+Enter');
    expect(asked).toEqual([]);
  });

  it('sends a message once, however often Enter is pressed, and loses nothing typed while it sends', async () => {
    await show('/groups/family');
    let held: Route | undefined;
    let sent = 0;
    await page.route('**/api/groups/family/messages', (route) => {
      sent++;
      held = route;
    });
    const field = page.getByLabel('Say something to family');
    await field.fill('Is the gate open?');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await field.pressSequentially('And the ferry?');
    await expect.poll(() => held).toBeDefined();
    expect(sent).toBe(1);
    await held?.continue();
    await page.getByRole('log').getByText('Is the gate open?').waitFor();
    expect(await field.inputValue()).toBe('And the ferry?');
    await page.unroute('**/api/groups/family/messages');
  });

  it('gives back text that could not be sent', async () => {
    await show('/groups/family');
    await page.route('**/api/groups/family/messages', (route) => route.abort());
    const field = page.getByLabel('Say something to family');
    await field.fill('Is anybody there?');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await field.inputValue()).toBe('Is anybody there?');
    await page.unroute('**/api/groups/family/messages');
  });

  /** How many entries the session has. */
  let entries = 2;
  const storedEntries = async (): Promise<number> =>
    JSON.parse(await stand.runWith({}, 'show', session, '--json')).total;

  it('shows a session that changes before each answer arrives', async () => {
    const head = /\/api\/sessions\/dddddddd[^?]*\?limit=100/;
    let shown = false;
    await page.route(head, async (route) => {
      if (!shown) {
        const i = entries++;
        appendFileSync(transcript, line(i, `Lock ${i} fills`));
        await until(async () => (await storedEntries()) > i, 'the entry');
        // The change reaches the page while its request waits.
        await page.waitForTimeout(500);
      }
      await route.continue();
    });
    await page.goto(`${stand.origin}/sessions/${session}`);
    await page.locator('h1', { hasText: 'The tide gate is stuck' }).waitFor();
    shown = true;
    await page.locator('.entry', { hasText: `Lock ${entries - 1} fills` }).waitFor();
    await page.unroute(head);
  });

  it('shows the current session, even if an older answer arrives last', async () => {
    const more = 120;
    while (entries < more) appendFileSync(transcript, line(entries, `Boat ${entries++} waits`));
    await until(async () => (await storedEntries()) === more, 'the entries');
    let first: Route | undefined;
    const part = /\/api\/sessions\/dddddddd.*from=100&limit=100/;
    await page.route(part, (route) => {
      if (first !== undefined) return route.continue();
      first = route;
      // The current state, delivered later.
      return undefined;
    });
    await show(`/sessions/${session}`);
    await page.keyboard.press('End');
    await expect.poll(() => first).toBeDefined();
    const held = first as unknown as Route;
    const old = await held.fetch({ headers: { ...held.request().headers(), 'sec-fetch-site': 'same-origin' } });
    appendFileSync(transcript, line(entries++, 'The gate is open again'));
    const entry = page.locator('.entry', { hasText: 'The gate is open again' });
    await until(async () => {
      await page.keyboard.press('End');
      return (await entry.count()) > 0;
    }, 'the new entry');
    expect((await old.json()).total).toBe(more);
    // Wait until nothing changes any more: a later change would hide the error.
    await page.waitForTimeout(2000);
    await held.fulfill({ response: old });
    await page.waitForTimeout(500);
    expect(await entry.count()).toBe(1);
    await page.unroute(part);
  });
});
