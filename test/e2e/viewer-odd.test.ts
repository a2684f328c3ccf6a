// Texts as people and programs write them: other scripts, endless words, tables wider than the screen, hundreds of files.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const session = 'bbbbbbbb-0000-4000-8000-000000000001';
const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(5);
const project = `/srv/${'coastguard'.repeat(12)}`;
const table = `| ${'a | '.repeat(9)}\n|${'---|'.repeat(9)}\n| ${'considerable | '.repeat(9)}`;

function transcript(): string {
  const lines: string[] = [];
  const push = (type: 'user' | 'assistant', content: unknown) => {
    const idOf = (i: number) => `bbbbbbbb-1111-4000-8000-${String(i).padStart(12, '0')}`;
    const timestamp = new Date(Date.parse('2026-03-01T10:00:00Z') + lines.length * 1000).toISOString();
    const ids = { uuid: idOf(lines.length), parentUuid: lines.length === 0 ? null : idOf(lines.length - 1) };
    const message = { role: type, content };
    lines.push(JSON.stringify({ type, ...ids, sessionId: session, timestamp, cwd: project, message }));
  };
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  push('user', `${long} is broken`);
  push('assistant', [{ type: 'text', text: `Here:\n\n${table}` }, use('t0', 'Bash', { command: `cat ${long}` })]);
  push('user', [{ type: 'tool_result', tool_use_id: 't0', content: `${long}\n`.repeat(5000) }]);
  push('user', 'מה קורה עם הבדיקה?');
  push('assistant', [{ type: 'text', text: 'הבדיקה נכשלת.\n\n- שורה ראשונה\n- שורה שנייה' }]);
  push('assistant', [{ type: 'text', text: `${'> '.repeat(5000)}a quote in quotes` }]);
  push('assistant', [{ type: 'text', text: `${'*'.repeat(50_000)} a row of stars` }]);
  for (let i = 0; i < 90; i++) {
    push('assistant', [use(`f${i}`, 'Edit', { file_path: `${project}/src/${long}/${i}.ts` })]);
    push('user', [{ type: 'tool_result', tool_use_id: `f${i}`, content: 'ok' }]);
  }
  return lines.map((line) => `${line}\n`).join('');
}

describe.skipIf(noBrowser)(because('odd texts', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    mkdirSync(path.join(stand.claude, '-srv-coast'));
    writeFileSync(path.join(stand.claude, '-srv-coast', `${session}.jsonl`), transcript());
    stand.run('ingest');
    stand.run('process');
    stand.run('remember', long, '--key', 'long');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });
  const show = (address: string) => visit(page, `${stand.origin}${address}`);

  it('an answer is shown without the line that stands for its tools, which are shown separately', async () => {
    await show(`/sessions/${session}`);
    await page.locator('.entry.model table').waitFor();
    await page.locator('details.tool').first().waitFor();
    expect(await page.locator('.transcript-column').textContent()).not.toContain('Used tools');
    await show('/search?q=considerable');
    await page.locator('.hit').first().waitFor();
    expect(await page.locator('.hits').textContent()).not.toContain('Used tools');
  });

  it('unclosed quotes and rows of stars are shown as written', async () => {
    await show(`/sessions/${session}`);
    for (const text of ['a quote in quotes', 'a row of stars'])
      await page.locator('.entry.model pre', { hasText: text }).waitFor();
  });

  it('right-to-left text starts at the right, and so do the bullets of its lists', async () => {
    await show(`/sessions/${session}`);
    const begins = (await page.evaluate(`(() => {
      const place = (one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const text = range.getBoundingClientRect();
        const box = one.getBoundingClientRect();
        return box.right - text.right < text.left - box.left ? 'right' : 'left';
      };
      const said = (part) => [...document.querySelectorAll('.said, .markdown p')].find((one) => one.textContent.includes(part));
      return {
        prompt: place(said('מה קורה')),
        answer: place(said('הבדיקה נכשלת')),
        other: place(said('Here:')),
        list: getComputedStyle(document.querySelector('.markdown ul')).direction,
      };
    })()`)) as object;
    expect(begins).toEqual({ prompt: 'right', answer: 'right', other: 'left', list: 'rtl' });
  });

  it('a table keeps its words whole, and scrolls by itself, also by keyboard', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await show(`/sessions/${session}`);
    const wide = page.locator('.markdown table').first();
    await wide.focus();
    expect(await wide.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
    const lines = await page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents([...document.querySelectorAll('.markdown td')].find((one) => one.textContent === 'considerable'));
      return range.getClientRects().length;
    })()`);
    expect(lines).toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it.each([360, 1280])('nothing is wider than a window of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const places = [
      '/',
      '/search?q=broken',
      `/sessions/${session}`,
      '/timeline',
      '/timeline?day=2026-03-01',
      '/memory',
      '/memory/core%2Ffacts.md?view=statements',
      '/projects',
      `/projects/${encodeURIComponent(project)}`,
      '/costs',
    ];
    for (const address of places) {
      await show(address);
      for (const one of await page.locator('main details:not([open]) > summary').all())
        if (await one.isVisible()) await one.click();
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([address, Math.max(0, Number(wide))]).toEqual([address, 0]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('of many files the first are named and a click shows the rest; on a small screen the transcript comes first', async () => {
    await show(`/sessions/${session}`);
    const about = page.getByRole('complementary', { name: 'About this session' });
    expect(await about.locator('.files li:visible').count()).toBe(30);
    await about.getByText('60 more files').click();
    expect(await about.locator('.files li:visible').count()).toBe(90);
    await page.setViewportSize({ width: 360, height: 740 });
    await show(`/sessions/${session}`);
    expect(await about.locator('.files').first().isVisible()).toBe(false);
    expect((await page.locator('.entry').first().boundingBox())?.y).toBeLessThan(740);
    await about.getByText('Prompts, files and summary').click();
    await about.locator('.files').first().waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('a printed page has the conversation and how to get the rest, without controls', async () => {
    await show(`/sessions/${session}`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.side').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Archive' }).isVisible()).toBe(false);
    await page.getByText(`holdfast archive ${session}`).waitFor();
    expect(await page.locator('.entry').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    expect(await page.getByText(`holdfast archive ${session}`).isVisible()).toBe(false);
  });
});
