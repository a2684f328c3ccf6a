// Where the person decides in the viewer: what to forget, which proposals to keep, which sessions and projects to look at.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openHoldfast } from '../../src/app/open.ts';
import { bringInLine } from '../../src/distill/memory/librarian.ts';
import { because } from '../because.ts';
import { applyExtraction, conversation, extraction, fact } from '../memory-stand.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const word = 'quixotoplasm';
const line = (session: string, folder: string, i: number, type: 'user' | 'assistant', content: unknown) =>
  JSON.stringify({
    ...{ type, uuid: `${session}-e${i}`, sessionId: session, cwd: folder },
    timestamp: `2026-04-01T10:0${i}:00.000Z`,
    message: { role: type, content },
  });

/** A session whose first tool use shows a secret, and a session of another project. */
function transcripts(claude: string): void {
  const write = (project: string, session: string, lines: readonly string[]) => {
    mkdirSync(path.join(claude, project), { recursive: true });
    writeFileSync(path.join(claude, project, `${session}.jsonl`), `${lines.join('\n')}\n`);
  };
  const use = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
  const result = (id: string, content: string, failed = false) => ({
    ...{ type: 'tool_result', tool_use_id: id, content },
    ...(failed ? { is_error: true } : {}),
  });
  write('-srv-lamp', 'session-lamp', [
    line('session-lamp', '/srv/lamp', 0, 'user', 'Look at the lamp'),
    line('session-lamp', '/srv/lamp', 1, 'assistant', [
      { type: 'text', text: 'I look at both.' },
      use('t1', `cat ${word}.env`),
      use('t2', 'cat lamp.ts'),
    ]),
    line('session-lamp', '/srv/lamp', 2, 'user', [result('t1', `TOKEN=${word}`)]),
    line('session-lamp', '/srv/lamp', 3, 'user', [result('t2', 'lit')]),
  ]);
  write('-srv-gulls', 'session-gulls', [
    line('session-gulls', '/srv/gulls', 0, 'user', 'Count the gulls'),
    line('session-gulls', '/srv/gulls', 1, 'assistant', [{ type: 'text', text: 'I count.' }, use('t3', 'count')]),
    line('session-gulls', '/srv/gulls', 2, 'user', [result('t3', 'no such program', true)]),
  ]);
}

/** Two proposals: conversations contradict what the person wrote by hand. */
async function proposals(env: NodeJS.ProcessEnv): Promise<void> {
  const { context, config, close } = await openHoldfast(env);
  try {
    const say = (n: number, key: string, text: string) =>
      applyExtraction(
        context,
        conversation(`said-${n}-${key}`, `${n === 1 ? 2026 : 2099}-01-01T00:00:00.000Z`),
        extraction(fact(key, text)),
        'offline',
      );
    await say(1, 'manager', 'npm');
    await say(1, 'editor', 'vim');
    const file = path.join(config.memoryPath, 'core/facts.md');
    const text = readFileSync(file, 'utf8').replace('npm', 'bun, always').replace('vim', 'emacs, always');
    writeFileSync(file, text);
    await bringInLine(context);
    await say(2, 'manager', 'deno');
    await say(2, 'editor', 'nano');
  } finally {
    await close();
  }
}

describe.skipIf(noBrowser)(because('deciding in the viewer', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    transcripts(stand.claude);
    stand.run('ingest');
    await proposals(stand.env);
    await stand.startWorker();
    page = await stand.page();
  });
  afterEach(() => expect(stand.troubles).toEqual([]));
  afterAll(() => stand?.close());

  const show = (address: string) => visit(page, `${stand.origin}${address}`);
  const file = (name: string) => {
    try {
      return readFileSync(path.join(stand.home, 'memory', name), 'utf8');
    } catch {
      return '';
    }
  };

  it('keeps one proposal as the person’s own word, and rejects another for good', async () => {
    await show('/memory');
    const proposal = (text: string) => page.locator('.statement', { hasText: text });
    await proposal('deno').getByRole('button', { name: 'Keep what it says' }).click();
    await proposal('deno').waitFor({ state: 'detached' });
    await proposal('nano').getByRole('button', { name: 'Reject for good' }).click();
    await proposal('nano').waitFor({ state: 'detached' });
    await until(
      () => /manager:\*\* deno/.test(file('core/facts.md')) && !/deno|nano/.test(file('questions.md')),
      'both decisions',
    );
    expect(file('core/facts.md')).toContain('emacs, always');
  });

  it('shows sessions by how they ended, and compares projects', async () => {
    await show('/sessions?outcome=failed');
    await page.getByText('1 session of 2').waitFor();
    await page.getByText('Count the gulls').waitFor();
    await show('/projects');
    await page.getByLabel('Compare lamp').check();
    await page.getByLabel('Compare gulls').check();
    await page.getByRole('link', { name: 'Compare 2 projects' }).click();
    await page.getByRole('columnheader', { name: 'gulls' }).waitFor();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('cell');
    expect(await row('Ended with a failure').allTextContents()).toEqual(['0', '1']);
    expect(await row('Prompts').allTextContents()).toEqual(['1', '1']);
    await page.setViewportSize({ width: 360, height: 740 });
    const lines = await page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents([...document.querySelectorAll('.compared th')].find((one) => one.textContent === 'Prompts'));
      return range.getClientRects().length;
    })()`);
    expect(lines, 'a narrow window breaks no word').toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('forgets one tool use, and the rest of its entry stays', async () => {
    await show('/sessions/session-lamp');
    const tool = page.locator('details.tool', { hasText: word });
    await tool.locator('summary').click();
    await tool.getByRole('button', { name: 'Forget this tool use' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 tool use').waitFor();
    await dialog.getByRole('button', { name: 'Forget it' }).click();
    await page.getByText(word).first().waitFor({ state: 'detached' });
    await page.getByText('I look at both.').waitFor();
    await page.getByText('cat lamp.ts').first().waitFor();
    const { hits } = JSON.parse(stand.run('search', word, '--json'));
    expect(JSON.stringify(hits)).not.toContain(word);
  });
});
