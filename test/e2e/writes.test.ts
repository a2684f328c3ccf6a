// A kill at each system call that makes a change durable: settings, backup and restore leave the old state or the new, never half.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { because } from '../because.ts';
import { scatter } from '../contracts/chunks.ts';
import { ask, holdfast, type Place, place } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';

describe.skipIf(noTrace)(because('a kill in the middle', noTrace), () => {
  it('of config set leaves the old settings or the new', async () => {
    const at = place();
    await ask(at.env, 'config', 'set', 'pollIntervalMs', '40000');
    const kills = await killAtEach(
      at,
      () => ['config', 'set', 'pollIntervalMs', '50000'],
      async () => {
        const { value } = await ask(at.env, 'config', 'get', 'pollIntervalMs');
        expect([40000, 50000]).toContain(value);
      },
    );
    expect(kills).toBeGreaterThan(2);
    expect((await ask(at.env, 'config', 'get', 'pollIntervalMs')).value).toBe(50000);
  });

  it("of install and uninstall leaves the agent's files as they were or as they should be, and in the end nothing", async () => {
    const at = place();
    const [settings, servers] = ['.claude/settings.json', '.claude.json'].map((name) =>
      path.join(at.env.HOME as string, name),
    ) as [string, string];
    const theirs = {
      [settings]: '{\n  "model": "opus"\n}',
      [servers]: '{\n  "mcpServers": {},\n  "numStartups": 3\n}',
    };
    mkdirSync(path.dirname(settings));
    for (const [file, text] of Object.entries(theirs)) writeFileSync(file, text);
    const states = new Map(Object.entries(theirs).map(([file, text]) => [file, new Set([text])]));
    const look = async () => {
      for (const [file, seen] of states) seen.add(readFileSync(file, 'utf8'));
      // A lock that a killed process leaves expires after ten seconds.
      rmSync(`${servers}.lock`, { recursive: true, force: true });
    };
    expect(await killAtEach(at, () => ['install', 'claude-code'], look)).toBeGreaterThan(4);
    expect(await killAtEach(at, () => ['uninstall', 'claude-code'], look)).toBeGreaterThan(2);
    for (const [file, seen] of states) {
      expect(seen.size, file).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(theirs[file]);
    }
  });

  it('of backup leaves no incomplete file under the name of the backup', async () => {
    const at = place();
    await ingestSomething(at);
    const name = (round: number) => path.join(at.folder, `backup-${round}.db`);
    const kills = await killAtEach(
      at,
      (round) => ['backup', name(round)],
      async (round) => {
        if (!existsSync(name(round))) return;
        const fresh = place();
        expect((await ask(fresh.env, 'restore', name(round))).entries).toBe(2);
      },
    );
    expect(kills).toBeGreaterThan(2);
    expect(existsSync(name(kills))).toBe(true);
  });

  it('of a name or tag for a session leaves the old one or the new one', async () => {
    const at = place();
    await ingestSomething(at);
    await ask(at.env, 'tag', 'first', 'old');
    const kills = await killAtEach(
      at,
      () => ['name', 'first', 'Another', 'name'],
      async () => {
        const [session] = (await ask(at.env, 'sessions')).sessions;
        expect(['prompt 0 of first', 'Another name']).toContain(session.title);
        expect(session.tags).toEqual(['old']);
      },
    );
    expect(kills).toBeGreaterThan(1);
    expect((await ask(at.env, 'sessions')).sessions[0].title).toBe('Another name');
  });

  it('of counting tokens loses no session: the next count finishes', async () => {
    const at = place();
    await ingestSomething(at);
    const store = await openSqliteStore(at.database);
    onTestFinished(() => store.close());
    let due = (await store.usage.due(Date.now(), 10)).length;
    expect(due).toBeGreaterThan(0);
    const kills = await killAtEach(
      at,
      () => ['sessions', 'count'],
      async () => {
        const left = (await store.usage.due(Date.now(), 10)).length;
        expect(left).toBeLessThanOrEqual(due);
        due = left;
        expect(await store.admin.integrity()).toEqual([]);
      },
    );
    expect(kills).toBeGreaterThan(1);
    expect(due).toBe(0);
  });

  it('of writing a copy to share leaves the old copy or the new one, complete', async () => {
    const at = place();
    await ingestSomething(at);
    const file = path.join(at.folder, 'copy.html');
    writeFileSync(file, 'old');
    const kills = await killAtEach(
      at,
      () => ['archive', 'first', '--output', file],
      async () => {
        const text = readFileSync(file, 'utf8');
        if (text !== 'old') expect(text).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
      },
    );
    expect(kills).toBeGreaterThan(1);
    expect(readFileSync(file, 'utf8')).toContain('prompt 1 of first');
  });

  it('of merging the index loses no word, and the next merge continues', async () => {
    const at = place();
    mkdirSync(at.home);
    const store = await openSqliteStore(at.database);
    onTestFinished(() => store.close());
    await scatter(store);
    // No command does only this, so a script does what the worker does.
    const script = path.join(at.folder, 'merge.mjs');
    const open = JSON.stringify(path.join(import.meta.dirname, '../../dist/store/sqlite/open.js'));
    writeFileSync(
      script,
      `import { openSqliteStore } from ${open};
const store = await openSqliteStore(${JSON.stringify(at.database)});
while (await store.admin.mergeIndex());
await store.close();`,
    );
    const found = async () => (await store.search.keywords(parseKeywords('w256 w17'), { limit: 5000 })).length;
    const before = await found();
    expect(before).toBeGreaterThan(100);
    const kills = await killAtEach(
      at,
      () => [],
      async () => {
        expect(await found()).toBe(before);
        expect(await store.admin.integrity()).toEqual([]);
      },
      { start: script },
    );
    expect(kills).toBeGreaterThan(2);
    expect(await store.admin.isIndexScattered()).toBe(false);
  });

  it('of restore leaves the old database or the restored one, and the old one is kept', async () => {
    const at = place();
    await ingestSomething(at);
    const backup = path.join(at.folder, 'backup.db');
    await ask(at.env, 'backup', backup);
    writeTranscript(at, 'later', 5);
    await ask(at.env, 'ingest');
    const kills = await killAtEach(
      at,
      () => ['restore', backup],
      async () => {
        const { counts, checks } = await ask(at.env, 'doctor');
        expect([2, 7]).toContain(counts.entries);
        expect(checks.find((check: { name: string }) => check.name === 'store').ok).toBe(true);
      },
    );
    expect(kills).toBeGreaterThan(2);
    expect((await ask(at.env, 'doctor')).counts.entries).toBe(2);
    const kept = readdirSync(at.home).filter((file) => /before-restore-[\d-]+T?[\dZ-]*$/.test(file));
    expect(kept.length).toBeGreaterThan(0);
    expect(
      readFileSync(path.join(at.home, kept[0] as string))
        .subarray(0, 15)
        .toString(),
    ).toBe('SQLite format 3');
  });
});

async function ingestSomething(at: Place): Promise<void> {
  writeTranscript(at, 'first', 2);
  const { code } = await holdfast(at.env, 'ingest');
  expect(code).toBe(0);
}

function writeTranscript(at: Place, session: string, entries: number): void {
  const folder = path.join(at.claude, '-home-dev-app');
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: entries }, (_, i) => ({
    type: 'user',
    uuid: `${session}-${i}`,
    parentUuid: i === 0 ? null : `${session}-${i - 1}`,
    sessionId: session,
    cwd: '/home/dev/app',
    timestamp: new Date(Date.UTC(2026, 0, 1, 10, i)).toISOString(),
    message: { role: 'user', content: `prompt ${i} of ${session}` },
  }));
  writeFileSync(path.join(folder, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
