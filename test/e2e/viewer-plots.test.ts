// When, where and how much: the pages with plots, compared with the output of the commands, in a real browser in another time zone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, sample, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const zone = 'Asia/Tokyo';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Activity {
  total: { entries: number; prompts: number; sessions: number };
  days: { day: string; entries: number; sessions: number }[];
  projects: { name: string; path: string; entries: number; sessions: number }[];
}

describe.skipIf(noBrowser)(because('the pages with plots', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  let activity: Activity;
  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  /** A table is made when it is first opened. */
  const openAll = async () => {
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    await expect.poll(() => page.locator('.as-table:not(:has(> :nth-child(2)))').count()).toBe(0);
  };
  const asked = <T>(...args: string[]) => JSON.parse(stand.run(...args, '--json')) as T;

  beforeAll(async () => {
    stand = await viewerStand(sample);
    stand.run('ingest');
    stand.run('process');
    stand.run('groups', 'create', 'family');
    spend(`${stand.home}/holdfast.db`);
    await stand.startWorker();
    page = await stand.page({ timezoneId: zone, locale: 'en-GB' });
    activity = asked<Activity>('activity', '--since', '371d', '--time-zone', zone);
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  /** As if two models had been asked, since there are none. */
  function spend(database: string): void {
    const db = new Database(database);
    const add = db.prepare(
      `INSERT INTO spending (at, session_id, kind, model, calls, input_tokens, output_tokens, instead_of)
       VALUES (?, NULL, 'observe', ?, 1, ?, ?, ?)`,
    );
    for (const [days, model, tokens] of [
      [0, 'small', 1000],
      [1, 'small', 2000],
      [1, 'large', 4000],
      [40, 'small', 8000],
    ] as const)
      add.run(Date.now() - days * 86_400_000, model, tokens, 100, 50_000);
    db.close();
  }

  it("the heat map has each day of the year, and agrees with the command for each, in the browser's zone", async () => {
    await show('/timeline');
    const map = page.getByRole('table', { name: 'Activity by day' });
    expect(await map.getByRole('link').count()).toBeGreaterThan(52 * 7);
    const { total, days } = activity;
    await page.getByText(`${total.entries} entries (${total.prompts} prompts) in ${total.sessions} sessions`).waitFor();
    const name = new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
    for (const { day, entries, sessions } of days) {
      const said = await map.locator(`[data-key="${day}"]`).getAttribute('aria-label');
      const counted = `${entries} entries, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
      expect(said).toBe(`${counted} on ${name.format(new Date(day))}`);
    }
    expect(await map.locator('a:not(.level-0)').count()).toBe(days.length);
    // And once more as a table.
    await page.locator('summary', { hasText: 'The days as a table' }).click();
    const rows = page.getByRole('table', { name: 'The days as a table' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(days.length + 1);
  });

  it('one key goes to the heat map, arrows move in it, and Enter opens the day', async () => {
    await show('/timeline');
    const { day } = activity.days.at(-1) as { day: string };
    const map = page.getByRole('table', { name: 'Activity by day' });
    expect(await map.locator('[tabindex="0"]').count()).toBe(1);
    await map.locator(`[data-key="${day}"]`).focus();
    await page.keyboard.press('ArrowLeft');
    const keyOf = () => page.locator(':focus').getAttribute('data-key');
    const before = new Date(Date.parse(day) - 7 * 86_400_000).toISOString().slice(0, 10);
    expect(await keyOf()).toBe(before);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stand.origin}/timeline?day=${day}`);
    const { entries, sessions } = activity.days.at(-1) as Activity['days'][number];
    await page.getByText(`${entries} entries, ${sessions} session`).first().waitFor();
  });

  it('a click on a day shows its sessions and what was said, which lead to the entry', async () => {
    await show('/timeline');
    const { day, sessions } = activity.days[0] as Activity['days'][number];
    await page.locator(`[data-key="${day}"]`).click();
    await page.waitForURL(`${stand.origin}/timeline?day=${day}`);
    await until(async () => (await page.locator('.session-row').count()) === sessions, 'the sessions of the day');
    await page.locator('.day-sessions .said-line').first().click();
    await page.locator('.entry.person.focused').waitFor();
    await page.goBack();
    await page.getByText('All entries in order').click();
    await page.locator('.everything .said-line').first().click();
    await page.locator('.entry.focused').waitFor();
  });

  it('a week and a project have addresses', async () => {
    const { day } = activity.days[0] as { day: string };
    const project = activity.projects[1] as Activity['projects'][number];
    await show(`/timeline?week=${day}`);
    const hours = page.getByRole('table', { name: 'Activity by hour' });
    expect(await hours.getByRole('link').count()).toBe(7 * 24);
    expect(await hours.locator('a:not(.level-0)').count()).toBeGreaterThan(0);
    await show(`/timeline?project=${encodeURIComponent(project.path)}`);
    await page.getByText(`${project.entries} entries, `).first().waitFor();
    await page.getByLabel('Earlier').click();
    expect(new URL(page.url()).searchParams.get('project')).toBe(project.path);
    await show('/timeline?day=nonsense');
    await page.getByRole('table', { name: 'Activity by day' }).waitFor();
  });

  it('projects are those of the store, in the chosen order, and each has a page', async () => {
    const { projects } = asked<{ projects: { name: string; path: string; sessions: number; entries: number }[] }>(
      'projects',
    );
    await show('/projects');
    expect(await page.locator('.rows .row-title').allTextContents()).toEqual(projects.map(({ name }) => name));
    for (const { sessions } of projects) await page.getByText(`${sessions} sessions`).first().waitFor();
    await page.getByLabel('Order').selectOption('entries');
    const byEntries = projects.toSorted((a, b) => b.entries - a.entries).map(({ name }) => name);
    expect(await page.locator('.rows .row-title').allTextContents()).toEqual(byEntries);
    await page.locator('.rows .row').first().click();
    await page.getByRole('heading', { name: byEntries[0] as string }).waitFor();
    const first = projects.find(({ name }) => name === byEntries[0]);
    await until(async () => (await page.locator('.session-row').count()) === first?.sessions, 'its sessions');
    await show('/projects/%2Fsrv%2Fnowhere');
    await page.getByText('There is no such project').waitFor();
  });

  it('costs are those that stats prints, in the plot and in its table', async () => {
    await show('/costs');
    const stats = asked<{ spent: { tokens: number; saved: number }; disk: { database: number } }>(
      'stats',
      '--since',
      '30d',
    );
    expect(stats.spent.tokens).toBe(7300);
    await page.locator('.tile-value').filter({ hasText: '7.3K' }).waitFor();
    await page.locator('.tile-value').filter({ hasText: '142.7K' }).waitFor();
    await page.locator('.plot canvas').first().waitFor();
    await page.locator('summary', { hasText: 'Tokens by day and model' }).click();
    const cells = page.getByRole('table', { name: 'Tokens by day and model, as a table' }).locator('td');
    const sum = async () =>
      (await cells.allTextContents()).map((cell) => Number(cell.replace(',', ''))).reduce((all, one) => all + one, 0);
    await expect.poll(sum).toBe(7300);
    await page.getByLabel('Time').selectOption('90');
    await page.locator('.tile-value').filter({ hasText: '15.4K' }).waitFor();
    expect(new URL(page.url()).search).toBe('?days=90');
  });

  it('a plot is painted in the colours of the theme, and repainted when the theme changes', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await show('/costs');
    const canvas = page.locator('.plot canvas').first();
    await canvas.waitFor();
    const picture = async () => String(await page.evaluate('document.querySelector(".plot canvas").toDataURL()'));
    const light = await picture();
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await picture()) !== light, 'the plot in dark');
    await page.emulateMedia({ colorScheme: null });
  });

  it('an empty memory says what to do on each page', async () => {
    const empty = await viewerStand();
    try {
      await empty.startWorker();
      const own = await empty.page();
      for (const [address, hint] of [
        ['/timeline', 'holdfast ingest'],
        ['/projects', 'holdfast ingest'],
        ['/costs', 'holdfast config set distill.model'],
        ['/health', 'No jobs are waiting or running'],
      ] as const) {
        await visit(own, `${empty.origin}${address}`);
        await own.getByText(hint).first().waitFor();
      }
      expect(empty.troubles).toEqual([]);
    } finally {
      await empty.close();
    }
  });

  const pages = () => {
    const { day } = activity.days[0] as { day: string };
    const project = encodeURIComponent((activity.projects[0] as { path: string }).path);
    return [
      '/timeline',
      `/timeline?week=${day}`,
      `/timeline?day=${day}`,
      '/projects',
      `/projects/${project}`,
      '/costs',
      '/groups',
      '/groups/family',
      '/health',
    ];
  };

  it.each(['light', 'dark'] as const)(
    'can be read by a screen reader, with every table open, in %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      for (const address of pages()) {
        await show(address);
        await openAll();
        await page.evaluate(axe);
        const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        };
        const bad = violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect([address, bad]).toEqual([address, []]);
      }
      await page.emulateMedia({ colorScheme: null });
    },
  );

  it.each([360, 2560])('fits a window of %i pixels, with every table open', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    for (const address of pages()) {
      await show(address);
      await openAll();
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([address, Math.max(0, Number(wide))]).toEqual([address, 0]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
