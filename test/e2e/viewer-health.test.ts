// Health in a real browser: the results of the checks, retrying and cancelling jobs, and changing settings in the file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { noBrowser, sample, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

describe.skipIf(noBrowser)(because('the page Health', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  const failed: number[] = [];
  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  const job = (id: number) =>
    (JSON.parse(stand.run('jobs', '--job', String(id), '--json')) as { jobs: { status: string }[] }).jobs[0]?.status;

  beforeAll(async () => {
    stand = await viewerStand(sample);
    stand.run('ingest');
    stand.run('process');
    const db = new Database(`${stand.home}/holdfast.db`);
    failed.push(...(db.prepare('SELECT id FROM jobs ORDER BY id LIMIT 3').pluck().all() as number[]));
    db.prepare(
      `UPDATE jobs SET status = 'failed', attempts = 5, error = 'The model said <b>no</b>'
       WHERE id IN (SELECT value FROM json_each(?))`,
    ).run(JSON.stringify(failed));
    db.close();
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  it('shows what doctor and status report, including problems', async () => {
    await show('/health');
    const { checks } = JSON.parse(stand.run('doctor', '--json')) as { checks: { name: string; message: string }[] };
    // These lines change while the worker works in the background.
    const changing = ['worker', 'search by meaning', 'backups'];
    for (const { name, message } of checks)
      await page
        .locator('.checks li')
        .filter({ hasText: changing.includes(name) ? name : `${name} ${message}` })
        .first()
        .waitFor();
    const ill = page.locator('.checks .ill').filter({ hasText: '3 jobs have failed' });
    await ill.getByRole('img', { name: 'Needs attention' }).waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Check again' }).waitFor();
  });

  it("shows the worker's start in the person's time zone", async () => {
    const elsewhere = await stand.page({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    await visit(elsewhere, `${stand.origin}/health`);
    const worker = elsewhere.locator('.checks li').filter({ hasText: 'since' });
    expect(await worker.textContent()).toMatch(/since .+ at \d\d:\d\d:\d\d (?:GMT\+9|JST)/);
    expect(await elsewhere.locator('.checks').allTextContents()).toEqual([
      expect.not.stringMatching(/T\d\d:\d\d/),
      expect.not.stringMatching(/T\d\d:\d\d/),
    ]);
    await elsewhere.context().close();
  });

  it('says whether a setting takes effect at once or with the next start of the worker', async () => {
    await show('/health?setting=conversationGapMinutes');
    const row = (key: string) => page.locator('.settings li').filter({ has: page.getByText(key, { exact: true }) });
    await row('conversationGapMinutes').getByText('from the next start of the worker').waitFor();
    await show('/health?setting=budget.tokensPerDay');
    await row('budget.tokensPerDay').waitFor();
    expect(await row('budget.tokensPerDay').textContent()).not.toContain('next start');
  });

  it('the start page says how many jobs wait or have failed, and leads to them', async () => {
    await show('/');
    await page
      .getByRole('status')
      .filter({ hasText: /^Distilling: .*3 failed/ })
      .waitFor();
    await page.getByRole('link', { name: 'Show the jobs' }).click();
    await page.waitForURL(`${stand.origin}/health`);
  });

  it('a job is shown with its reason, as text; after a retry it is ready', async () => {
    const [first = 0] = failed;
    await show(`/health?job=${first}`);
    expect(await page.locator('.jobs li').count()).toBe(1);
    await page.getByText('The model said <b>no</b>').waitFor();
    await page.getByRole('button', { name: `Try job ${first} again` }).click();
    await page.getByText(`Job ${first} will be tried again`).waitFor();
    expect(job(first)).toBe('ready');
  });

  it('cancelling asks once and says what it means; a job that has gone is reported', async () => {
    const [, second = 0] = failed;
    await show('/health?status=failed');
    const cancel = page.getByRole('button', { name: `Cancel job ${second}…` });
    await cancel.click();
    await page.getByRole('dialog').getByText('Nothing that is stored is deleted').waitFor();
    await page.keyboard.press('Escape');
    expect(job(second)).toBe('failed');
    await cancel.click();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText(`Job ${second} is cancelled`).waitFor();
    expect(job(second)).toBe('cancelled');
    await page.locator(`#job-${second}`).waitFor({ state: 'detached' });

    const [, , third = 0] = failed;
    await page.getByRole('button', { name: `Cancel job ${third}…` }).click();
    stand.run('jobs', 'cancel', String(third));
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('alert').getByText(`Job ${third} is cancelled and cannot be cancelled`).waitFor();
  });

  it('a setting is changed in the file, refused when it is wrong, and reset to its default', async () => {
    const file = path.join(stand.home, 'config.json');
    expect(existsSync(file)).toBe(false);
    await show('/health?setting=tokensPerDay');
    const field = page.getByLabel('budget.tokensPerDay', { exact: true });
    expect(await field.inputValue()).toBe('500000');
    await field.fill('lots');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('which is not allowed').waitFor();
    expect(existsSync(file)).toBe(false);
    await field.fill('1000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Now 1000').waitFor();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ budget: { tokensPerDay: 1000 } });
    // A change made elsewhere is shown and kept.
    writeFileSync(file, JSON.stringify({ budget: { tokensPerDay: 1000 }, vaultDays: 7 }));
    await show('/health?setting=tokensPerDay');
    await page.getByRole('button', { name: 'budget.tokensPerDay: back to the default' }).click();
    await page.getByText('Now 500000').waitFor();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ vaultDays: 7 });
  });

  it('a setting that names a program or folder is shown but read-only here; a key is not even shown', async () => {
    stand.run('config', 'set', 'distill.key', 'sk-hidden-from-everybody');
    await show('/health?setting=distill.');
    await page.getByText('holdfast config set distill.program').waitFor();
    expect(await page.getByLabel('distill.program', { exact: true }).evaluate((one) => one.tagName)).toBe('OUTPUT');
    await page.getByText('(hidden)').waitFor();
    expect(await page.content()).not.toContain('sk-hidden');
    await page.getByText('by HOLDFAST_DISTILL_AUTO').waitFor();
  });
});
