import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { realFileSystem, type SessionFileSystem } from './files.ts';
import { SessionManager, type StoredMessage } from './index.ts';

const user = (content: unknown): StoredMessage => ({ role: 'user', content });
const assistant = (content: unknown): StoredMessage => ({ role: 'assistant', content });
/** Requirement 2 implemented a second way, character by character. Undefined if nothing is left or the name is reserved. */
function sanitised(name: string): string | undefined {
  let id = '';
  for (const letter of name.toLowerCase()) {
    const next = /^[a-z0-9_.]$/.test(letter) ? letter : '-';
    if ((next === '-' && (id === '' || id.endsWith('-'))) || (next === '.' && id.endsWith('.'))) continue;
    id += next;
  }
  id = id.slice(0, 64).replace(/-$/, '');
  const isReserved = /^(?:index|metadata|last_session|con|prn|aux|nul|com[1-9]|lpt[1-9])$/.test(id.split('.')[0] ?? '');
  return !/[a-z0-9_]/.test(id) || isReserved ? undefined : id;
}

const talk = [user('Help me with JWT'), assistant('Gladly.')];

let folder: string;
let manager: SessionManager;
const files = () => readdirSync(folder).filter((name) => name !== '.lock');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const index = () => JSON.parse(read('index.json'));
const idsOf = async (of = manager) => (await of.listSessions()).map(({ id }) => id);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'));
  manager = new SessionManager({ sessionDir: folder });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

describe('names and ids', () => {
  it('1: default ids are times with a random suffix, and never equal', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 20; i++) ids.add((await manager.saveSession(talk)).id);
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d-\d{3}-[a-z0-9]{4,}$/);
  });

  it.each([
    ['My Session', 'my-session'],
    ['  Fix: the *login* page!! ', 'fix-the-login-page'],
    ['a--b---c', 'a-b-c'],
    ['v1.2_final', 'v1.2_final'],
    ['Größe 5', 'gr-e-5'],
    ['Fix src/app.ts', 'fix-src-app.ts'],
    ['  Héllo//Wörld!!  -- x', 'h-llo-w-rld-x'],
    ['C:\\Users\\ada', 'c-users-ada'],
    ['a\0b', 'a-b'],
    ['v1...2', 'v1.2'],
    ['../up', '.-up'],
    [`${'x'.repeat(63)}-yyy`, 'x'.repeat(63)],
    ['y'.repeat(100), 'y'.repeat(64)],
  ])('2: the name %j becomes %s', async (name, id) => {
    const saved = await manager.saveSession(talk, { name });
    expect(saved).toMatchObject({ id, name });
    expect(files()).toContain(`${id}.json`);
  });

  it('2: none of three thousand names leaves the folder or silently replaces another session', async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const alphabet = [
      ...'abcABC019._- /\\:*?"<>|\0\n',
      '..',
      '../',
      'ß',
      'é',
      '日',
      '😀',
      '\u202e',
      '\ud800',
      'con',
      'nul.',
      'index',
    ];
    const kept = new Map<string, string>();
    const said = new Map<string, string>();
    const bare: SessionFileSystem = memoryFiles();
    const many = new SessionManager({ sessionDir: '/s', maxSessions: 100_000, fileSystem: bare });
    for (let i = 0; i < 3000; i++) {
      const name = Array.from({ length: 1 + random(8) }, () => alphabet[random(alphabet.length)]).join('');
      const wanted = sanitised(name);
      const saved = await many.saveSession([user(name)], { name }).catch((error: Error) => error);
      const isTaken = wanted !== undefined && name !== wanted && (kept.get(wanted) ?? name) !== name;
      if (wanted === undefined || isTaken) {
        expect(saved, JSON.stringify(name)).toMatchObject({ code: wanted === undefined ? 'BAD_NAME' : 'NAME_TAKEN' });
        continue;
      }
      if (saved instanceof Error) throw saved;
      expect(saved.id, JSON.stringify(name)).toBe(wanted);
      expect(saved.id).toMatch(/^[a-z0-9_.-]{1,64}$/);
      // Apart from its name, a session answers only to its id.
      if (name !== saved.id) expect(kept.get(saved.id) ?? name, 'one id, one name').toBe(name);
      if (!kept.has(saved.id)) kept.set(saved.id, saved.name);
      said.set(saved.id, name);
    }
    expect(kept.size).toBeGreaterThan(1000);
    for (const path of await bare.readdir('/s')) expect(path).not.toMatch(/[/\\]/);
    for (const [id, name] of said) expect((await many.loadSession(id))?.messages).toEqual([user(name)]);
  }, 120_000);

  it('3: a save with an id continues that session', async () => {
    const first = await manager.saveSession(talk);
    const second = await manager.saveSession([...talk, user('More')], { name: first.id });
    expect(second).toMatchObject({ id: first.id, messageCount: 3, createdAt: first.createdAt });
    expect(await idsOf()).toEqual([first.id]);
  });

  it('3: a save with an id from another program, which no name would become, continues that session too', async () => {
    const { name: _, ...rest } = await manager.saveSession(talk, { name: 'a' });
    const metadata = { ...rest, id: 'Upper', name: 'Upper' };
    writeFileSync(join(folder, 'Upper.json'), JSON.stringify({ metadata, messages: talk }));
    rmSync(join(folder, 'index.json'));
    expect((await manager.saveSession(talk, { name: 'Upper' })).id).toBe('Upper');
    expect(await idsOf()).toEqual(['Upper', 'a']);
  });

  it('3: the same name continues the session; another name for the same id is refused and changes nothing', async () => {
    await manager.saveSession(talk, { name: 'My Session' });
    await manager.saveSession([...talk, user('More')], { name: 'My Session' });
    const before = read('my-session.json');
    await expect(manager.saveSession([user('x')], { name: 'my session!' })).rejects.toThrow(
      /"my session!" would be the session "my-session", which is named "My Session"/,
    );
    expect(read('my-session.json')).toBe(before);
    expect(index().sessions['my-session']).toMatchObject({ messageCount: 3, name: 'My Session' });
  });

  it.each([
    'index',
    'Metadata',
    'LAST_SESSION',
    'con',
    'PRN',
    'aux',
    'nul',
    'com1',
    'COM9',
    'lpt5',
    'con.txt',
    'nul.tar.gz',
  ])('5: %s is reserved', async (name) => {
    await expect(manager.saveSession(talk, { name })).rejects.toThrow(/reserved/);
    await expect(manager.loadSession(name)).rejects.toThrow(/reserved/);
    expect(files()).toEqual([]);
  });

  it.each(['..', '../x', 'a/b', 'a\\b', 'a\0b', '', 'a..b', 'ä'])('6: every method refuses the id %j', async (id) => {
    for (const call of [
      () => manager.loadSession(id),
      () => manager.deleteSession(id),
      () => manager.restoreSession(id),
      () => manager.sessionExists(id),
    ])
      await expect(call()).rejects.toThrow(/cannot be a session id/);
    await expect(manager.loadSession(undefined as never)).rejects.toThrow(/must be a text/);
  });

  it.each(['日本語', '!!!', '---', '', '..', '/', '. / .'])('6: the name %j is refused', async (name) => {
    await expect(manager.saveSession(talk, { name })).rejects.toThrow(/cannot name a session/);
    expect(files()).toEqual([]);
  });
});

describe('what is kept', () => {
  it('4: the first words, cut between characters, and defaults', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2025, 0, 4, 14, 32, 15, 1) });
    const long = `${'😀'.repeat(150)}${'é'.repeat(100)}`;
    const first = await manager.saveSession([assistant('Hi'), user(long)], { name: 'a' });
    expect(first).toMatchObject({ provider: 'unknown', model: 'unknown', createdAt: '2025-01-04T14:32:15.001Z' });
    expect([...first.firstMessage]).toHaveLength(200);
    expect(first.firstMessage).toBe(`${'😀'.repeat(150)}${'é'.repeat(50)}`);
    vi.setSystemTime(Date.UTC(2025, 0, 4, 15));
    const second = await manager.saveSession(talk, { name: 'a', provider: 'p', model: 'm' });
    expect(second).toMatchObject({
      createdAt: first.createdAt,
      lastActivityAt: '2025-01-04T15:00:00.000Z',
      provider: 'p',
    });
    const third = await manager.saveSession(talk, { name: 'a' });
    expect(third).toMatchObject({ provider: 'p', model: 'm' });
  });

  it('7 and 15: messages come back unchanged, whatever they contain', async () => {
    const odd: StoredMessage[] = [
      {
        role: 'user',
        content: [{ type: 'text', text: 'blocks' }],
        extra: { deep: [1, null, '\u2028"\\'] },
        name: 'Ann',
      },
      { role: 'tool', content: { any: 'json' } },
      assistant(null),
      assistant('日本語 😀 \ud83d'),
      assistant('x'.repeat(3_000_000)),
    ];
    for (const messages of [odd, [], [assistant('only me')]]) {
      const { id } = await manager.saveSession(messages);
      expect((await manager.loadSession(id))?.messages).toEqual(messages);
    }
    expect(Object.keys(JSON.parse(read(`${(await idsOf())[0]}.json`))).sort()).toEqual([
      'contextSummary',
      'messages',
      'metadata',
    ]);
  });

  it.each([
    ['half a file', (text: string) => text.slice(0, text.length / 2)],
    ['no object', () => '[]'],
    ['another id', (text: string) => text.replace('"id": "a"', '"id": "b"')],
    ['messages that are none', (text: string) => text.replace(/"messages": \[[\s\S]*\]/, '"messages": {"0": 1}')],
    ['a message without a role', (text: string) => text.replace('"role":"user"', '"roll":"user"')],
    ['metadata without a time', (text: string) => text.replace(/"createdAt": "[^"]*"/, '"createdAt": "soon"')],
  ])('7: a file with %s is no session, and stays', async (_, spoil) => {
    await manager.saveSession(talk, { name: 'a' });
    const spoilt = spoil(read('a.json'));
    writeFileSync(join(folder, 'a.json'), spoilt);
    expect(await manager.loadSession('a')).toBeNull();
    expect(await manager.restoreSession('a')).toBeNull();
    rmSync(join(folder, 'index.json'));
    expect(await idsOf()).toEqual([]);
    expect(read('a.json')).toBe(spoilt);
  });

  it('7: an invalid message is refused, and nothing is written', async () => {
    for (const bad of [undefined, 'x', [1], [{ role: 'user' }], [{ content: 'x' }], [{ role: 1, content: '' }]])
      await expect(manager.saveSession(bad as never)).rejects.toThrow(/The session was not saved/);
    await expect(manager.saveSession([user(10n)])).rejects.toThrow(/The session was not saved/);
    expect(files()).toEqual([]);
    expect(await manager.loadSession('absent')).toBeNull();
  });

  it('14: restoring gives the messages, and a summary apart from them', async () => {
    const messages = [user(`${'Help me implement JWT authentication '.repeat(5)}`), assistant('Yes'), user('Go on')];
    const { id, createdAt } = await manager.saveSession(messages, {
      name: 'Auth work',
      description: 'Login and tokens',
    });
    const restored = await manager.restoreSession(id);
    expect(restored?.messages).toEqual(messages);
    expect(restored?.contextSummary).toBe(
      [
        'You are resuming a previous conversation session.',
        'Session: Auth work',
        `Created: ${createdAt}`,
        `Last activity: ${createdAt}`,
        'Total messages: 3 (2 from user, 1 from assistant)',
        'Description: Login and tokens',
        `First topic: ${'Help me implement JWT authentication '.repeat(5).slice(0, 100)}...`,
        '',
        'The conversation history follows. Continue naturally from where you left off.',
      ].join('\n'),
    );
    expect(JSON.parse(read(`${id}.json`)).contextSummary).toBe(restored?.contextSummary);
    expect(await manager.restoreSession('absent')).toBeNull();
  });
});

describe('the index', () => {
  it('8: lists the newest first, and the later save for equal times, and opens only the index', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
    for (const name of ['a', 'b', 'c']) await manager.saveSession(talk, { name });
    await manager.saveSession(talk, { name: 'a' });
    const opened: string[] = [];
    const watching: SessionFileSystem = {
      ...realFileSystem,
      readFile(path) {
        opened.push(path);
        return realFileSystem.readFile(path);
      },
    };
    expect(await idsOf(new SessionManager({ sessionDir: folder, fileSystem: watching }))).toEqual(['a', 'c', 'b']);
    expect(opened).toEqual([join(folder, 'index.json')]);
  });

  it('8: names that are numbers keep their order among equal times too', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
    for (const name of ['7', 'a', '3', '7']) await manager.saveSession(talk, { name });
    expect(await idsOf()).toEqual(['7', '3', 'a']);
  });

  it('9: a save under the name of a file that holds no session renames that file first', async () => {
    await manager.saveSession(talk, { name: 'other' });
    writeFileSync(join(folder, 'notes.json'), '{"metadata": {"id": "notes"}, "messages": [{"role": "us');
    expect(await manager.loadSession('notes')).toBeNull();
    await manager.saveSession(talk, { name: 'notes' });
    expect(await manager.loadSession('notes')).toMatchObject({ messages: talk });
    const aside = files().filter((name) => name.startsWith('notes.json.'));
    expect(aside.map(read)).toEqual([expect.stringContaining('"role": "us')]);
    rmSync(join(folder, 'index.json'));
    expect((await idsOf()).sort()).toEqual(['notes', 'other']);
    expect(files()).toContain(aside[0]);
  });

  it('3 and 4: a save continues a session whose file is there but not in the index', async () => {
    const { createdAt } = await manager.saveSession(talk, { name: 'Put back', description: 'from a backup' });
    const text = read('put-back.json');
    await manager.deleteSession('put-back');
    writeFileSync(join(folder, 'put-back.json'), text);
    const restored = await manager.restoreSession('put-back');
    const saved = await manager.saveSession([...(restored?.messages ?? []), user('Go on')], { name: 'put-back' });
    expect(saved).toMatchObject({ name: 'Put back', createdAt, description: 'from a backup', messageCount: 3 });
    await manager.deleteSession('put-back');
    writeFileSync(join(folder, 'put-back.json'), text);
    await expect(manager.saveSession(talk, { name: 'put: back' })).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect(read('put-back.json')).toBe(text);
  });

  it('6 and 9: an id that leads out of the folder makes the index invalid, and nothing outside is touched', async () => {
    const { id, ...rest } = await manager.saveSession(talk, { name: 'a' });
    const away = `../${basename(folder)}-outside`;
    const outside = join(folder, `${away}.json`);
    onTestFinished(() => rmSync(outside, { force: true }));
    writeFileSync(outside, 'mine');
    const planted = { a: { id, ...rest }, [away]: { ...rest, id: away } };
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ ...index(), sessions: planted }));
    expect(await idsOf()).toEqual(['a']);
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ ...index(), sessions: planted }));
    expect(await manager.purgeSessions(0)).toBe(1);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  it.each([
    ['missing', () => rmSync(join(folder, 'index.json'))],
    ['half', () => writeFileSync(join(folder, 'index.json'), read('index.json').slice(0, 40))],
    ['of another version', () => writeFileSync(join(folder, 'index.json'), read('index.json').replace('1.0', '9.9'))],
    [
      'of another shape',
      () => writeFileSync(join(folder, 'index.json'), '{"version":"1.0","sessions":{"a":{}},"updatedAt":"2025-01-01"}'),
    ],
  ])('9: an index that is %s is rebuilt from the files', async (_, spoil) => {
    await manager.saveSession(talk, { name: 'a' });
    await manager.saveSession(talk, { name: 'b', description: 'second' });
    const list = await manager.listSessions();
    spoil();
    writeFileSync(join(folder, 'c.json'), 'not a session');
    writeFileSync(join(folder, 'd.json.tmp.17-abc'), 'half');
    expect(await manager.listSessions()).toEqual(list);
    spoil();
    await manager.saveSession(talk, { name: 'e' });
    expect(await idsOf()).toEqual(['e', 'b', 'a']);
    expect(index()).toMatchObject({ version: '1.0', updatedAt: expect.any(String) });
    expect(files().sort()).toEqual(['a.json', 'b.json', 'c.json', 'e.json', 'index.json', 'last_session']);
  });

  it('12: deleting says whether the session existed, and the last session becomes the newest that is left', async () => {
    for (const name of ['a', 'b']) await manager.saveSession(talk, { name });
    expect(await manager.getLastSession()).toBe('b');
    expect(await manager.deleteSession('absent')).toBe(false);
    expect(await manager.deleteSession('b')).toBe(true);
    expect(await manager.getLastSession()).toBe('a');
    rmSync(join(folder, 'a.json'));
    expect(await manager.getLastSession()).toBeNull();
    await manager.deleteSession('a');
    expect(files()).toEqual(['index.json']);
    writeFileSync(join(folder, 'last_session'), '../../etc/passwd');
    expect(await manager.getLastSession()).toBeNull();
  });

  it('13: a save keeps to the limit: it deletes the oldest activity first, and never the session just saved', async () => {
    const few = new SessionManager({ sessionDir: folder, maxSessions: 2 });
    for (const name of ['a', 'b', 'a', 'c']) await few.saveSession(talk, { name });
    expect(await idsOf(few)).toEqual(['c', 'a']);
    const future = JSON.parse(read('a.json'));
    future.metadata.lastActivityAt = '2999-01-01T00:00:00.000Z';
    writeFileSync(join(folder, 'a.json'), JSON.stringify(future));
    rmSync(join(folder, 'index.json'));
    const one = new SessionManager({ sessionDir: folder, maxSessions: 1 });
    await one.saveSession(talk, { name: 'd' });
    expect(await idsOf(one)).toEqual(['d']);
    expect(files().sort()).toEqual(['d.json', 'index.json', 'last_session']);
  });

  it('13: purge says how many sessions it deleted, and may keep none', async () => {
    for (const name of ['a', 'b', 'c']) await manager.saveSession(talk, { name });
    expect(await manager.purgeSessions()).toBe(0);
    expect(await manager.purgeSessions(2)).toBe(1);
    expect(await idsOf()).toEqual(['c', 'b']);
    expect(await manager.purgeSessions(0)).toBe(2);
    expect(await manager.getLastSession()).toBeNull();
    for (const bad of [-1, 1.5, Number.NaN]) await expect(manager.purgeSessions(bad)).rejects.toThrow(/cannot be kept/);
    expect(() => new SessionManager({ maxSessions: 0 })).toThrow(/maxSessions is 0/);
  });

  it('17: before the first save, there is no last session and the list is empty', async () => {
    const nowhere = new SessionManager({ sessionDir: join(folder, 'none') });
    expect(await nowhere.getLastSession()).toBeNull();
    expect(await nowhere.listSessions()).toEqual([]);
  });

  it('18: ~ is the home folder', async () => {
    const asked: string[] = [];
    const watching = new Proxy(memoryFiles(), {
      get:
        (target, key: keyof SessionFileSystem) =>
        (path: string, ...rest: string[]) => {
          asked.push(path);
          return (target[key] as (...all: string[]) => unknown)(path, ...rest);
        },
    });
    const homely = new SessionManager({ sessionDir: '~/agent', fileSystem: watching });
    await homely.saveSession(talk);
    expect(asked.length).toBeGreaterThan(5);
    for (const path of asked) expect(path.startsWith(join(homedir(), 'agent'))).toBe(true);
  });
});

describe('a file system that fails', () => {
  it('10 and 18: leaves every session old or new, at whatever call it fails, and the next save is complete', async () => {
    for (let at = 1; ; at++) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      await manager.saveSession(talk, { name: 'a' });
      await manager.saveSession(talk, { name: 'b' });
      let calls = 0;
      const failing = new Proxy(realFileSystem, {
        get:
          (target, key: keyof SessionFileSystem) =>
          async (...all: [string, string]) => {
            if (++calls === at) throw Object.assign(new Error('EIO: no more'), { code: 'EIO' });
            return (target[key] as (...all: string[]) => unknown)(...all);
          },
      });
      const weak = new SessionManager({ sessionDir: folder, fileSystem: failing });
      const outcome = await weak.saveSession([...talk, user('More')], { name: 'a' }).catch((error: Error) => error);
      const now = (await manager.loadSession('a'))?.messages.length;
      expect([2, 3], `failing at call ${at}`).toContain(now);
      const listed = await manager.listSessions();
      expect(listed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
      expect(listed.find(({ id }) => id === 'a')?.messageCount).toBe(now);
      await manager.saveSession(talk, { name: 'c' });
      expect((await idsOf()).sort()).toEqual(['a', 'b', 'c']);
      expect(files().filter((name) => name.includes('.tmp.'))).toEqual([]);
      if (calls < at) {
        expect(outcome).toMatchObject({ messageCount: 3 });
        break;
      }
    }
  });
});

/** A file system in memory, so that no path reaches the disk. */
function memoryFiles(): SessionFileSystem {
  const held = new Map<string, string>();
  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  const get = (path: string) => {
    const text = held.get(path);
    if (text === undefined) throw missing(path);
    return text;
  };
  const add = (path: string, text: string) => {
    if (held.has(path)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' });
    held.set(path, text);
  };
  return {
    readFile: async (path) => get(path),
    exists: async (path) => held.has(path),
    createFile: async (path, text) => add(path, text),
    async rename(from, to) {
      held.set(to, get(from));
      if (from !== to) held.delete(from);
    },
    link: async (from, to) => add(to, get(from)),
    async unlink(path) {
      get(path);
      held.delete(path);
    },
    readdir: async (path) =>
      [...held.keys()]
        .filter((name) => name.startsWith(`${path}/`) && !name.slice(path.length + 1).includes('/'))
        .map((name) => name.slice(path.length + 1)),
    mkdir: async () => undefined,
    syncFolder: async () => undefined,
  };
}
