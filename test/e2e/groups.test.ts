// Groups through the program itself: the channel for agents, the worker, and failures.
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHoldfast } from '../../src/app/open.ts';
import { groupDeps } from '../../src/operations/groups/group-deps.ts';
import { createGroup, openGroup } from '../../src/sessions/groups/groups.ts';
import { because } from '../because.ts';
import { ask, holdfast, launch, type Place, place, program, temporaryFolder, until } from './holdfast.ts';
import { keepingCalls, killAtEach, noTrace, removingCalls } from './kill-at.ts';

function say(at: Place, group: string, session: string, text: string): string {
  const folder = path.join(at.home, 'agent-homes', group, '.claude', 'projects', '-workspace-group');
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${session}.jsonl`);
  const line = { type: 'user', uuid: `${session}-0`, sessionId: session, timestamp: '2026-05-01T12:00:00.000Z' };
  fs.writeFileSync(file, `${JSON.stringify({ ...line, message: { role: 'user', content: text } })}\n`);
  return file;
}

describe('holdfast mcp --group', () => {
  it('20: is the channel of one group: four tools, and its own sessions alone', async () => {
    const at = place();
    for (const group of ['tide', 'reef']) {
      await ask(at.env, 'groups', 'create', group);
      say(at, group, `${group}-1`, `the ${group} lighthouse`);
      await ask(at.env, 'groups', 'point', group, `${group}-1`);
    }
    const client = new Client({ name: 'tester', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program, 'mcp', '--group', 'tide'],
        env: at.env as Record<string, string>,
      }),
    );
    onTestFinished(() => client.close());
    const call = async (name: string, given: Record<string, unknown> = {}) =>
      ((await client.callTool({ name, arguments: given })).content as { text: string }[])[0]?.text ?? '';
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'clear_session',
      'list_sessions',
      'resume_session',
      'search_sessions',
    ]);
    expect(await call('search_sessions', { query: 'lighthouse' })).toMatch(/tide lighthouse/);
    expect(await call('search_sessions', { query: 'lighthouse' })).not.toContain('reef');
    expect(await call('clear_session', { name: 'Lighthouse' })).toMatch(
      /resumed as 1.*conversations\/.*lighthouse\.md/,
    );
    expect(await call('list_sessions')).toContain('1 Lighthouse');
    expect(await call('resume_session', { id: 1 })).toContain('tide-1');
    const cut = await holdfast(at.env, 'groups', 'point', 'tide', 'tide-');
    expect(cut).toMatchObject({ code: 2, stderr: expect.stringContaining('Give the whole id: tide-1') });
    expect((await ask(at.env, 'groups', 'show', 'tide')).group.pointer.session).toBe('tide-1');
    expect((await ask(at.env, 'groups', 'show', 'reef')).group.pointer.session).toBe('reef-1');
  });

  it('refuses a group that does not exist and a name that cannot be a group', async () => {
    const at = place();
    expect(await holdfast(at.env, 'mcp', '--group', '../reef')).toMatchObject({ code: 2 });
    expect(await holdfast(at.env, 'mcp', '--group', 'reef')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('There is no group reef'),
    });
    expect(await holdfast(at.env, 'groups', 'show', 'reef')).toMatchObject({ code: 3 });
    expect(await holdfast(at.env, 'groups', 'create', 'global')).toMatchObject({ code: 2 });
    expect(await holdfast(at.env, 'groups', 'search', 'tide')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('See: holdfast groups search --help'),
    });
    expect(await holdfast(at.env, 'sessions', 'archive', 'x')).toMatchObject({ code: 3 });
    expect(await holdfast(at.env, 'sessions', 'purge', '--older-than', 'soon', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--older-than cannot be understood'),
    });
    expect(await holdfast(at.env, 'groups', 'create', 'CON')).toMatchObject({ code: 2 });
    expect((await ask(at.env, 'groups')).groups).toEqual([]);
    expect(fs.existsSync(path.join(at.home, 'groups'))).toBe(false);
  });
});

it('a worker imports what a group’s agent writes as the group’s, also for a group created later', async () => {
  const at = place();
  const worker = launch(at.env, ['worker', 'run']);
  await until(() => fs.existsSync(at.database), 'the database');
  await ask(at.env, 'groups', 'create', 'tide');
  say(at, 'tide', 'tide-1', 'the tide lighthouse');
  await until(
    async () => (await ask(at.env, 'groups', 'show', 'tide')).group.sessions === 1,
    'the session of the group',
  );
  expect((await ask(at.env, 'sessions')).sessions).toEqual([]);
  const ofGroup = await ask(at.env, 'sessions', '--group', 'tide');
  expect(ofGroup.sessions).toMatchObject([{ id: 'tide-1', project: 'tide' }]);
  // The person can read it; only the group can continue it.
  expect((await ask(at.env, 'show', 'tide-1')).entries).toHaveLength(1);
  const resumed = await holdfast(at.env, 'resume', 'tide-1', '--print');
  expect(resumed).toMatchObject({ code: 5, stderr: expect.stringContaining('holdfast groups resume tide tide-1') });
  // 15: the conversation is archived in the group's own folder before a compaction.
  await worker.says('listening');
  const token = fs.readFileSync(path.join(at.home, 'token'), 'utf8').trim();
  const told = { session_id: 'tide-1', hook_event_name: 'PreCompact', trigger: 'auto', transcript_path: '/nowhere' };
  const hooked = await fetch(`http://127.0.0.1:${at.env.HOLDFAST_PORT}/api/hooks/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(told),
  });
  expect(hooked.status).toBe(200);
  const archives = path.join(at.home, 'groups', 'tide', 'conversations');
  await until(() => fs.readdirSync(archives).some((name) => name.endsWith('.md')), 'the archive');
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0 });
});

it('remove says what it will delete, needs a yes, and then deletes exactly that', async () => {
  const at = place();
  for (const group of ['tide', 'reef']) {
    await ask(at.env, 'groups', 'create', group);
    say(at, group, `${group}-1`, `the ${group} lighthouse`);
    await ask(at.env, 'groups', 'point', group, `${group}-1`);
  }
  const folders = ['agent-homes/tide', 'snapshots/tide', 'groups/tide'].map((name) => path.join(at.home, name));
  expect(await ask(at.env, 'groups', 'remove', 'tide', '--dry-run')).toMatchObject({
    ...{ removed: false, folders, session: 'tide-1' },
  });
  // Without a terminal it cannot ask: it does nothing, and the exit code tells the script.
  expect(await holdfast(at.env, 'groups', 'remove', 'tide')).toMatchObject({ code: 2 });
  expect(folders.every((folder) => fs.existsSync(folder))).toBe(true);
  expect(await ask(at.env, 'groups', 'remove', 'tide', '--yes')).toMatchObject({ removed: true, folders });
  expect(folders.some((folder) => fs.existsSync(folder))).toBe(false);
  expect((await ask(at.env, 'groups')).groups.map(({ name }: { name: string }) => name)).toEqual(['reef']);
  expect(await holdfast(at.env, 'groups', 'remove', 'tide', '--yes')).toMatchObject({ code: 3 });
  // The entries stay, apart from the person's, and belong to no group, not even a new one of the same name.
  expect((await ask(at.env, 'search', 'tide lighthouse')).hits).toEqual([]);
  const left = await ask(at.env, 'search', 'tide lighthouse', '--group', 'tide:removed');
  expect(left.hits[0]).toMatchObject({ session: 'tide-1' });
  await ask(at.env, 'groups', 'create', 'tide');
  expect((await ask(at.env, 'groups', 'search', 'tide', 'lighthouse')).hits).toEqual([]);
});

describe.skipIf(noTrace)(because('a kill at any call that makes a change durable', noTrace), () => {
  /** The memory, opened in this process to prepare and to check. */
  async function opened(at: Place) {
    const memory = await openHoldfast(at.env);
    onTestFinished(() => memory.close());
    const deps = groupDeps(memory.context);
    await createGroup(deps, 'tide');
    return { deps, tide: await openGroup(deps, 'tide'), memory };
  }

  it('of clear leaves the session active, or bookmarked with its archive', async () => {
    const at = place();
    const { tide } = await opened(at);
    const seen = new Set<string>();
    const kills = await killAtEach(
      at,
      async (round) => {
        say(at, 'tide', `s${round}`, `the lighthouse of round ${round}`);
        await tide.activate(`s${round}`);
        return ['groups', 'clear', 'tide', '--name', `Round ${round}`];
      },
      async (round) => {
        const active = (await tide.current()) === `s${round}`;
        const marked = (await tide.bookmarks()).some(({ session }) => session === `s${round}`);
        expect([active, marked], `call ${round}`).toEqual(active ? [true, false] : [false, true]);
        const archive = fs.readdirSync(tide.folders.conversations).filter((name) => name.endsWith(`round-${round}.md`));
        if (marked) expect(archive, `call ${round}`).toHaveLength(1);
        for (const file of archive)
          expect(fs.readFileSync(path.join(tide.folders.conversations, file), 'utf8')).toContain(`of round ${round}\n`);
        seen.add(active ? 'old' : 'new');
      },
    );
    expect(kills).toBeGreaterThan(4);
    expect([...seen].sort()).toEqual(['new', 'old']);
  });

  it('of resume leaves one session or the other active, and a history that agrees', async () => {
    const at = place();
    const { tide } = await opened(at);
    const seen = new Set<string>();
    const kills = await killAtEach(
      at,
      async (round) => {
        for (const name of ['old', 'new']) say(at, 'tide', `${name}${round}`, `the ${name} one of round ${round}`);
        await tide.activate(`old${round}`);
        const { bookmark } = await tide.clear(`Old ${round}`);
        await tide.activate(`new${round}`);
        return ['groups', 'resume', 'tide', String(bookmark?.id), '--save-current-as', `New ${round}`];
      },
      async (round) => {
        const names = (await tide.bookmarks()).map(({ name }) => name).filter((name) => name.endsWith(` ${round}`));
        const active = await tide.current();
        expect([active, names]).toEqual(
          active === `new${round}` ? [`new${round}`, [`Old ${round}`]] : [`old${round}`, [`New ${round}`]],
        );
        seen.add(String(active).slice(0, 3));
      },
    );
    expect(kills).toBeGreaterThan(4);
    expect([...seen].sort()).toEqual(['new', 'old']);
  });

  it('of create leaves no group without its folders', async () => {
    const at = place();
    const { memory } = await opened(at);
    const kills = await killAtEach(
      at,
      (round) => ['groups', 'create', `g${round}`],
      async (round) => {
        if ((await memory.store.groups.get(`g${round}`)) === undefined) return;
        expect(fs.existsSync(path.join(at.home, 'groups', `g${round}`, 'CLAUDE.md'))).toBe(true);
        const settings = path.join(at.home, 'agent-homes', `g${round}`, '.claude', 'settings.json');
        expect(JSON.parse(fs.readFileSync(settings, 'utf8'))).toHaveProperty('env');
      },
    );
    expect(kills).toBeGreaterThan(3);
  });

  it('of remove leaves a group that can be removed again, or nothing', async () => {
    const at = place();
    const { deps, memory } = await opened(at);
    const kills = await killAtEach(
      at,
      async (round) => {
        await createGroup(deps, `g${round}`);
        say(at, `g${round}`, `r${round}`, 'the lighthouse');
        return ['groups', 'remove', `g${round}`, '--yes'];
      },
      async (round) => {
        const folders = ['agent-homes', 'snapshots', 'groups'].map((name) => path.join(at.home, name, `g${round}`));
        const left = folders.filter((folder) => fs.existsSync(folder));
        if ((await memory.store.groups.get(`g${round}`)) === undefined) expect(left, `call ${round}`).toEqual([]);
        else expect(await ask(at.env, 'groups', 'remove', `g${round}`, '--yes')).toMatchObject({ removed: true });
        expect(folders.filter((folder) => fs.existsSync(folder))).toEqual([]);
      },
    );
    expect(kills).toBeGreaterThan(4);
  });

  it('of a snapshot leaves the old one or the new one, complete', async () => {
    const at = place();
    const { tide, deps } = await opened(at);
    await tide.snapshot();
    const file = path.join(tide.folders.snapshots, 'session_history.json');
    // No command writes snapshots: a script does what a host does.
    const script = path.join(at.folder, 'snapshot.mjs');
    const dist = (name: string) => JSON.stringify(path.join(import.meta.dirname, '../../dist', name));
    fs.writeFileSync(
      script,
      `import { openHoldfast } from ${dist('app/open.js')};
import { groupDeps } from ${dist('operations/groups/group-deps.js')};
import { openGroup } from ${dist('sessions/groups/groups.js')};
const memory = await openHoldfast();
await (await openGroup(groupDeps(memory.context), 'tide')).snapshot([{ id: 'one' }]);
await memory.close();`,
    );
    let marks = 0;
    const kills = await killAtEach(
      at,
      async (round) => {
        marks = round;
        await tide.activate(`s${round}`);
        await deps.store.groups.leaveSession(
          'tide',
          { agent: 'claude-code', session: `s${round}` },
          { leaving: { agent: 'claude-code', session: `s${round}`, name: 'x', createdAt: 1 }, at: round },
        );
        return [];
      },
      async () => {
        const { sessions } = JSON.parse(fs.readFileSync(file, 'utf8'));
        expect(sessions.length).toBeLessThanOrEqual(marks);
      },
      { start: script },
    );
    expect(kills).toBeGreaterThan(2);
    expect(JSON.parse(fs.readFileSync(file, 'utf8')).sessions).toHaveLength(marks);
  });

  it.each([
    ['each file that goes', removingCalls, 3],
    ['each other call that lasts', keepingCalls, 2],
  ])('of a purge, at %s, leaves sessions intact, or fully deleted once it runs again', async (_, calls, least) => {
    const at = place();
    const folder = path.join(at.claude, '-srv-app');
    fs.mkdirSync(folder, { recursive: true });
    for (const id of ['p1', 'p2', 'p3']) {
      const line = { type: 'user', uuid: id, sessionId: id, cwd: '/srv/app', timestamp: '2026-01-01T00:00:00Z' };
      fs.writeFileSync(path.join(folder, `${id}.jsonl`), `${JSON.stringify({ ...line, message: { content: id } })}\n`);
    }
    await ask(at.env, 'ingest');
    await ask(at.env, 'vault', '--fill');
    const origin = path.join(temporaryFolder(), 'origin');
    fs.cpSync(at.home, origin, { recursive: true });
    const purge = ['sessions', 'purge', '--keep', '0', '--yes'];
    const looked = async <T>(
      look: (store: Awaited<ReturnType<typeof openHoldfast>>['store']) => Promise<T>,
    ): Promise<T> => {
      const memory = await openHoldfast(at.env);
      return look(memory.store).finally(() => memory.close());
    };
    const kills = await killAtEach(
      at,
      () => {
        fs.rmSync(at.home, { recursive: true });
        fs.cpSync(origin, at.home, { recursive: true });
        return purge;
      },
      async () => {
        const left = await looked(async (store) => {
          const sessions = await store.sessions.list({});
          for (const { agent, id } of sessions) expect(await store.entries.transcript(agent, id)).toHaveLength(1);
          return sessions.length;
        });
        expect([0, 3]).toContain(left);
        if (left > 0) await ask(at.env, ...purge);
        await looked(async (store) => {
          expect(await store.entries.counts()).toMatchObject({ sessions: 0, entries: 0, toolUses: 0 });
          expect(await store.vault.copies()).toEqual([]);
          expect(await store.admin.integrity()).toEqual([]);
        });
      },
      { calls },
    );
    expect(kills).toBeGreaterThan(least);
  });
});
