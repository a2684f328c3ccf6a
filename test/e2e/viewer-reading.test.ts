// Reading one session, and finding one among all: the steps that a person takes, in a real browser.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const lamp = 'cccccccc-0000-4000-8000-000000000001';
const gulls = 'cccccccc-0000-4000-8000-000000000002';

const buoys = 'cccccccc-0000-4000-8000-000000000003';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Prompts with long answers between them, over midnight; a command that fails, an edit, and words far down. */
function transcript(session: string, topic: string, turns: number): string {
  const lines: string[] = [];
  const idOf = (i: number) => `${session.slice(0, 8)}-${session.slice(-4)}-4000-8000-${String(i).padStart(12, '0')}`;
  const push = (type: 'user' | 'assistant', content: unknown) => {
    const timestamp = new Date(Date.parse('2026-03-01T23:30:00Z') + lines.length * 30_000).toISOString();
    const ids = { uuid: idOf(lines.length), parentUuid: lines.length === 0 ? null : idOf(lines.length - 1) };
    const tokens = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 0 };
    const said = type === 'user' ? {} : { id: `msg-${lines.length}`, model: 'claude-opus-4-7', usage: tokens };
    const message = { role: type, content, ...said };
    lines.push(
      JSON.stringify({
        type,
        ...ids,
        sessionId: session,
        timestamp,
        cwd: `/srv/${topic}`,
        gitBranch: 'fix/it',
        message,
      }),
    );
  };
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id: `${session}${id}`, name, input });
  const result = (id: string, content: string, is_error = false) =>
    push('user', [{ type: 'tool_result', tool_use_id: `${session}${id}`, content, is_error }]);
  push('user', `Mend the ${topic}\n\n- **wick** first\n- then \`oil\`\n\n\`\`\`ts\nlight = "<script>"\n\`\`\``);
  push('assistant', [{ type: 'text', text: 'I look.' }, use('c', 'Bash', { command: 'make light' })]);
  result('c', 'Exit code 2\nno oil', true);
  push('assistant', [
    use('e', 'Edit', {
      file_path: `/srv/${topic}/wick.ts`,
      old_string: 'let it = "wet"',
      new_string: 'let it = "dry"',
    }),
  ]);
  result('e', 'ok');
  push('assistant', [use('l', 'Bash', { command: 'git commit -m "Dry the wick"' })]);
  result('l', `[fix/it 1a2b3c4] Dry the wick\n${'x '.repeat(20_000)}in the middle ${'y '.repeat(20_000)}`);
  for (let i = 0; i < turns; i++) {
    push('user', `Prompt number ${i} about the ${topic}`);
    push('assistant', [{ type: 'text', text: `Answer ${i}. ${'It is a long story of the sea. '.repeat(40)}` }]);
  }
  push('user', [
    { type: 'text', text: 'See how it burns' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  ]);
  push('assistant', [{ type: 'text', text: 'At last a quokka came by.' }]);
  if (topic === 'gulls') {
    const oars = Array.from({ length: 600 }, (_, i) => (i === 300 ? 'amidships()' : `oar(${i})`));
    push('assistant', [use('w', 'Write', { file_path: `/srv/${topic}/oars.ts`, content: oars.join('\n') })]);
    result('w', 'ok');
    push('assistant', [use('n', 'Write', { file_path: '/var/notes/log.md', content: 'all well' })]);
    result('n', 'ok');
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** More prompts and edits than the page asks for at first: each edit is of one of two files. */
function longTranscript({ turns, edits }: { turns: number; edits: number }): string {
  const line = (i: number, type: 'user' | 'assistant', content: unknown) => ({
    ...{ type, uuid: `buoy-${i}`, parentUuid: i === 0 ? null : `buoy-${i - 1}`, sessionId: buoys, cwd: '/srv/buoys' },
    timestamp: new Date(Date.parse('2026-03-05T08:00:00Z') + i * 1000).toISOString(),
    message: { role: type, content },
  });
  const edit = (i: number) => ({
    ...{ type: 'tool_use', id: `toolu_buoy_${i}`, name: 'Edit' },
    input: {
      file_path: `/srv/buoys/${i % 2 === 0 ? 'bell' : 'light'}.ts`,
      old_string: `old(${i})`,
      new_string: `new(${i})`,
    },
  });
  const lines = Array.from({ length: turns }, (_, i) => [
    line(2 * i, 'user', `Mend buoy number ${i}`),
    line(2 * i + 1, 'assistant', [{ type: 'text', text: `Buoy ${i} floats.` }, ...(i < edits ? [edit(i)] : [])]),
  ]);
  return lines
    .flat()
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');
}

describe.skipIf(noBrowser)(because('a session in the viewer', noBrowser), () => {
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    stand = await viewerStand();
    for (const [id, topic, turns] of [
      [lamp, 'lamp', 60],
      [gulls, 'gulls', 1],
    ] as const) {
      mkdirSync(path.join(stand.claude, `-srv-${topic}`));
      writeFileSync(path.join(stand.claude, `-srv-${topic}`, `${id}.jsonl`), transcript(id, topic, turns));
    }
    stand.run('ingest');
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });
  const show = (address: string) => visit(page, `${stand.origin}${address}`);

  it('shows prompts as Markdown, commands with their outcome, and edits as red and green lines with highlighted code', async () => {
    await show(`/sessions/${lamp}`);
    await page.locator('.entry.person strong', { hasText: 'wick' }).waitFor();
    await page.locator('details.tool', { hasText: '$ make light' }).getByText('exit 2').waitFor();
    const edit = page.locator('details.tool.edit');
    await edit.locator('ins', { hasText: 'dry' }).waitFor();
    await edit.locator('del', { hasText: 'wet' }).waitFor();
    await edit.locator('ins .hl-keyword', { hasText: 'let' }).waitFor();
    await page.locator('.entry.person pre .hl-string', { hasText: '"<script>"' }).waitFor();
    expect(await edit.locator('summary').textContent()).toContain('wick.ts');
    await page.getByText('Sunday, March 1, 2026').waitFor();
    await page.locator('.branch', { hasText: 'fix/it' }).waitFor();
  });

  it('shows a long output whole and pictures when they are asked for, and tells commits and tokens', async () => {
    await show(`/sessions/${gulls}`);
    const commit = page.locator('details.tool.command', { hasText: 'git commit' });
    await commit.locator('summary').click();
    expect(await commit.textContent()).not.toContain('in the middle');
    await commit.getByRole('button', { name: 'Show all of it' }).click();
    await commit.getByText('in the middle').waitFor();
    const entry = page.locator('.entry.person', { hasText: 'See how it burns' });
    await entry.getByRole('button', { name: 'Show pictures' }).click();
    await until(
      async () => (await entry.locator('img').evaluate((img) => (img as { naturalWidth?: number }).naturalWidth)) === 1,
      'the picture',
    );
    const about = page.getByRole('complementary', { name: 'About this session' });
    await about.getByRole('link', { name: 'Dry the wick' }).waitFor();
    await about.getByText('claude-opus-4-7').waitFor();
    await about.getByText(/^\$0\.\d{4} in all, by the list prices of/).waitFor();
  });

  it('keeps an opened tool open after it has been out of sight', async () => {
    await show(`/sessions/${lamp}`);
    const command = page.locator('details.tool.command').first();
    await command.locator('summary').click();
    await command.getByText('no oil').waitFor();
    const commands = page.locator('details.tool.command');
    const goes = (key: string, isThere: (count: number) => boolean) =>
      until(async () => {
        await page.keyboard.press(key);
        return isThere(await commands.count());
      }, key);
    await goes('End', (count) => count === 0);
    await goes('Home', (count) => count > 0);
    await page.locator('details.tool.command').first().getByText('no oil').waitFor();
  });

  it('goes from prompt to prompt with j and k, and with the outline', async () => {
    await show(`/sessions/${lamp}`);
    await page.locator('.outline li').nth(60).waitFor();
    // A page restores the scroll position. This test starts at the top.
    await until(async () => {
      await page.keyboard.press('Home');
      return (await page.evaluate('scrollY')) === 0;
    }, 'the top');
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('j');
      await page.locator('.entry.focused', { hasText: `Prompt number ${i}` }).waitFor();
    }
    await page.keyboard.press('k');
    await page.locator('.entry.focused', { hasText: 'Prompt number 1' }).waitFor();
    await page.locator('.outline').getByText('Prompt number 50').click();
    await page.locator('.entry.focused', { hasText: 'Prompt number 50' }).waitFor();
  });

  it('finds words in the whole session, counts them, and stays beside the bar', async () => {
    await show(`/sessions/${lamp}`);
    await page.locator('.entry').first().waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('quokka');
    await page.getByText('1 of 1').waitFor();
    await page.locator('.entry.focused', { hasText: 'quokka' }).waitFor();
    const field = page.getByRole('searchbox', { name: 'Find in this session' });
    expect((await field.boundingBox())?.y).toBeLessThan(80);
    await field.fill('prompt number');
    await page.getByText(/^\d+ of 60$/).waitFor();
    await field.fill('nothing like it');
    await page.getByText('Not in this session').waitFor();
  });

  it('shows all changes by file, and the briefing it was given', async () => {
    await show(`/sessions/${lamp}`);
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.locator('.changed-file', { hasText: 'wick.ts' }).locator('ins', { hasText: 'dry' }).waitFor();
    await page.getByRole('link', { name: 'Briefing', exact: true }).click();
    await page.getByText('This session was given no briefing').waitFor();
  });

  it('shows an edit whole that the store has cut, and tells the files outside the project', async () => {
    await show(`/sessions/${gulls}?tab=changes`);
    await page.getByText('3 files changed, 1 of them outside the project').waitFor();
    const long = page.locator('.changed-file', { hasText: 'oars.ts' });
    expect(await long.textContent()).not.toContain('amidships');
    await long.getByRole('button', { name: 'Show all of it' }).click();
    await long.locator('ins', { hasText: 'amidships()' }).waitFor();
  });

  it('can be starred, named and tagged, and is found by that among all sessions', async () => {
    await show(`/sessions/${gulls}`);
    await page.getByRole('button', { name: 'Starred' }).click();
    await page.getByRole('button', { name: 'Starred', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Name and tags…' }).click();
    await page.getByLabel('Name (empty: its own title)').fill('The roof');
    await page.getByLabel('Tags, separated by spaces').fill('birds');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'The roof' }).waitFor();
    await show('/sessions');
    await page.getByText('2 sessions').waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('birds');
    await page.getByText('1 session of 2').waitFor();
    await page.locator('.session-row', { hasText: 'The roof' }).waitFor();
    expect(page.url()).toContain('tag=birds');
  });

  it('forgets one entry, and nothing else', async () => {
    await show(`/sessions/${gulls}`);
    const entry = page.locator('.entry', { hasText: 'quokka' });
    await entry.hover();
    await entry.getByRole('button', { name: 'Forget this entry' }).click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await until(async () => (await page.locator('.entry', { hasText: 'quokka' }).count()) === 0, 'its end');
    await page.locator('.entry', { hasText: 'Mend the gulls' }).waitFor();
    expect(JSON.parse(stand.run('sessions', 'find', gulls, 'quokka', '--json')).matches).toEqual([]);
  });

  it('shows its keys', async () => {
    await show('/sessions');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next prompt').waitFor();
    await page.keyboard.press('Escape');
    await until(async () => (await page.getByRole('dialog').count()) === 0, 'the dialog to close');
  });

  it('exports a copy to share, in which no script runs', async () => {
    await show(`/sessions/${lamp}`);
    await page.getByRole('button', { name: 'Share…' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^2026-03-02-mend-the-lamp.*\.html$/);
    const html = readFileSync(await saved.path(), 'utf8');
    expect(html).toContain('quokka');
    expect(html).not.toMatch(/<script/i);
  });

  it('has all prompts and all edits of a long session, which come after the first ones', async () => {
    mkdirSync(path.join(stand.claude, '-srv-buoys'));
    writeFileSync(path.join(stand.claude, '-srv-buoys', `${buoys}.jsonl`), longTranscript({ turns: 230, edits: 60 }));
    stand.run('ingest');
    await show(`/sessions/${buoys}`);
    const outline = page.locator('.outline');
    for (const last of [199, 229]) {
      await page.getByRole('button', { name: 'More prompts' }).click();
      await outline.getByText(`Mend buoy number ${last}`).waitFor();
    }
    // Further from the start than the first prompts reach: the keys fetch what lies around.
    await show(`/sessions/${buoys}`);
    await outline.getByText('Mend buoy number 99').waitFor();
    await until(async () => {
      await page.keyboard.press('End');
      return (await page.locator('.entry', { hasText: 'Mend buoy number 229' }).count()) > 0;
    }, 'the end');
    await page.keyboard.press('k');
    await outline.getByText('Mend buoy number 200').waitFor();
    await until(
      async () => (await outline.getByText('Mend buoy number 99', { exact: true }).count()) === 0,
      'the first prompts to leave the outline',
    );
    await page.getByRole('button', { name: 'Earlier prompts' }).click();
    await outline.getByText('Mend buoy number 99').waitFor();
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.getByText('2 files changed').waitFor();
    await until(async () => (await page.locator('.changed-part').count()) === 60, 'all edits');
    expect(await page.locator('.changed-file summary').allTextContents()).toEqual([
      'bell.ts+30 −30',
      'light.ts+30 −30',
    ]);
    await page.locator('.changed-part', { hasText: 'new(59)' }).waitFor();
  });
});
