// The session library in separate processes: killed at every call that writes, and eight of them at once in one folder.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionManager } from '../../src/sessions/library/index.ts';
import { because } from '../because.ts';
import { rounds } from '../rounds.ts';
import { noTrace } from './kill-at.ts';

const library = fileURLToPath(new URL('../../dist/sessions/library', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (body: string) => [
  '--input-type=module',
  '-e',
  `import { SessionManager, autosave } from ${JSON.stringify(`${library}/index.js`)};
   import { realFileSystem } from ${JSON.stringify(`${library}/files.js`)};
   const sessionDir = ${JSON.stringify(folder)};
   ${body}`,
];
const ended = (child: ReturnType<typeof spawn>) =>
  new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
const sessionFiles = () => readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'index.json');

/** The process ends right before its Nth call to the file system. Nothing on disk tells that from right after the call before. */
const dying = (change: string) => `
  let calls = 0;
  const fileSystem = new Proxy(realFileSystem, { get: (target, key) => async (...all) => {
    if (++calls === Number(process.argv[1])) {
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => setTimeout(() => {}, 1e6));
    }
    return target[key](...all);
  } });
  const manager = new SessionManager({ sessionDir, fileSystem, maxSessions: 3 });
  ${change}`;

const changes = {
  save: `await manager.saveSession([{ role: 'user', content: 'new' }, { role: 'user', content: 'x' }], { name: 'c' });`,
  'save over the limit': `await manager.saveSession([{ role: 'user', content: 'new' }], { name: 'd' });`,
  delete: `await manager.deleteSession('c');`,
  purge: `await manager.purgeSessions(1);`,
};

it.each(Object.entries(changes))(
  '10: a process that dies at any call of a %s leaves the old state or the new',
  async (_, change) => {
    for (let at = 1; ; at++) {
      rmSync(folder, { recursive: true, force: true });
      const manager = new SessionManager({ sessionDir: folder, maxSessions: 3 });
      for (const name of ['a', 'b', 'c']) await manager.saveSession([{ role: 'user', content: 'old' }], { name });
      const { signal } = spawnSync(process.execPath, [...script(dying(change)), String(at)]);
      const onDisk = new Map(
        sessionFiles().map((name) => [
          name.slice(0, -5),
          JSON.parse(readFileSync(join(folder, name), 'utf8')) as { messages: unknown[] },
        ]),
      );
      const listed = await manager.listSessions();
      expect(listed.map(({ id }) => id).sort(), `call ${at}`).toEqual([...onDisk.keys()].sort());
      for (const { id, messageCount } of listed) expect(messageCount).toBe(onDisk.get(id)?.messages.length);
      const last = await manager.getLastSession();
      if (last !== null) expect(onDisk.has(last)).toBe(true);
      await manager.saveSession([{ role: 'user', content: 'later' }], { name: 'a' });
      expect(await manager.getLastSession()).toBe('a');
      expect(readdirSync(folder).filter((name) => name.includes('.tmp.'))).toEqual([]);
      if (signal === null) break;
    }
  },
);

it.skipIf(noTrace)(because('10: every file is on disk before it gets its name, and then the folder', noTrace), () => {
  const log = join(folder, '..', `${basename(folder)}.calls`);
  try {
    const save = `await new SessionManager({ sessionDir }).saveSession([{ role: 'user', content: 'x' }], { name: 'a' });`;
    const traced = ['-f', '-y', '-qq', '-s', '300', '-e', 'trace=fsync,fdatasync,rename', '-o', log];
    expect(spawnSync('strace', [...traced, process.execPath, ...script(save)]).status).toBe(0);
    const calls = readFileSync(log, 'utf8').split('\n');
    const renames = calls.flatMap((call, at) => {
      const [, from, to] = /rename\("([^"]+)", "([^"]+)"/.exec(call) ?? [];
      return from?.includes('.tmp.') ? [{ from, to, at }] : [];
    });
    expect(renames.map(({ to }) => basename(to as string)).sort()).toEqual(['a.json', 'index.json', 'last_session']);
    for (const { from, at } of renames)
      expect(
        calls.slice(0, at).some((call) => /f(data)?sync\(/.test(call) && call.includes(`<${from}>`)),
        from,
      ).toBe(true);
    const last = Math.max(...renames.map(({ at }) => at));
    expect(calls.slice(last).some((call) => call.includes('fsync(') && call.includes(`<${folder}>`))).toBe(true);
  } finally {
    rmSync(log, { force: true });
  }
});

it('11: eight processes save into one folder for a while: no entry is lost, and the index equals the files', async () => {
  const seconds = rounds(3, 10);
  const body = `
    const me = process.argv[1];
    const manager = new SessionManager({ sessionDir, maxSessions: 100000 });
    const saved = {};
    for (let i = 0, until = Date.now() + ${seconds * 1000}; Date.now() < until; i++) {
      const messages = Array.from({ length: 1 + i % 5 }, (_, n) => ({ role: 'user', content: me + ' ' + i + ' ' + n }));
      const name = i % 3 === 0 ? undefined : 'of-' + me + '-' + (i % 7);
      const { id, messageCount } = await manager.saveSession(messages, { name });
      saved[id] = messageCount;
    }
    console.log(JSON.stringify(saved));`;
  const results = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const child = spawn(process.execPath, [...script(body), String(i)], { stdio: ['ignore', 'pipe', 'inherit'] });
      const parts: Buffer[] = [];
      child.stdout.on('data', (part) => parts.push(part));
      expect(await ended(child)).toBe(0);
      return Object.entries(JSON.parse(Buffer.concat(parts).toString()) as Record<string, number>);
    }),
  );
  const saved = new Map(results.flat());
  expect(saved.size).toBeGreaterThan(8);
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
    sessions: Record<string, { messageCount: number }>;
  };
  expect(new Set(Object.keys(index.sessions))).toEqual(new Set(saved.keys()));
  expect(new Set(sessionFiles())).toEqual(new Set([...saved.keys()].map((id) => `${id}.json`)));
  for (const [id, count] of saved) expect(index.sessions[id]?.messageCount).toBe(count);
});

it('11: eight processes that are killed and restarted lose nothing acknowledged', async () => {
  const body = `
    const manager = new SessionManager({ sessionDir, maxSessions: 100000 });
    for (;;) console.log((await manager.saveSession([{ role: 'user', content: 'x' }])).id);`;
  const acknowledged = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const children = Array.from({ length: 8 }, () =>
      spawn(process.execPath, script(body), { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    for (const [i, child] of children.entries()) {
      let [rest, said] = ['', 0];
      child.stdout.on('data', (part) => {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const id of lines) acknowledged.add(id);
        said += lines.length;
        if (said > i) setTimeout(() => child.kill('SIGKILL'), (i * 7 + round * 3) % 11);
      });
    }
    await Promise.all(children.map(ended));
  }
  const listed = (await new SessionManager({ sessionDir: folder, maxSessions: 100_000 }).listSessions()).map(
    ({ id }) => id,
  );
  expect(acknowledged.size).toBeGreaterThan(20);
  expect([...acknowledged].filter((id) => !listed.includes(id))).toEqual([]);
  expect(listed.map((id) => `${id}.json`).sort()).toEqual(sessionFiles().sort());
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  '16: %s saves first, and then ends the process as it would have',
  async (signal) => {
    const body = `
    const messages = [{ role: 'user', content: 'unsaved' }];
    const saving = autosave(new SessionManager({ sessionDir }), () => messages, { debounceMs: 60000 });
    saving.note('user-message');
    setInterval(() => {}, 1000);
    console.log('ready');`;
    const child = spawn(process.execPath, script(body), { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill(signal);
    expect(await ended(child)).toBe(signal);
    expect(await new SessionManager({ sessionDir: folder }).listSessions()).toMatchObject([
      { firstMessage: 'unsaved' },
    ]);
  },
);

it('imports nothing but Node', () => {
  const imported = readdirSync(library)
    .filter((file) => file.endsWith('.js'))
    .flatMap((name) => [
      ...readFileSync(join(library, name), 'utf8').matchAll(/^(?:import|export) .* from ['"]([^'"]+)['"]/gm),
    ])
    .map(([, from]) => from);
  expect(imported).toContain('node:fs');
  for (const from of imported) expect(from).toMatch(/^(node:|\.\/)/);
});
