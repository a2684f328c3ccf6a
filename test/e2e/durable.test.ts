// A power cut right after an acknowledged commit. The test rebuilds, from the program's system calls, what the disk certainly holds at that
// moment, plus some writes that were never synced.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { because, without } from '../because.ts';
import { diskAfter, type Moment } from './disk.ts';
import { dice, root, temporaryFolder } from './holdfast.ts';

const commits = 60;
const noTrace = without('strace', '-V');

/** Commits one chunk after another and prints each commit. Some are large, so that SQLite checkpoints the log on the way. */
const script = `
import Database from 'better-sqlite3';
import { writeSync } from 'node:fs';
const [store, database, synchronous] = process.argv.slice(2);
const original = Database.prototype.pragma;
Database.prototype.pragma = function (text, ...rest) {
  // Folded in twenty times as often as in earnest: the proof covers that, and stays small.
  const changed = text.replace(/^wal_autocheckpoint = .*/, 'wal_autocheckpoint = 200');
  return original.call(this, synchronous === 'as-is' ? changed : changed.replace(/^synchronous = .*/, 'synchronous = ' + synchronous), ...rest);
};
const { openSqliteStore } = await import(store);
const opened = await openSqliteStore(database);
const rules = { gapMs: 3600000, maxEntries: 500, maxChars: 200000 };
for (let n = 0; n < ${commits}; n++) {
  const text = 'chunk ' + n + ' ' + 'words that fill a page '.repeat(n % 7 === 0 ? 20000 : 20) + n;
  await opened.transcripts.commit([{
    agent: 'claude-code', key: 'p/s.jsonl', root: '/r', size: n + 1, subagent: undefined, from: n, to: n + 1,
    restart: false, last: true, lines: n + 1, malformed: 0, head: 'h', tail: 't', state: { version: 1, agent: {}, capture: {} }, bornAt: 1, status: 'ok',
    sessions: [{ session: 's', cwd: '/w', projectPath: '/w', title: undefined }],
    entries: [{ uuid: 'u' + n, session: 's', pos: n, at: n, role: 'user', author: 'person', text, tools: [], toolUses: [], joinsAt: undefined }],
    results: [],
  }], rules);
  writeSync(1, 'acknowledged ' + n + '\\n');
}
await opened.close();
`;

/** The moments at which the program printed that a commit is done. */
function trace(folder: string, synchronous: 'as-is' | 'NORMAL'): { home: string; moments: Moment[] } {
  const home = path.join(folder, `traced-${synchronous}`);
  mkdirSync(home);
  // Inside the checkout, where the script finds the same packages as the program.
  const file = path.join(root, 'node_modules', '.cache', `durable-${process.pid}-${synchronous}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, script);
  const log = path.join(folder, `${synchronous}.strace`);
  const calls =
    'openat,open,creat,close,dup,dup2,dup3,pwrite64,write,writev,pwritev,fsync,fdatasync,ftruncate,truncate,rename,renameat,renameat2,unlink,unlinkat,mmap,msync,fallocate,lseek';
  const store = path.join(root, 'dist/store/sqlite/open.js');
  const args = ['-f', '-y', '-xx', '-s', '10000000', '-e', `trace=${calls}`, '-o', log];
  const ran = spawnSync(
    'strace',
    [...args, process.execPath, file, store, path.join(home, 'holdfast.db'), synchronous],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );
  rmSync(file);
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' });
  return { home, moments: diskAfter(readFileSync(log, 'latin1'), home, /^acknowledged (\d+)\n$/) };
}

/** Lays out what the disk holds at a moment, and reads it with SQLite. */
function survivors(folder: string, moment: Moment, keep: () => boolean): Set<string> {
  const after = path.join(folder, 'after');
  rmSync(after, { recursive: true, force: true });
  mkdirSync(after);
  // The process that opens the database first rebuilds the shared memory.
  for (const [name, bytes] of moment.disk(keep))
    if (!name.endsWith('-shm')) writeFileSync(path.join(after, name), bytes);
  const db = new Database(path.join(after, 'holdfast.db'));
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const made = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'entries'").get() !== undefined;
    return new Set(made ? (db.prepare('SELECT uuid FROM entries').pluck().all() as string[]) : []);
  } finally {
    db.close();
  }
}

const acknowledged = (moment: Moment) => Array.from({ length: Number(moment.said) + 1 }, (_, n) => `u${n}`);
const missing = (moment: Moment, found: ReadonlySet<string>) => acknowledged(moment).filter((uuid) => !found.has(uuid));

it.skipIf(noTrace)(because('every acknowledged commit survives a power cut', noTrace), () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const { moments } = trace(folder, 'as-is');
  expect(moments.map(({ said }) => Number(said))).toEqual(Array.from({ length: commits }, (_, n) => n));
  // SQLite wrote the database itself, not only the log: the proof covers checkpoints.
  expect(moments.at(-1)?.writtenTo('holdfast.db')).toBeGreaterThan(1 << 20);
  for (const moment of moments) {
    const note = `seed ${seed}, after commit ${moment.said}`;
    expect(
      missing(
        moment,
        survivors(folder, moment, () => false),
      ),
      `${note}, nothing that was not synced`,
    ).toEqual([]);
    expect(
      missing(
        moment,
        survivors(folder, moment, () => random.next() < 0.5),
      ),
      `${note}, half of it`,
    ).toEqual([]);
  }
});

it.skipIf(noTrace)(because('the proof can fail: with synchronous = NORMAL, commits are lost', noTrace), () => {
  const folder = temporaryFolder();
  const { moments } = trace(folder, 'NORMAL');
  expect(moments).toHaveLength(commits);
  const lost = moments.filter(
    (moment) =>
      missing(
        moment,
        survivors(folder, moment, () => false),
      ).length > 0,
  );
  expect(lost.length).toBeGreaterThan(commits / 4);
});
