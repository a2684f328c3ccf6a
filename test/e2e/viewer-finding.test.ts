// Finding something in the viewer: filters, hits by session, saved searches, and the palette, in a real browser.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const harbour = 'eeeeeeee-0000-4000-8000-000000000001';
const quarry = 'eeeeeeee-0000-4000-8000-000000000002';

/** A prompt on each of six days, each with an answer, a command, and an edit of the file that the topic names. */
function transcript(session: string, topic: string): string {
  const lines: string[] = [];
  const idOf = (i: number) => `${session.slice(0, 8)}-${session.slice(-4)}-4000-8000-${String(i).padStart(12, '0')}`;
  const push = (day: number, type: 'user' | 'assistant', content: unknown) => {
    const i = lines.length;
    lines.push(
      JSON.stringify({
        ...{ type, uuid: idOf(i), parentUuid: i === 0 ? null : idOf(i - 1), sessionId: session, cwd: `/srv/${topic}` },
        timestamp: new Date(Date.UTC(2026, 2, day, 12, i)).toISOString(),
        message: { role: type, content },
      }),
    );
  };
  for (let day = 1; day <= 6; day++) {
    push(day, 'user', `Mend the crane of the ${topic}, day ${day}`);
    push(day, 'assistant', [{ type: 'text', text: `The crane of the ${topic} was mended on day ${day}.` }]);
  }
  const use = (id: string, name: string, input: object, content: string) => {
    push(6, 'assistant', [{ type: 'tool_use', id: `${session}${id}`, name, input }]);
    push(6, 'user', [{ type: 'tool_result', tool_use_id: `${session}${id}`, content, is_error: false }]);
  };
  use('b', 'Bash', { command: `hoist --crane ${topic}` }, 'hoisted');
  use('e', 'Edit', { file_path: `/srv/${topic}/${topic}.ts`, old_string: 'slow', new_string: 'fast' }, 'ok');
  return lines.map((line) => `${line}\n`).join('');
}

describe.skipIf(noBrowser)(because('finding in the viewer', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    for (const [id, topic] of [
      [harbour, 'harbour'],
      [quarry, 'quarry'],
    ] as const) {
      mkdirSync(path.join(stand.claude, `-srv-${topic}`));
      writeFileSync(path.join(stand.claude, `-srv-${topic}`, `${id}.jsonl`), transcript(id, topic));
    }
    stand.run('ingest');
    // Otherwise the worker may do it between two searches, and the second has other hits.
    stand.run('embed');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });
  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

  it('groups hits by session with a count; an expanded session is still expanded on return', async () => {
    await show('/search?q=crane');
    await status(/^\d+ hits in 2 sessions$/);
    const groups = page.locator('.hit-group');
    expect(await groups.count()).toBe(2);
    const rest = page.getByRole('option', { name: /more hits in this session$/ });
    const rows = () => page.locator('.hit').first().getAttribute('aria-setsize');
    expect(await rows()).toBe('8');
    await rest.first().click();
    await until(async () => Number(await rows()) > 8, 'the rest of the session');
    const all = await rows();
    await page.locator('.hit').first().click();
    await page.locator('.entry.focused').waitFor();
    await page.goBack();
    await page.locator('.hit').first().waitFor();
    expect(await rows()).toBe(all);
    await page.getByLabel('Group by session').uncheck();
    await until(async () => (await groups.count()) === 0, 'one list');
    expect(page.url()).toContain('flat=1');
  });

  it('narrows by speaker, tool, file and days, and keeps that in the address', async () => {
    await show('/search?q=crane');
    await page.getByText('More filters').click();
    await page.getByRole('combobox', { name: 'Said by' }).selectOption('user');
    await status('12 hits in 2 sessions');
    await page.getByLabel('From', { exact: true }).fill('2026-03-02');
    await page.getByLabel('To', { exact: true }).fill('2026-03-03');
    await status('4 hits in 2 sessions');
    const kept = new URL(page.url()).searchParams;
    expect([kept.get('role'), kept.get('since'), kept.get('until')]).toEqual(['user', '2026-03-02', '2026-03-03']);
    await page.reload();
    await status('4 hits in 2 sessions');
    await show('/search?q=crane');
    await page.getByText('More filters').click();
    await page.getByLabel('Tool', { exact: true }).fill('Bash');
    await page.keyboard.press('Enter');
    await status('2 hits in 2 sessions');
    await page.locator('.hit:has(.kind:text("Bash"))', { hasText: 'hoist --crane quarry' }).waitFor();
  });

  it('finds by file without a word, and drops filters that a file excludes', async () => {
    await show('/search?kind=command&tool=Bash');
    await page.getByLabel('File', { exact: true }).fill('harbour.ts');
    await page.keyboard.press('Enter');
    await page.locator('.hit', { hasText: 'harbour' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?file=harbour.ts');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps saved searches and searches that led to a hit until they are removed', async () => {
    await show('/search?q=crane&role=user');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByRole('button', { name: 'Saved', pressed: true }).waitFor();
    await show('/search?q=hoist');
    await page.locator('.hit').first().click();
    await page.locator('.entry.focused').waitFor();
    await show('/search');
    const saved = page.getByRole('region', { name: 'Saved searches' });
    await page.getByRole('region', { name: 'Recent searches' }).getByRole('link', { name: 'hoist' }).waitFor();
    await saved.getByRole('link', { name: 'crane · prompts' }).click();
    await status('12 hits in 2 sessions');
    await show('/search');
    await saved.getByRole('button', { name: 'Remove the saved search crane · prompts' }).click();
    await until(async () => (await saved.count()) === 0, 'no saved search');
    await page.getByRole('button', { name: 'Clear recent searches' }).click();
    await page.reload();
    await page.getByText('Ask in your own words').waitFor();
    expect(await page.locator('.kept-searches').count()).toBe(0);
  });

  it('has a palette on Ctrl+K that leads to pages, projects, sessions and searches, and runs actions', async () => {
    const palette = page.getByRole('dialog', { name: 'Go to' });
    const open = async (typed: string) => {
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await page.keyboard.type(typed);
    };
    await show('/');
    await open('timel');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.origin}/timeline`);
    await open('quarry');
    await palette.getByRole('option', { name: /^project quarry/, selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await palette.getByRole('option', { name: /^session .*quarry/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.origin}/sessions/${quarry}`);
    await open('fast gulls');
    await palette.getByRole('option', { name: 'Search for “fast gulls”', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=fast\+gulls$/);
    await open('keys');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await open('');
    await page.keyboard.press('Escape');
    await until(async () => (await palette.count()) === 0, 'the palette to close');
  });
});
