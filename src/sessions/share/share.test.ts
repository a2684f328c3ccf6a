import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { archive } from '../../operations/data/archive.ts';
import { SharedSession } from './shared.ts';

const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}aBcDeF`;
const hostile = '</title></style><script>globalThis.owned=1</script><img src=x onerror="globalThis.owned=2">';

async function harbour() {
  const memory = await emptyMemory();
  await tell(memory, 'lamp-1', '/srv/lamp', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: `Mend the lamp ${hostile}` },
    {
      by: 'assistant',
      text: `The **wick** was wet. [a](javascript:alert(1)) [b](https://example.com/x) <pre><svg/onload=alert(1)> &lt; ![p](https://example.com/p.png)`,
      uses: [
        { name: 'Bash', input: { command: `make light # ${hostile}` }, failed: 'Exit code 2\nno oil' },
        { name: 'Edit', input: { file_path: '/srv/lamp/wick.ts', old_string: 'wet', new_string: 'dry' } },
      ],
    },
    { by: 'user', text: 'Then dry it' },
    { by: 'user', text: 'And light it' },
  ]);
  return memory;
}

const copy = async (memory: Awaited<ReturnType<typeof harbour>>, more: Partial<Parameters<typeof archive.run>[1]>) =>
  (await archive.run(memory.context, { id: 'lamp-1', withoutTools: false, subagents: false, output: '-', ...more }))
    .text as string;

describe('a copy of a session to share', () => {
  it('is Markdown with commands, outputs, edits, times, project and id', async () => {
    const text = await copy(await harbour(), { format: 'md' });
    for (const part of ['- Project: lamp', 'lamp-1', '2026-11-02 09:00', '```sh\nmake light', 'no oil', '(failed)'])
      expect(text).toContain(part);
    expect(text).toContain('**Edit** /srv/lamp/wick.ts\n\n```diff\n-wet\n+dry\n```');
  });

  it('leaves out tools on request', async () => {
    const text = await copy(await harbour(), { format: 'md', withoutTools: true });
    expect(text).toContain('The **wick** was wet');
    expect(text).not.toMatch(/make light|wick\.ts/);
  });

  it('is JSON that names its format', async () => {
    const shared = SharedSession.parse(JSON.parse(await copy(await harbour(), { format: 'json' })));
    expect(shared.entries.map(({ author }) => author)).toEqual(['person', 'model', 'person', 'person']);
    expect(shared.entries[1]?.uses?.map(({ outcome }) => outcome)).toEqual(['error', 'ok']);
  });

  it('is HTML that runs nothing and fetches nothing', async () => {
    const html = await copy(await harbour(), { format: 'html' });
    expect(html).toContain("default-src 'none'");
    const body = html.slice(html.indexOf('<body>'));
    expect(body).not.toMatch(/<(?:script|img|svg|iframe|link|object|form|input)/i);
    expect(html.match(/<script/gi)).toBeNull();
    expect([...body.matchAll(/<[^>]*>/g)].filter(([tag]) => /\son\w+=|javascript:|\ssrc=/i.test(tag))).toEqual([]);
    expect(
      [...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href).filter((href) => !href?.startsWith('#')),
    ).toEqual(['https://example.com/x']);
    expect(html).toContain('<ins>+ dry</ins>');
    expect(html).toContain('<del>- wet</del>');
    expect(html).toContain('exit 2');
    expect(html).toContain('3 prompts');
    expect(html).toContain('<strong>wick</strong>');
  });

  it('is redacted again by the current rules', async () => {
    const memory = await harbour();
    const { store } = memory.context;
    const [entry] = await store.entries.transcript('claude-code', 'lamp-1');
    // Like a row that an older version stored before it knew this kind of secret.
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(memory.context.config.databasePath);
    db.prepare('UPDATE entries SET text = ? WHERE uuid = ?').run(`token ${secret}`, entry?.id);
    db.prepare('UPDATE tool_uses SET output = ?').run(`token ${secret}`);
    db.close();
    for (const format of ['md', 'html', 'json'] as const) {
      const text = await copy(memory, { format });
      expect(text).toContain('token ');
      expect(text).not.toContain(secret);
    }
  });

  it('is a file that only its owner can read, named after the session and its day', async () => {
    const memory = await harbour();
    const file = path.join(memory.home, 'lamp.html');
    const done = await archive.run(memory.context, {
      id: 'lamp-1',
      withoutTools: false,
      subagents: false,
      output: file,
    });
    expect(done).toMatchObject({ outcome: 'shared', file });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
    const nowhere = { id: 'lamp-1', withoutTools: false, subagents: false, output: path.join(memory.home, 'no/x.md') };
    await expect(archive.run(memory.context, nowhere)).rejects.toThrow('no/x.md');
    const { remote: _, ...context } = memory.context;
    await expect(archive.run({ ...context, remote: true }, { ...nowhere, output: file })).rejects.toThrow(
      'must be "-"',
    );
    await expect(archive.run(memory.context, { id: 'lamp-1', withoutTools: true, subagents: false })).rejects.toThrow(
      'are for copies',
    );
  });
});
