// A thousand hits: the document holds the visible ones, the arrows go through all of them, and the address says how many were requested.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const session = 'dddddddd-0000-4000-8000-000000000001';
const count = 1500;
const idOf = (i: number) => `dddddddd-1111-4000-8000-${String(i).padStart(12, '0')}`;
/** More rows than fit on the largest screen; far fewer than there are. */
const most = 60;

const transcript = (): string =>
  Array.from({ length: count }, (_, i) => {
    const type = i % 2 === 0 ? 'user' : 'assistant';
    const text = `The lighthouse was seen from ship ${i}. ${'It shone all night long over the quiet water. '.repeat(i % 5)}`;
    const timestamp = new Date(Date.parse('2026-02-01T00:00:00Z') + i * 60_000).toISOString();
    const message = { role: type, content: [{ type: 'text', text }] };
    const parentUuid = i === 0 ? null : idOf(i - 1);
    return JSON.stringify({
      type,
      uuid: idOf(i),
      parentUuid,
      sessionId: session,
      timestamp,
      cwd: '/srv/coast',
      message,
    });
  }).join('\n');

describe.skipIf(noBrowser)(because('a thousand hits', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    mkdirSync(path.join(stand.claude, '-srv-coast'));
    writeFileSync(path.join(stand.claude, '-srv-coast', `${session}.jsonl`), `${transcript()}\n`);
    stand.run('ingest');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  const hits = () => page.locator('.hit').count();
  const chosen = () => page.locator('.hit[aria-selected=true]');
  const isInSight = async () => {
    const box = await chosen().boundingBox();
    // A window scrolls by whole pixels, and a row may end between two.
    return box !== null && box.y >= -1 && box.y + box.height <= 801;
  };

  it('are loaded step by step, and few of them are in the document', async () => {
    await visit(page, `${stand.origin}/search?q=lighthouse&flat=1`);
    await page.getByText('More than 50 hits').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('More than 200 hits').waitFor();
    expect(new URL(page.url()).searchParams.get('limit')).toBe('200');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('More than 800 hits').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('More than 1,000 hits').waitFor();
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    expect(await hits()).toBeLessThan(most);
    expect(await page.locator('.hit').first().getAttribute('aria-setsize')).toBe('1000');
  });

  it('are reachable with the arrows, even after scrolling away', async () => {
    await visit(page, `${stand.origin}/search?q=lighthouse&limit=1000&flat=1`);
    await page.getByText('1,000 hits').waitFor();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowDown');
    expect(await chosen().getAttribute('aria-posinset')).toBe('30');
    expect(await page.locator('#search-field').getAttribute('aria-activedescendant')).toBe('hit-29');
    await until(isInSight, 'the chosen one');
    await page.evaluate('scrollTo(0, 60000)');
    await until(async () => (await chosen().count()) === 0, 'the chosen one to be out of the document');
    expect(await hits()).toBeLessThan(most);
    await page.keyboard.press('ArrowDown');
    await until(isInSight, 'the next one');
    expect(await chosen().getAttribute('aria-posinset')).toBe('31');
    await page.keyboard.press('Enter');
    await page.locator('.entry.focused').waitFor();
  });

  it('are grouped by session, folded after the first three, which Enter opens', async () => {
    await visit(page, `${stand.origin}/search?q=lighthouse`);
    await page.getByText('More than 50 hits in 1 session').waitFor();
    await page.locator('.hit-group', { hasText: '50 hits' }).waitFor();
    expect(await hits()).toBe(3);
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: '47 more hits in this session', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await hits()) > 3, 'the rest');
    expect(await chosen().getAttribute('aria-posinset')).toBe('4');
    expect(await chosen().getAttribute('aria-setsize')).toBe('50');
  });

  it('a day with as many hits is readable up to its first word', async () => {
    const said = page.locator('.everything .said-by-day > li');
    await visit(page, `${stand.origin}/timeline?day=2026-02-01`);
    await page.getByText('All entries in order').click();
    await page.getByText('The last 200 of the day').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The last 1,000 of the day').waitFor();
    expect(await said.first().textContent()).toContain('ship 440.');
    await page.getByRole('link', { name: 'Earlier entries' }).click();
    await until(async () => (await said.count()) === 441, 'what was said before');
    expect(await said.first().textContent()).toContain('ship 0.');
    expect(await said.last().textContent()).toContain('ship 440.');
    expect(await page.getByRole('link', { name: 'Earlier entries' }).count()).toBe(0);
    await page.reload();
    await said.first().getByText('ship 0.').waitFor();
    await page.getByRole('link', { name: 'The end of the day' }).click();
    await page.getByText('The last 200 of the day').waitFor();
    await page.goBack();
    await said.first().getByText('ship 0.').waitFor();
  });

  it('another question starts with few hits again', async () => {
    await visit(page, `${stand.origin}/search?q=lighthouse&limit=1000&flat=1`);
    await page.getByText('1,000 hits').waitFor();
    await page.locator('#search-field').fill('quiet water');
    await page.getByText('More than 50 hits').waitFor();
    expect(new URL(page.url()).searchParams.has('limit')).toBe(false);
  });
});
