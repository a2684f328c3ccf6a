// The viewer stays open while the real Claude Code works: events appear by themselves, once, even across a restart of the worker.
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { clientVersions, isMissing, machine, workerPid } from './claude.ts';
import { ask, holdfast, patienceMs } from './holdfast.ts';
import type { Step } from './mock-anthropic.ts';
import { launchBrowser, noBrowser } from './viewer-stand.ts';

const [version] = clientVersions;
const bash = (command: string): Step => ({ tool: 'Bash', input: { command } });
const allowed = ['--allowedTools', 'Bash'];

const why = noBrowser ?? (isMissing(version) ? 'that client is not installed' : undefined);

describe.skipIf(why)(because(`the viewer beside Claude Code ${version}`, why), () => {
  it('shows a session start, work and end; after a restart nothing is missing and nothing appears twice', async () => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const page: Page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    let loads = 0;
    page.on('framenavigated', () => loads++);
    const { address } = await ask(own.env, 'open', '--print');
    await page.goto(address);
    await page.getByText('Nothing is stored yet').waitFor();
    loads = 0;

    const script = [bash('echo lit'), { text: 'The lamp shines.', held: true }];
    const first = own.launch('Repair the lighthouse lamp', script, allowed);
    await page.locator('.running', { hasText: 'Repair the lighthouse lamp' }).waitFor();
    await page.locator('.state.active', { hasText: 'working' }).waitFor();
    expect(first.child.exitCode, 'it is shown while it runs').toBeNull();
    own.mock.go();
    const { id } = await first.ended;
    const answers = (text: string) => page.locator('.feed li:has(.kind.answer)', { hasText: text });
    await answers('The lamp shines.').waitFor();
    await page.locator('.running').waitFor({ state: 'detached' });

    process.kill(workerPid(own) as number, 'SIGKILL');
    await page.getByText('The worker does not answer').waitFor();
    await ask(own.env, 'worker', 'start');
    const second = await own.claude('And the foghorn', [{ text: 'It sounds.' }]);
    expect(second.code).toBe(0);
    await answers('It sounds.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await holdfast(own.env, 'process');
    await page
      .locator('.feed .kind', { hasText: /discovery|change|bugfix|feature/ })
      .first()
      .waitFor();

    expect(loads, 'the page was never loaded again').toBe(0);
    expect([await answers('The lamp shines.').count(), await answers('It sounds.').count()]).toEqual([1, 1]);
    // The page of a session grows too.
    await answers('The lamp shines.').locator('a').click();
    await page.locator('.entry.model', { hasText: 'The lamp shines.' }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('On your clipboard').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`cd ${own.project} && claude --resume ${id}`);
    await own.claude('More light', [{ text: 'A second lamp.' }], ['--resume', id]);
    await page.locator('.entry.model', { hasText: 'A second lamp.' }).waitFor();
    expect(await page.locator('.entry.model', { hasText: 'A second lamp.' }).count()).toBe(1);
  });
});
