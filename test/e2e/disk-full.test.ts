// A full disk, as a small tmpfs: a clear error, an intact database, and work continues when there is space again.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { because } from '../because.ts';
import { ask, expectNoTrace, holdfast, launch, type Place, place, temporaryFolder, until } from './holdfast.ts';
import { caughtUp, expectSameRows, growing, rowsOf } from './rows.ts';
import { itOnSmallDisk, noMount, smallDisk } from './small-disk.ts';
import { largest, writeTranscripts } from './transcripts.ts';

async function undisturbed(folder: string, transcripts: { claude: string; pi: string }): Promise<Place> {
  const fresh = place({ folder: path.join(folder, 'fresh'), ...transcripts });
  await ask(fresh.env, 'ingest');
  return fresh;
}

itOnSmallDisk(
  because('an import onto a full disk says so, keeps the database intact, and completes when there is space', noMount),
  async () => {
    const folder = temporaryFolder();
    const transcripts = writeTranscripts(path.join(folder, 'transcripts'));
    const disk = smallDisk(folder, 5);
    const own = place({ folder, home: path.join(disk.path, 'data'), ...transcripts });

    for (const args of [['ingest'], ['ingest'], ['ingest', '--json']]) {
      const full = await holdfast(own.env, ...args);
      expect({ args, code: full.code, stdout: full.stdout }).toEqual({ args, code: 7, stdout: '' });
      expect(full.stderr).toContain('No space left on the disk');
      expect(full.stderr).toContain(own.database);
      expect(full.stderr).toContain('Free some space');
      expectNoTrace(full);
    }
    // Reading still works, and nothing is damaged.
    const report = await ask(own.env, 'doctor');
    expect(report).toMatchObject({ ok: true });

    disk.grow();
    await ask(own.env, 'ingest');
    expectSameRows(
      rowsOf(own.database),
      rowsOf((await undisturbed(folder, transcripts)).database),
      'after space was made',
    );
  },
);

itOnSmallDisk(because('a disk too full to create the database at all is reported, too', noMount), async () => {
  const folder = temporaryFolder();
  const disk = smallDisk(folder, 1);
  disk.fill();
  const own = place({ folder, home: path.join(disk.path, 'data') });
  for (const args of [['ingest'], ['sessions'], ['config', 'set', 'port', '4000'], ['worker', 'start']]) {
    const full = await holdfast(own.env, ...args);
    expect({ args, code: full.code }).toEqual({ args, code: 7 });
    expect(full.stderr).toMatch(/no space left on the disk/i);
    expect(full.stderr).toContain(disk.path);
    expectNoTrace(full);
  }
  disk.grow();
  await ask(own.env, 'sessions');
});

itOnSmallDisk(because('the worker survives a full disk, says so, and catches up', noMount), async () => {
  const folder = temporaryFolder();
  const transcripts = writeTranscripts(path.join(folder, 'transcripts'));
  const disk = smallDisk(folder, 20);
  const own = place({ folder, home: path.join(disk.path, 'data') });
  for (const root of [own.claude, own.pi]) mkdirSync(root, { recursive: true });
  const [first, ...later] = largest(transcripts.claude, 6, 500_000).map((source) => ({
    source,
    target: path.join(own.claude, path.basename(source)),
  })) as [{ source: string; target: string }, ...{ source: string; target: string }[]];

  copyFileSync(first.source, first.target);
  const worker = launch({ ...own.env, HOLDFAST_POLL_INTERVAL_MS: '200' }, ['worker', 'run']);
  await worker.says('imported');
  disk.fill();
  for (const { source, target } of later) copyFileSync(source, target);
  await worker.says('No space left on the disk');
  expect(worker.child.exitCode).toBe(null);

  disk.grow();
  await until(() => caughtUp(own), 'the worker to catch up');
  const log = readFileSync(path.join(own.home, 'logs/worker.log'), 'utf8');
  expect(log).toContain('No space left on the disk');
  worker.child.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
  const fresh = await undisturbed(folder, own);
  expectSameRows(rowsOf(own.database, growing), rowsOf(fresh.database, growing), 'after space was made');
});

itOnSmallDisk(
  because('a backup onto a full disk leaves no partial file, and completes when there is space', noMount),
  async () => {
    const folder = temporaryFolder();
    const own = place({ folder, ...writeTranscripts(path.join(folder, 'transcripts')) });
    await ask(own.env, 'ingest');
    const disk = smallDisk(folder, 2);
    const target = path.join(disk.path, 'copy.db');
    const full = await holdfast(own.env, 'backup', target);
    expect(full.code).toBe(7);
    expect(full.stderr).toContain('No space left on the disk');
    expect(full.stderr).toContain(target);
    expectNoTrace(full);
    expect(readdirSync(disk.path)).toEqual([]);

    disk.grow();
    await ask(own.env, 'backup', target);
    expect(readdirSync(disk.path)).toEqual(['copy.db']);
    expectSameRows(rowsOf(target), rowsOf(own.database), 'the backup');

    // The same for restoring: a data folder on a full disk keeps what it had.
    const small = smallDisk(path.join(folder, 'user'), 2);
    const poor = place({ folder, home: path.join(small.path, 'data') });
    await ask(poor.env, 'sessions');
    const before = rowsOf(poor.database);
    const restored = await holdfast(poor.env, 'restore', target);
    expect(restored.code).toBe(7);
    expect(restored.stderr).toContain('No space left on the disk');
    expectNoTrace(restored);
    expectSameRows(rowsOf(poor.database), before, 'after a restore without space');
    expect(readdirSync(poor.home).filter((name) => name.includes('restore'))).toEqual([]);
  },
);
