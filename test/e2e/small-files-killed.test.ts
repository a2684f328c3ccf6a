// A kill while files beside the database are written: briefings for hooks, keys of browsers, and the note that a transcript was set aside.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { listBrowsers } from '../../src/processes/access/browsers.ts';
import { because } from '../because.ts';
import { ask, holdfast, launch, type Place, place, root, until } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';

function write(own: Place, session: string, cwd: string, ...texts: string[]): void {
  const folder = path.join(own.claude, cwd.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  const line = (text: string, i: number) => {
    const timestamp = new Date(Date.now() - 3_600_000 + i * 1000).toISOString();
    const message = { role: 'user', content: text };
    return `${JSON.stringify({ type: 'user', uuid: `${session}-${i}`, sessionId: session, cwd, timestamp, message })}\n`;
  };
  writeFileSync(path.join(folder, `${session}.jsonl`), texts.map(line).join(''));
}

describe('briefings, killed while they are written,', () => {
  const projects = ['/srv/tide', '/srv/reef', '/srv/pier'];
  const folderOf = (own: Place) => path.join(own.home, 'briefings');
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && !one.name.endsWith('.tmp'))
      .map((one) => path.join(one.parentPath, one.name));

  async function prepared(): Promise<Place> {
    const own = place();
    for (const [i, cwd] of projects.entries())
      write(own, `session-${i}`, cwd, `Mend the pump of ${cwd}`, 'And paint it');
    await ask(own.env, 'ingest');
    await worked(own);
    return own;
  }

  /** A worker writes all of them and ends. */
  async function worked(own: Place): Promise<void> {
    const worker = launch(own.env, ['worker', 'run']);
    await until(() => existsSync(path.join(folderOf(own), 'state.json')), 'the briefings');
    worker.child.kill('SIGTERM');
    await worker.ended;
  }

  /** What each session would be told. Every file under its final name is complete, and no note points nowhere. */
  function told(own: Place): Record<string, string> {
    const texts = path.join(folderOf(own), 'texts');
    const line = (hash: string) => readFileSync(path.join(texts, `${hash}.json`), 'utf8');
    if (existsSync(texts))
      for (const file of filesIn(texts).filter((name) => name.endsWith('.json'))) {
        const hash = path.basename(file, '.json');
        const project = readFileSync(path.join(texts, `${hash}.project`), 'utf8');
        expect(
          createHash('sha256')
            .update(`${project}\0${line(hash)}`)
            .digest('hex'),
        ).toBe(hash);
      }
    const folders = path.join(folderOf(own), 'folders');
    if (!existsSync(folders)) return {};
    return Object.fromEntries(
      filesIn(folders).map((file) => {
        const hash = readFileSync(file, 'utf8').trim();
        return [path.relative(folders, file), hash === '' ? '' : line(hash)];
      }),
    );
  }

  /** On a slow machine a command leaves some of them to the worker. */
  async function complete(own: Place, count: number): Promise<void> {
    const worker = launch(own.env, ['worker', 'run']);
    await until(() => Object.keys(told(own)).length >= count, 'all briefings');
    worker.child.kill('SIGTERM');
    await worker.ended;
  }

  it.skipIf(noTrace)(
    because('by a command, are complete or absent, and all there after the next one', noTrace),
    async () => {
      const own = await prepared();
      await ask(own.env, 'pin', 'session-0');
      await complete(own, 2 * projects.length);
      const expected = told(own);
      expect(Object.keys(expected).length).toBeGreaterThanOrEqual(2 * projects.length);
      for (const text of Object.values(expected)) expect(text).toContain('Mend the pump');
      const kills = await killAtEach(
        own,
        () => ['pin', 'session-0'],
        async (round) => {
          for (const [name, text] of Object.entries(told(own)))
            expect({ round, name, text }).toEqual({ round, name, text: expected[name] });
        },
        { calls: 'rename,renameat,renameat2,unlink,rmdir' },
      );
      expect(kills).toBeGreaterThan(10);
      await complete(own, Object.keys(expected).length);
      expect(told(own)).toEqual(expected);
    },
  );

  it('by the worker, are complete or absent, and all there after the next worker', async () => {
    const own = await prepared();
    const expected = told(own);
    const count = () => (existsSync(folderOf(own)) ? filesIn(folderOf(own)).length : 0);
    const all = count();
    for (const share of [0.1, 0.5, 0.9]) {
      await ask(own.env, 'mute', 'session-1');
      await ask(own.env, 'mute', 'session-1', '--remove');
      // Another version of the program rewrites all of them.
      writeFileSync(path.join(folderOf(own), 'state.json'), '{}');
      const worker = launch(own.env, ['worker', 'run']);
      await until(() => count() >= share * all);
      worker.child.kill('SIGKILL');
      await worker.ended;
      for (const [name, text] of Object.entries(told(own))) expect([name, text]).toEqual([name, expected[name]]);
    }
    writeFileSync(path.join(folderOf(own), 'state.json'), '');
    const worker = launch(own.env, ['worker', 'run']);
    await until(() => readFileSync(path.join(folderOf(own), 'state.json'), 'utf8').includes('rules'), 'the briefings');
    worker.child.kill('SIGTERM');
    await worker.ended;
    expect(told(own)).toEqual(expected);
  });
});

describe.skipIf(noTrace)(because('the key of a browser, killed while it is', noTrace), () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const key = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  );

  function stand(name: string, what: string): { own: Place; start: string } {
    const own = place();
    mkdirSync(own.home, { recursive: true, mode: 0o700 });
    const start = path.join(own.folder, `${name}.mjs`);
    const from = JSON.stringify(path.join(root, 'dist/processes/access/browsers.js'));
    writeFileSync(
      start,
      `import { listBrowsers, openBrowsers, revokeBrowser } from ${from};
       const [home, key] = ${JSON.stringify([own.home, key])};
       ${what}`,
    );
    return { own, start };
  }
  const known = ({ home }: Place) => listBrowsers(home, Date.now()).map(({ label }) => label);

  it('written, is complete or absent, and a draft opens nothing', async () => {
    const { own, start } = stand('register', "openBrowsers(home, 1234, Date.now).register(key, 'Firefox/130 Linux');");
    const seen = new Set<number>();
    const kills = await killAtEach(
      own,
      () => [],
      async () => {
        seen.add(known(own).length);
        for (const label of known(own)) expect(label).toBe('Firefox on Linux');
      },
      { start },
    );
    expect(kills).toBeGreaterThan(2);
    expect(seen).toEqual(new Set([0, 1]));
    expect(known(own)).toEqual(['Firefox on Linux']);
    // The next start removes what the killed processes left.
    expect(readdirSync(path.join(own.home, 'browsers'))).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.json$/)]);
  });

  it('revoked, is there or gone, and gone in the end', async () => {
    const { own, start } = stand(
      'revoke',
      `const browsers = openBrowsers(home, 1234, Date.now);
       if (listBrowsers(home, Date.now()).length === 0) browsers.register(key, 'Firefox/130 Linux');
       for (const { id } of listBrowsers(home, Date.now())) revokeBrowser(home, id);`,
    );
    const kills = await killAtEach(
      own,
      () => [],
      async () => expect([[], ['Firefox on Linux']]).toContainEqual(known(own)),
      { start },
    );
    expect(kills).toBeGreaterThan(2);
    expect(known(own)).toEqual([]);
  });
});

it('a killed import sets a transcript aside, the next one does so again, and the rest is stored once', async () => {
  const own = place();
  const hasty = { ...own.env, HOLDFAST_READ_SECONDS: '1.5' };
  write(own, 's1', '/srv/shop', 'before', '中'.repeat(10_000_000), 'after');
  write(own, 's2', '/srv/shop', 'another session');
  const rows = (sql: string): unknown[] => {
    if (!existsSync(own.database)) return [];
    const db = new Database(own.database, { readonly: true });
    try {
      return db.prepare(sql).pluck().all();
    } catch {
      // The table does not exist yet.
      return [];
    } finally {
      db.close();
    }
  };
  const isAside = () => rows('SELECT key FROM set_aside').length > 0;
  for (const early of [true, false]) {
    const running = launch(hasty, ['ingest']);
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    if (early) await Promise.race([until(() => rows('SELECT id FROM entries').length > 0), running.ended]);
    else while (!over && !isAside()) await sleep(1);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(rows('PRAGMA quick_check')).toEqual(['ok']);
  }
  const next = await holdfast(hasty, 'ingest');
  expect([0, 1]).toContain(next.code);
  const { checks } = JSON.parse((await holdfast(own.env, 'doctor', '--json')).stdout);
  expect(checks.find(({ name }: { name: string }) => name === 'set aside')).toMatchObject({ ok: false });
  expect(rows('SELECT key FROM set_aside')).toHaveLength(1);
  expect(rows('SELECT text FROM entries')).toEqual(expect.arrayContaining(['another session']));
  write(own, 's1', '/srv/shop', 'before', 'between', 'after');
  await ask(own.env, 'ingest');
  expect(rows('SELECT text FROM entries ORDER BY text')).toEqual(['after', 'another session', 'before', 'between']);
  expect(isAside()).toBe(false);
});
