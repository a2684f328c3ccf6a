// SIGKILL while a store of an older version is upgraded: the result equals a fresh import.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { dice, holdfast, launch, place, temporaryFolder } from './holdfast.ts';
import { expectSameRows, rowsOf } from './rows.ts';
import { writeSmallTranscripts } from './transcripts.ts';

async function onDatabase<T>(database: string, work: (db: Database.Database) => T): Promise<Awaited<T>> {
  const db = new Database(database);
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

/** How much is left to renew; undefined before the first step. */
const left = (database: string): Promise<{ entries: number; uses: number } | undefined> =>
  onDatabase(database, (db) => {
    const value = db.prepare("SELECT value FROM facts WHERE name = 'derived'").pluck().get() as string | undefined;
    return value === undefined ? undefined : JSON.parse(value);
  });

it('a store of an older version, killed repeatedly during its renewal, ends like a fresh import', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const transcripts = writeSmallTranscripts(path.join(folder, 'transcripts'));
  const whole = place({ folder: path.join(folder, 'whole'), ...transcripts });
  expect((await holdfast(whole.env, 'ingest', '--json')).code).toBe(0);
  const expected = rowsOf(whole.database);
  expect(expected.get('file_touches')?.length).toBeGreaterThan(100);

  const older = path.join(folder, 'older');
  cpSync(whole.home, older, { recursive: true });
  await onDatabase(path.join(older, path.basename(whole.database)), (db) => {
    db.exec(`DELETE FROM file_touches; DELETE FROM entries_fts; DELETE FROM facts WHERE name = 'derived';
      INSERT INTO entries_fts (rowid, text) SELECT id, text FROM entries;
      DELETE FROM asking_entries; INSERT INTO facts (name, value) SELECT 'unread for questions', max(id) FROM entries;
      DELETE FROM uses_fts; INSERT INTO unindexed_uses SELECT DISTINCT entry_id FROM tool_uses`);
  });

  let inside = 0;
  for (let round = 0; round < rounds(3, 10); round++) {
    const own = place({ folder: path.join(folder, `round-${round}`), ...transcripts });
    rmSync(own.home, { recursive: true, force: true });
    cpSync(older, own.home, { recursive: true });
    for (let kills = 0; kills < 3; kills++) {
      const running = launch(own.env, ['ingest', '--json']);
      let over = false;
      void running.ended.then(() => {
        over = true;
      });
      const steps = 1 + random.below(4);
      // One connection and no pause between two reads: a step takes a few milliseconds.
      await onDatabase(own.database, async (db) => {
        const value = db.prepare("SELECT value FROM facts WHERE name = 'derived'").pluck();
        for (let seen = 0, last = value.get(); !over && seen < steps; await new Promise(setImmediate)) {
          const now = value.get();
          if (now !== last) seen++;
          last = now;
        }
        running.child.kill('SIGKILL');
      });
      const { signal } = await running.ended;
      const { entries = 0, uses = 0 } = (await left(own.database)) ?? {};
      if (signal === 'SIGKILL' && entries + uses > 0) inside++;
    }
    const note = `seed ${seed}, round ${round}`;
    expect((await holdfast(own.env, 'ingest', '--json')).code, note).toBe(0);
    expect(await left(own.database), note).toMatchObject({ entries: 0, uses: 0 });
    expectSameRows(rowsOf(own.database), expected, note);
    rmSync(own.folder, { recursive: true, force: true });
  }
  expect(inside, `seed ${seed}: kills between two steps`).toBeGreaterThan(0);
});
