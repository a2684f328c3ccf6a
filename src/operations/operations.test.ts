import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Holdfast, openHoldfast } from '../app/open.ts';
import { claimHost } from '../processes/host-holder.ts';
import { backup } from './data/backup.ts';
import { ingest } from './data/ingest.ts';
import { restore } from './data/restore.ts';
import { configGet, configList, configSet, configUnset } from './machine/config.ts';
import { doctor } from './machine/doctor.ts';
import { logs } from './machine/logs.ts';
import { conversations, conversationsShow } from './recall/conversations.ts';
import { toProject } from './recall/filters.ts';
import { projects } from './recall/projects.ts';
import { search } from './recall/search.ts';
import { sessions } from './recall/sessions.ts';
import { show } from './recall/show.ts';

const first = 'aaaaaaaa-0000-4000-8000-000000000001';
const second = 'aaaaaaaa-0000-4000-8000-000000000002';

let folder: string;
let holdfast: Holdfast;

/** A transcript in which a person and the model take turns, a minute apart. */
function transcript(session: string, day: string, texts: readonly string[]): string {
  const lines = texts.map((text, i) => ({
    type: i % 2 === 0 ? 'user' : 'assistant',
    uuid: `${session.slice(-1)}0000000-0000-4000-8000-00000000000${i}`,
    parentUuid: i === 0 ? null : `${session.slice(-1)}0000000-0000-4000-8000-00000000000${i - 1}`,
    sessionId: session,
    timestamp: `${day}T10:0${i}:00.000Z`,
    cwd: '/srv/shop',
    message: { role: i % 2 === 0 ? 'user' : 'assistant', content: i % 2 === 0 ? text : [{ type: 'text', text }] },
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-operations-'));
  const project = join(folder, '.claude', 'projects', '-work-shop');
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, `${first}.jsonl`),
    transcript(first, '2026-03-01', ['Why does the checkout test flake?', 'A race in the checkout worker.', 'Fix it.']),
  );
  writeFileSync(
    join(project, `${second}.jsonl`),
    transcript(second, '2026-03-05', ['数据库连接失败了', 'The checkout pool was too small.']),
  );
  holdfast = await openHoldfast({ HOME: folder, HOLDFAST_TIME_ZONE: 'UTC' });
  await ingest.run(holdfast.context, { reimport: false });
});

afterEach(async () => {
  await holdfast.close();
  rmSync(folder, { recursive: true, force: true });
});

const find = (query: string, more: Partial<Parameters<typeof search.run>[1]> = {}) =>
  search.run(holdfast.context, { query, kind: 'entry', subagents: false, limit: 10, ...more });

describe('search', () => {
  it('says that a project is unknown, so that a typing mistake does not look like lost memory', async () => {
    await expect(find('racing', { project: 'shpo' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('shpo'),
    });
    const folder = '/srv/elsewhere';
    expect(await find('racing', { project: folder })).toEqual({ hits: [], note: expect.stringContaining(folder) });
    expect(await find('nosuchword', { project: 'shop' })).toEqual({ hits: [] });
  });

  it('finds entries and marks the match', async () => {
    const { hits } = await find('racing workers');
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ kind: 'entry', session: first, project: 'shop', role: 'assistant' });
    expect(hits[0]?.snippet).toBe('A «race» in the checkout «worker».');
  });

  it('groups by session when sessions are asked for', async () => {
    const { hits } = await find('checkout', { kind: 'session' });
    expect(hits.map(({ id }) => id).sort()).toEqual([first, second]);
    expect((await find('checkout', { kind: 'session', limit: 1 })).hits).toHaveLength(1);
  });

  it('obeys project, role and dates', async () => {
    expect((await find('checkout', { role: 'user' })).hits).toHaveLength(1);
    expect((await find('checkout', { until: '2026-03-01' })).hits.map((hit) => hit.session)).toEqual([first, first]);
    expect((await find('checkout', { since: '2026-03-02' })).hits).toHaveLength(1);
    expect((await find('checkout', { project: 'shop' })).hits).toHaveLength(3);
    expect((await find('checkout', { project: '/srv/shop/src' })).hits).toHaveLength(3);
    expect((await find('checkout', { project: '/srv/elsewhere' })).hits).toHaveLength(0);
  });

  it('finds text that has no spaces', async () => {
    expect((await find('数据库')).hits[0]?.snippet).toContain('«');
  });

  it.each(['AND OR NOT', '🙂', 'text:x^2', '*x', '\ud800a', '"a'.repeat(20_000)])(
    'accepts any query (%#)',
    async (query) => {
      expect(Array.isArray((await find(query)).hits)).toBe(true);
    },
  );

  it('searches for the beginning of a query that is too long, and says so', async () => {
    const { hits, note } = await find(`checkout ${'a/'.repeat(25_000)}`);
    expect(hits.length).toBeGreaterThan(0);
    expect(note).toContain('first 10,000 characters');
    expect((await find('checkout')).note).toBeUndefined();
  });

  it.each(['  ', '"', '*', '-', '\0', '\ud800', '('.repeat(1000)])(
    'refuses one that has nothing in it (%#)',
    async (query) => {
      const refused = await find(query).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'BAD_INPUT' });
      expect((refused as Error).message.length).toBeLessThan(100);
    },
  );
});

describe('show', () => {
  it('shows a session by the beginning of its id', async () => {
    const shown = await show.run(holdfast.context, { id: first, subagents: false });
    expect(shown.entries.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(shown.session.resume).toContain(first);
  });

  it('shows an entry among its neighbours', async () => {
    const shown = await show.run(holdfast.context, { id: '10000000-0000-4000-8000-000000000001', subagents: false });
    expect(shown.focus).toBe('10000000-0000-4000-8000-000000000001');
    expect(shown.entries).toHaveLength(3);
  });

  it('names the candidates if the id is ambiguous, and says so if there are none', async () => {
    await expect(show.run(holdfast.context, { id: 'aaaa', subagents: false })).rejects.toMatchObject({
      code: 'AMBIGUOUS',
      hint: expect.stringContaining(second),
    });
    await expect(show.run(holdfast.context, { id: 'zzz%', subagents: false })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('lists', () => {
  it('sessions come newest first', async () => {
    const { sessions: found } = await sessions.run(holdfast.context, {});
    expect(found.map(({ id }) => id)).toEqual([second, first]);
    expect((await sessions.run(holdfast.context, { limit: 1 })).sessions).toHaveLength(1);
  });

  it('projects count their sessions', async () => {
    expect((await projects.run(holdfast.context, {})).projects).toMatchObject([
      { name: 'shop', sessions: 2, entries: 5 },
    ]);
  });

  it('a conversation is shown as text in the configured time zone, and an unknown one is named in the error', async () => {
    const {
      conversations: [last],
    } = await conversations.run(holdfast.context, { limit: 1 });
    const zoned = { ...holdfast.config, settings: { ...holdfast.config.settings, timeZone: 'Asia/Tokyo' } };
    const { text } = await conversationsShow.run({ ...holdfast.context, config: zoned }, { id: last?.id ?? 0 });
    const clock = new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' });
    expect(text).toContain(`[${clock.format(Date.parse(last?.firstAt ?? '')).replace(/\s/g, ' ')}] User: `);
    await expect(conversationsShow.run(holdfast.context, { id: 987 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a project name that looks like a path is taken as one', async () => {
    expect(await toProject(holdfast.store, 'shop')).toEqual({ name: 'shop' });
    expect(await toProject(holdfast.store, '.dotfiles')).toEqual({ name: '.dotfiles' });
    // The tests may run in a worktree.
    expect(await toProject(holdfast.store, '.', true)).toEqual({ path: process.cwd() });
    expect(await toProject(holdfast.store, 'src', true)).toEqual({ path: join(process.cwd(), 'src') });
    expect(await toProject(holdfast.store, '/gone/away/')).toEqual({ path: '/gone/away' });
  });

  it('a project whose transcripts contain no whole path is named by what they contain', async () => {
    const [project] = await holdfast.store.projects.list();
    if (project === undefined) throw new Error('no project');
    const store = {
      ...holdfast.store,
      projects: { ...holdfast.store.projects, list: async () => [{ ...project, path: '-srv/worktrees' }] },
    };
    expect(await toProject(store, '-srv/worktrees')).toEqual({ path: '-srv/worktrees' });
    expect(await toProject(store, '-srv/other')).toEqual({ path: join(process.cwd(), '-srv/other') });
  });
});

describe('doctor', () => {
  it('counts what the database holds', async () => {
    const report = await doctor.run(holdfast.context, {});
    expect(report.ok).toBe(true);
    expect(report.counts).toMatchObject({ files: 2, entries: 5, sessions: 2 });
    expect(report.disk.database).toBeGreaterThan(0);
  });

  it('names what other users can read', async () => {
    chmodSync(holdfast.config.databasePath, 0o644);
    const report = await doctor.run(holdfast.context, {});
    expect(report.ok).toBe(false);
    expect(report.checks.find(({ ok }) => !ok)?.message).toContain('holdfast.db (644)');
  });

  it('reports a database file that is not a database', async () => {
    await holdfast.close();
    for (const side of ['-wal', '-shm']) rmSync(holdfast.config.databasePath + side, { force: true });
    writeFileSync(holdfast.config.databasePath, 'x'.repeat(5000), { mode: 0o600 });
    const report = await doctor.run(holdfast.context, {});
    expect(report.checks.find(({ name }) => name === 'store')).toMatchObject({ ok: false });
  });
});

describe('backup and restore', () => {
  it('does not replace the database of a running host', async () => {
    const { file } = await backup.run(holdfast.context, {});
    const held = await claimHost(holdfast.config, 'test');
    await expect(restore.run(holdfast.context, { file })).rejects.toMatchObject({ code: 'CONFLICT' });
    if (held.held) held.release();
    expect(await restore.run(holdfast.context, { file })).toMatchObject({ entries: 5 });
  });

  it('bring back the old state, and keep the state before', async () => {
    const { file } = await backup.run(holdfast.context, {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const project = join(folder, '.claude', 'projects', '-work-shop');
    const third = second.replace('2', '3');
    writeFileSync(join(project, `${third}.jsonl`), transcript(`${first.slice(0, -1)}3`, '2026-03-06', ['One more']));
    await ingest.run(holdfast.context, { reimport: false });
    await holdfast.close();
    const restored = await restore.run(holdfast.context, { file });
    expect(restored).toMatchObject({ entries: 5, sessions: 2 });
    expect(existsSync(restored.previous ?? '')).toBe(true);
    holdfast = await openHoldfast({ HOME: folder });
    expect((await holdfast.store.entries.counts()).entries).toBe(5);
  });

  it('refuse a file that is not a sound Holdfast database, and change nothing', async () => {
    const { file } = await backup.run(holdfast.context, { file: join(folder, 'cut.db') });
    truncateSync(file, 8192);
    const text = join(folder, 'text');
    writeFileSync(text, 'not a database');
    copyFileSync(holdfast.config.databasePath, join(folder, 'before'));
    for (const bad of [file, text, folder, join(folder, 'absent')])
      await expect(restore.run(holdfast.context, { file: bad })).rejects.toMatchObject({ name: 'HoldfastError' });
    expect((await holdfast.store.entries.counts()).entries).toBe(5);
    expect(existsSync(`${holdfast.config.databasePath}.restore-${process.pid}`)).toBe(false);
  });

  it('never overwrite an existing file', async () => {
    const file = join(folder, 'mine');
    writeFileSync(file, '');
    await expect(backup.run(holdfast.context, { file })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('settings and logs', () => {
  it('a setting is set, read and removed', async () => {
    expect(await configSet.run(holdfast.context, { key: 'port', value: '4000' })).toMatchObject({
      value: 4000,
      origin: 'file',
    });
    expect(await configUnset.run(holdfast.context, { key: 'port' })).toMatchObject({
      removed: true,
      origin: 'default',
    });
    // A secret is stored, and never shown.
    const set = await configSet.run(holdfast.context, { key: 'distill.key', value: 'sk-quiet' });
    const stored = { ...holdfast.context, config: holdfast.config.reload() };
    expect(stored.config.settings.distill.key).toBe('sk-quiet');
    const shown = [set, await configGet.run(stored, { key: 'distill.key' }), await configList.run(stored, {})];
    expect(JSON.stringify(shown)).not.toContain('sk-quiet');
    expect(JSON.stringify(shown)).toContain('(hidden)');
    await expect(configSet.run(stored, { key: 'distill.model', value: 'gpt' })).rejects.toMatchObject({
      hint: 'distill.model must be one of: none, claude, anthropic, openai-compatible.',
    });
    await expect(configSet.run(stored, { key: 'distill.url', value: 'file:///etc' })).rejects.toMatchObject({
      hint: 'distill.url must be an address such as http://localhost:11434/v1.',
    });
    await expect(configGet.run(holdfast.context, { key: 'nope' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('the end of the log is shown', async () => {
    writeFileSync(holdfast.config.logPath, 'one\ntwo\nthree\n');
    expect((await logs.run(holdfast.context, { lines: 2, follow: false })).lines).toEqual(['two', 'three']);
  });
});
