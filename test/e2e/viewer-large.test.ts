// A session of 100,000 entries: the document holds what is visible, wherever the person scrolls.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const session = 'cccccccc-0000-4000-8000-000000000001';
const count = 100_000;
const idOf = (i: number) => `cccccccc-1111-4000-8000-${String(i).padStart(12, '0')}`;
/** More rows than fit on the largest screen; far fewer than there are. */
const most = 120;

function transcript(): string {
  return Array.from({ length: count }, (_, i) => {
    const isPrompt = i % 4 === 0;
    const text = `Entry number ${i}. ${'All of it could be read, if anybody had the time. '.repeat(i % 7)}`;
    return JSON.stringify({
      type: isPrompt ? 'user' : 'assistant',
      uuid: idOf(i),
      parentUuid: i === 0 ? null : idOf(i - 1),
      sessionId: session,
      timestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000).toISOString(),
      cwd: '/srv/large',
      message: { role: isPrompt ? 'user' : 'assistant', content: isPrompt ? text : [{ type: 'text', text }] },
    });
  }).join('\n');
}

describe.skipIf(noBrowser)(because('100,000 entries', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    mkdirSync(path.join(stand.claude, '-srv-large'));
    writeFileSync(path.join(stand.claude, '-srv-large', `${session}.jsonl`), `${transcript()}\n`);
    stand.run('ingest');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(() => stand?.close());

  const rows = () => page.locator('.virtual > li').count();
  const inSight = (i: number) => page.getByText(`Entry number ${i}.`, { exact: false }).first();

  it('are readable from the beginning, the end and the middle, with few rows in the document', async () => {
    await visit(page, `${stand.origin}/sessions/${session}`);
    await inSight(0).waitFor();
    expect(await page.locator('.virtual > li').first().getAttribute('aria-setsize')).toBe(String(count));
    for (let round = 0; round < 5; round++) {
      await page.keyboard.press('PageDown');
      expect(await rows()).toBeLessThan(most);
    }
    // The end moves as rows get their real height.
    await until(async () => {
      await page.keyboard.press('End');
      return (await inSight(count - 1).count()) > 0;
    }, 'the end');
    expect(await rows()).toBeLessThan(most);
    await page.keyboard.press('Home');
    await inSight(0).waitFor();
  });

  it('have an address each', async () => {
    await visit(page, `${stand.origin}/sessions/${session}#${idOf(54_321)}`);
    const focused = page.locator('.entry.focused');
    await focused.waitFor();
    await until(async () => {
      const box = await focused.boundingBox();
      return box !== null && box.y >= 0 && box.y < 800;
    }, 'the entry in sight');
    await focused.getByText('Entry number 54321.').waitFor();
    expect(await rows()).toBeLessThan(most);
  });

  it('open by address even where an earlier scroll carries the page away', async () => {
    const carried = await stand.page();
    // Like the Home key, pressed before the page knew where the entry is.
    await carried.addInitScript("addEventListener('scroll', () => scrollBy(0, -50_000), { once: true })");
    await visit(carried, `${stand.origin}/sessions/${session}#${idOf(54_321)}`);
    await carried.locator('.entry.focused').getByText('Entry number 54321.').waitFor();
  });

  it('do not make other pages large', async () => {
    for (const address of ['/', '/search?q=time', '/timeline', '/projects']) {
      await visit(page, `${stand.origin}${address}`);
      expect([address, (await page.locator('main *').count()) < 4000]).toEqual([address, true]);
    }
    await visit(page, `${stand.origin}/search?q=entry+99999`);
    await page.getByText('99999').first().waitFor();
    expect(stand.troubles).toEqual([]);
  });
});
