// Recovery and backup with the real program: beside a worker, stopped, and killed at the calls that make a change durable.
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { ask, holdfast, launch, type Place, place, temporaryFolder } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';

const sample = path.join(import.meta.dirname, '../../demo/claude-code/projects');

async function prepared(): Promise<Place> {
  const own = place();
  cpSync(sample, own.claude, { recursive: true });
  await ask(own.env, 'ingest');
  return own;
}

/** Overwrites a page in the middle, and with it some entries. */
function damage(database: string): string {
  const db = new Database(database);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const [page] = db.prepare("SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf'").pluck().all();
  db.close();
  const fd = openSync(database, 'r+');
  writeSync(fd, Buffer.alloc(4096, 0x5a), 0, 4096, ((page as number) - 1) * 4096);
  closeSync(fd);
  return hashOf(database);
}

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const count = (file: string, sql: string): number => {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return db.prepare(sql).pluck().get() as number;
  } finally {
    db.close();
  }
};
const isSound = (file: string): boolean => {
  try {
    const db = new Database(file);
    try {
      return db.pragma('quick_check', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
};

/** It reports its progress on standard error. */
async function recovered(own: Place, ...more: string[]) {
  const { code, stdout, stderr } = await holdfast(own.env, 'recover', '--json', ...more);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('recover', () => {
  it('refuses beside a running worker, and says what to do', async () => {
    const own = await prepared();
    await ask(own.env, 'worker', 'start');
    const { code, stderr } = await holdfast(own.env, 'recover');
    await ask(own.env, 'worker', 'stop');
    expect(code).toBe(5);
    expect(stderr).toContain('holdfast worker stop');
    // A worker cannot start beside it either, because it holds the worker's claim.
    const { sources } = await recovered(own, '--dry-run');
    expect(sources.transcripts.files).toBeGreaterThan(0);
  });

  it('tells a person in words what was recovered and what was not', async () => {
    const own = await prepared();
    damage(own.database);
    const { code, stdout } = await holdfast(own.env, 'recover');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Recovered .*holdfast\.db/);
    expect(stdout).toContain('could not be read from the damaged file');
    expect(stdout).toContain('The old file is kept as');
    expect((await ask(own.env, 'doctor')).ok).toBe(true);
  });

  it('interrupted with Ctrl+C leaves the damaged file, and nothing else', async () => {
    const own = await prepared();
    const before = damage(own.database);
    const running = launch(own.env, ['recover']);
    await running.says('Reading transcripts');
    running.child.kill('SIGINT');
    const { code } = await running.ended;
    // It either stops before it replaces the file, or it has already finished. There is nothing in between.
    expect([0, 130]).toContain(code);
    if (code === 130) expect(hashOf(own.database)).toBe(before);
    else expect(isSound(own.database)).toBe(true);
    const aside = readdirSync(own.home).filter((name) => name.includes('.before-recover-'));
    expect(aside).toHaveLength(code === 0 ? 1 : 0);
    expect(readdirSync(own.home).filter((name) => /recovering|worker\.pid/.test(name))).toEqual([]);
  });

  it.skipIf(noTrace)(
    because('killed at any step of replacing the file, the next run completes it', noTrace),
    async () => {
      const own = await prepared();
      const entries = count(own.database, 'SELECT count(*) FROM entries');
      const before = damage(own.database);
      const origin = path.join(temporaryFolder(), 'origin');
      cpSync(own.home, origin, { recursive: true });
      const start = () => {
        rmSync(own.home, { recursive: true, force: true });
        cpSync(origin, own.home, { recursive: true });
        return ['recover', '--json'];
      };
      const look = async () => {
        // The damaged file still exists under one name or the other, byte for byte.
        const names = readdirSync(own.home).filter((name) => /^holdfast\.db(?:\.before-recover-[\dTZ-]+)?$/.test(name));
        expect(names.map((name) => hashOf(path.join(own.home, name)))).toContain(before);
        await recovered(own);
        expect(isSound(own.database)).toBe(true);
        expect(count(own.database, 'SELECT count(*) FROM entries')).toBe(entries);
        expect(readdirSync(own.home).filter((name) => name.startsWith('recovering-'))).toEqual([]);
      };
      // The old file gets its second name, then a mode; then the new file replaces it.
      for (const calls of ['link,linkat', 'chmod,fchmodat', 'rename,renameat,renameat2'])
        expect(await killAtEach(own, start, look, { calls }), calls).toBeGreaterThan(1);
    },
  );
});

describe('backups', () => {
  it.skipIf(noTrace)(because('killed at any step, every copy under its final name is complete', noTrace), async () => {
    const own = await prepared();
    const folder = path.join(own.home, 'backups');
    const old = 'auto-20200101T000000-000Z.db';
    await ask(own.env, 'backup', path.join(folder, old));
    const origin = path.join(temporaryFolder(), 'origin');
    cpSync(own.home, origin, { recursive: true });
    const kills = await killAtEach(
      own,
      () => {
        rmSync(own.home, { recursive: true, force: true });
        cpSync(origin, own.home, { recursive: true });
        return ['backup', '--rotate', '--json'];
      },
      async () => {
        const copies = readdirSync(folder).filter((name) => name.endsWith('.db'));
        expect(copies).toContain(old);
        for (const name of copies) expect(isSound(path.join(folder, name)), name).toBe(true);
        await ask(own.env, 'backup', '--rotate');
        const names = readdirSync(folder);
        expect(names.filter((name) => name.endsWith('.db')).length).toBe(2);
        expect(names.filter((name) => name.includes('.tmp'))).toEqual([]);
        for (const name of names) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
      },
    );
    expect(kills).toBeGreaterThan(2);
  });

  it('capture continues while a copy is made', async () => {
    const own = await prepared();
    await ask(own.env, 'backup', path.join(own.home, 'backups', 'auto-20200101T000000-000Z.db'));
    const copy = launch(own.env, ['backup', '--rotate']);
    await ask(own.env, 'ingest', '--reimport');
    expect((await copy.ended).code).toBe(0);
  });
});

describe('the file of what must never come back', () => {
  it.skipIf(noTrace)(
    because('is never behind the database, wherever a pause or a forget is killed', noTrace),
    async () => {
      const own = await prepared();
      const origin = path.join(temporaryFolder(), 'origin');
      cpSync(own.home, origin, { recursive: true });
      const file = path.join(own.home, 'never-again.jsonl');
      const known = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
      const [session] = await ask(own.env, 'sessions').then(({ sessions }) => sessions);
      for (const command of [['pause'], ['forget', session.id, '--yes']]) {
        const kills = await killAtEach(
          own,
          () => {
            rmSync(own.home, { recursive: true, force: true });
            cpSync(origin, own.home, { recursive: true });
            return [...command, '--json'];
          },
          async () => {
            const db = new Database(own.database, { readonly: true });
            const prints = db.prepare('SELECT print FROM tombstones').pluck().all() as string[];
            const pauses = db.prepare('SELECT from_at FROM pauses').pluck().all() as number[];
            db.close();
            for (const print of prints) expect(known()).toContain(print);
            for (const from of pauses) expect(known()).toContain(`"from":${from}`);
          },
        );
        expect(kills).toBeGreaterThan(2);
        expect(known()).not.toBe('');
      }
    },
  );
});
