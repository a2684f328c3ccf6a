// Ten tasks of a person in the viewer, each with the number of steps it takes from the start page. A step is a click, a
// key, or words typed into a field.
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { gulls, lamp, lampDay, secret, tenTasks } from './ten-tasks.ts';
import { noBrowser, type ViewerStand, visit } from './viewer-stand.ts';

describe.skipIf(noBrowser)(because('a person in the viewer', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  let steps = 0;
  beforeAll(async () => {
    stand = await tenTasks();
    page = await stand.page({ permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });
  beforeEach(async () => {
    await visit(page, `${stand.origin}/`);
    steps = 0;
  });

  async function click(target: Locator): Promise<void> {
    steps++;
    await target.click();
  }
  async function press(key: string): Promise<void> {
    steps++;
    await page.keyboard.press(key);
  }
  async function type(words: string): Promise<void> {
    steps++;
    await page.keyboard.type(words);
  }
  /** Two steps: the key for the search, and the words. */
  async function search(words: string): Promise<void> {
    await press('/');
    await page.waitForURL(`${stand.origin}/search`);
    await page.locator('input:focus').waitFor();
    await type(words);
  }
  const goTo = (name: string) => click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }));
  /** One step: the session among the recent ones. */
  async function open(id: string): Promise<void> {
    await click(page.locator(`main a[href*="/sessions/${id}"]`).first());
    await page.locator('.entry').first().waitFor();
  }

  it('1. finds where something was decided, before talk about it, in two steps', async () => {
    await search('lamp shutter decided');
    await page.locator('.hit').first().filter({ hasText: 'Decision' }).waitFor();
    expect(steps).toBe(2);
  });

  it('2. finds the command that ran the end-to-end tests in two steps', async () => {
    await search('command for the e2e tests');
    await page.locator('.hit', { hasText: 'npm run test:e2e -- lamp' }).first().waitFor();
    expect(steps).toBe(2);
  });

  it('3. reads a session in one step, and finds words in it in two more', async () => {
    await open(lamp);
    await page.locator('.entry.person', { hasText: 'Why does the lamp go out at night?' }).waitFor();
    await page.locator('details.tool.command', { hasText: '$ npm run test:e2e -- lamp' }).waitFor();
    expect(steps).toBe(1);
    await press('Control+f');
    await page.locator('input:focus').waitFor();
    await type('chimney');
    await page.getByText('1 of 2', { exact: true }).waitFor();
    expect(steps).toBe(3);
  });

  it('4. sees what happened on a day in two steps', async () => {
    await goTo('Timeline');
    await click(page.locator(`[data-key="${lampDay}"]`));
    await page.locator('.session-row').waitFor();
    await page.locator('.said-line', { hasText: 'Do that, and print the settings' }).waitFor();
    expect(await page.locator('.session-row').count()).toBe(1);
    expect(steps).toBe(2);
  });

  it('5. corrects a wrong memory in five steps, and the next briefing has the correction', async () => {
    await goTo('Memory');
    await click(page.locator('main a[href*="lighthouse"]').first());
    await click(page.getByRole('button', { name: 'Edit' }).first());
    const field = page.getByRole('textbox', { name: /^Text of / });
    const right = (await field.inputValue()).replace('go test', 'mise');
    steps++;
    await field.fill(right);
    await press('Control+Enter');
    await page.locator('article', { hasText: 'tests run with mise' }).waitFor();
    expect(steps).toBe(5);
    const told = stand.run('briefing', '--project', path.join(stand.folder, 'lighthouse'));
    expect(told).toContain('run with mise');
    expect(told).not.toContain('go test');
  });

  it('7. sees the files that a session changed, with the changes, in two steps', async () => {
    await open(lamp);
    await click(page.getByRole('link', { name: 'Changes', exact: true }));
    await page.locator('.changed-file', { hasText: 'wick.ts' }).locator('ins', { hasText: 'dry' }).waitFor();
    expect(steps).toBe(2);
  });

  it('8. continues an old session in two steps, and one in the terminal', async () => {
    await open(gulls);
    await click(page.getByRole('button', { name: 'Copy resume command' }));
    await page.getByText('On your clipboard: ').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `cd ${path.join(stand.folder, 'shore')} && claude --resume ${gulls}`,
    );
    expect(steps).toBe(2);
  });

  it('9. compares projects in one step', async () => {
    await goTo('Projects');
    for (const [name, sessions] of [
      ['lighthouse', '1 session'],
      ['shore', '2 sessions'],
    ] as const)
      await page.locator('main .row', { hasText: name }).filter({ hasText: sessions }).waitFor();
    expect(steps).toBe(1);
  });

  it('10. sees what an agent was told in two steps', async () => {
    await open(gulls);
    await click(page.getByRole('link', { name: 'Briefing', exact: true }));
    await page.getByText('Gulls are counted at dawn').waitFor();
    expect(steps).toBe(2);
  });

  // The last one: forgetting also drops all briefings given since.
  it('6. forgets a secret in the output of a tool in five steps', async () => {
    await search(secret);
    await click(page.locator('.hit', { hasText: 'cat settings.txt' }).first());
    const entry = page.locator('.entry.focused');
    await entry.waitFor();
    await entry.hover();
    await click(entry.getByRole('button', { name: 'Forget this entry' }));
    await click(page.getByRole('button', { name: 'Forget it' }));
    await until(async () => !stand.run('show', lamp, '--json').includes(secret), 'its end');
    expect(steps).toBe(5);
  });
});
