// The viewer over the sample of this repository, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, sample, type ViewerStand, viewerStand } from './viewer-stand.ts';

const reviewed = '3f7fa8be-2f80-491a-9244-a1466e9ebb4e';

describe.skipIf(noBrowser)('the viewer', () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand(sample);
    stand.run('ingest');
    stand.run('process');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  it('opens by its address once, without the code in sight; a stranger is told what to do', async () => {
    expect(page.url()).toBe(`${stand.origin}/`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const stranger = await (await page.context().browser()?.newContext())?.newPage();
    if (stranger === undefined) throw new Error('no browser');
    await stranger.goto(`${stand.origin}/`);
    await stranger.getByText('holdfast open').waitFor();
    expect(await stranger.getByText('Security review').count()).toBe(0);
    await stranger.context().close();
  });

  it('is searched by keyboard alone, and says why each hit was found', async () => {
    await page.goto(`${stand.origin}/`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
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
    await page.getByRole('combobox').first().waitFor();
    expect(await page.getByRole('combobox').first().inputValue()).toBe('retry queue');
    await page.keyboard.press('Escape');
    await page.getByText('Ask in your own words').waitFor();
  });

  it('shows a session: what was said, tools folded, files touched, its summary', async () => {
    await page.goto(`${stand.origin}/sessions/${reviewed}`);
    await page.getByRole('heading', { name: 'Security review: no secrets in logs' }).waitFor();
    await page.getByText('Before the security review').first().waitFor();
    const tool = page.locator('details.tool').first();
    expect(await tool.getAttribute('open')).toBeNull();
    await tool.locator('summary').click();
    await tool.getByText('Input').waitFor();
    await page.getByRole('heading', { name: 'Files changed' }).waitFor();
    await page.getByText('I recommend to revoke all refresh token families').first().waitFor();
  });
});
