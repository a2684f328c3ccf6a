// Groups in a real browser: without a host a message waits and the page says so; with a host, the group's agent answers.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { clientProgram } from './claude.ts';
import { launch, root } from './holdfast.ts';
import { scripted } from './host-chat.ts';
import { realKey, trouble } from './host-stand.ts';
import { type Mock, startMock } from './mock-anthropic.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

describe.skipIf(noBrowser)(because('the page Groups', noBrowser), () => {
  let stand: ViewerStand;
  let mock: Mock;
  let page: Page;
  const show = (address: string) => visit(page, `${stand.origin}${address}`);

  beforeAll(async () => {
    mock = await startMock();
    stand = await viewerStand({
      env: {
        ANTHROPIC_API_KEY: realKey,
        ANTHROPIC_BASE_URL: mock.url,
        HOLDFAST_HOST_SANDBOX: 'bubblewrap',
        HOLDFAST_HOST_PROGRAM: clientProgram('2.1.325'),
      },
    });
    mkdirSync(stand.home, { recursive: true, mode: 0o700 });
    symlinkSync(path.join(root, 'node_modules/.cache/sdk/node_modules'), path.join(stand.home, 'node_modules'));
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    mock?.close();
    expect(stand?.troubles).toEqual([]);
  });

  it('says how to create a group, and how to start a host', async () => {
    await show('/groups');
    await page.getByText('holdfast groups create main').waitFor();
    stand.run('groups', 'create', 'family');
    await page.getByText('family').waitFor();
    await page.getByText('holdfast host run').waitFor();
    await show('/groups/nobody');
    await page.getByRole('alert').getByText('nobody').waitFor();
  });

  it('without a host a message waits, and the page says so', async () => {
    await show('/groups/family');
    const field = page.getByLabel('Say something to family');
    await field.fill(scripted('How high is the tide?', [{ text: 'The tide is **high**.' }]));
    await page.keyboard.press('Enter');
    await page.getByText('No host is running: the message waits').waitFor();
    await page.getByText('1 message waiting').waitFor();
    expect(await field.inputValue()).toBe('');
  });

  it('a waiting message is still there after a reload, once, and so are messages sent elsewhere', async () => {
    await page.reload();
    const said = page.getByRole('log').locator('.entry.person');
    await said.filter({ hasText: 'How high is the tide?' }).getByText('waiting', { exact: true }).waitFor();
    expect(await said.count()).toBe(1);
    stand.run('groups', 'create', 'harbour');
    await show('/groups/harbour');
    await page.getByText('Nothing was said yet').waitFor();
    stand.run('groups', 'send', 'harbour', '--from', 'Ada', 'Is the gate open?');
    await said.getByText('Is the gate open?').waitFor();
    await said.getByText('Ada').waitFor();
    expect(await page.getByText('Nothing was said yet').count()).toBe(0);
    stand.run('groups', 'remove', 'harbour', '--yes');
    await show('/groups/family');
  });

  it('a hidden tab leaves its group stream to the other tabs, and catches up later', async () => {
    const db = new Database(path.join(stand.home, 'holdfast.db'));
    const told = db.prepare(
      "INSERT INTO outgoing (group_name, kind, text, answers, at) VALUES ('family', 'notice', ?, '[]', ?)",
    );
    const tab = await stand.page();
    const look = (state: 'hidden' | 'visible') =>
      tab.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
    const opened = tab.waitForRequest((request) => request.url().includes('/api/groups/family/events'));
    await visit(tab, `${stand.origin}/groups/family`);
    await opened;
    for (const text of ['The ferry is late', 'The ferry is here']) {
      const closed = tab.waitForEvent('requestfailed', (request) => request.url().includes('/family/events'));
      await look('hidden');
      await closed;
      told.run(text, Date.now());
      await look('visible');
      await tab.getByRole('log').getByText(text).waitFor();
    }
    expect(await tab.getByRole('log').getByText('The ferry is late').count()).toBe(1);
    db.close();
    await tab.context().close();
  });

  it.skipIf(trouble)(
    because(
      'a new host answers the waiting message; the answer is shown as Markdown, and later in the session',
      trouble,
    ),
    async () => {
      const host = launch(stand.env, ['host', 'run']);
      await host.says('Waiting for messages');
      await page.getByRole('log').getByText('The tide is high.').waitFor({ timeout: 120_000 });
      expect(await page.getByRole('log').locator('strong', { hasText: 'high' }).count()).toBe(1);
      await page.getByText('The host is running').waitFor();
      await page
        .getByLabel('Say something to family')
        .fill(scripted('And now?', [{ text: 'It <img src=x onerror=alert(1)> falls.' }]));
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('log').getByText('falls.').last().waitFor({ timeout: 120_000 });
      expect(await page.locator('.chat img').count()).toBe(0);
      host.child.kill('SIGINT');
      await host.ended;
      stand.run('ingest');
      await show('/groups/family');
      // The prompt contains the scripted answer too, and is shown as Markdown as well.
      await page.getByRole('log').getByText('The tide is high.', { exact: true }).waitFor();
      await page.getByText('No host is running, so no agent answers.').waitFor();
      await page.getByRole('link', { name: 'Active session' }).click();
      await page.getByText('How high is the tide?').first().waitFor();
    },
  );
});
