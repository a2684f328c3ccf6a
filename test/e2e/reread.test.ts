// SIGKILL while Holdfast rereads transcripts that an older version imported: the result equals a fresh import.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { ask, dice, launch, type Place, place, temporaryFolder } from './holdfast.ts';
import { expectSameRows, rowsOf } from './rows.ts';
import { writeSmallTranscripts } from './transcripts.ts';

function onDatabase<T>(database: string, work: (db: Database.Database) => T): T {
  const db = new Database(database);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const stale = (own: Place): number =>
  onDatabase(own.database, (db) =>
    Number(db.prepare("SELECT count(*) FROM files WHERE reader = 0 AND status = 'ok' AND offset > 0").pluck().get()),
  );

/** Who said what, wherever it stands in its file. */
const said = (own: Place): unknown[] =>
  onDatabase(own.database, (db) =>
    db.prepare('SELECT uuid, text, role, author, form, tools, gone FROM entries ORDER BY uuid').all(),
  );

/** Deletes every third entry with its tool uses, and all facts and titles. */
const forgetsSome = `UPDATE files SET reader = 0;
  DELETE FROM entries_fts WHERE rowid IN (SELECT id FROM entries WHERE id % 3 = 0 AND id NOT IN (SELECT entry_id FROM entry_copies));
  DELETE FROM entries WHERE id % 3 = 0 AND id NOT IN (SELECT entry_id FROM entry_copies);
  DELETE FROM session_facts; UPDATE file_sessions SET title = NULL, title_by = NULL`;

/** Kills a renewal three times after it has reread some transcripts, then lets it finish. Returns how many kills left work behind. */
async function killed(own: Place, random: ReturnType<typeof dice>): Promise<number> {
  let inside = 0;
  for (let kills = 0; kills < 3; kills++) {
    const before = stale(own);
    const running = launch(own.env, ['ingest', '--renew', '--json']);
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    // First kills before anything is stored, then when a part is stored. A transcript that fits into one transaction has no part.
    const wanted = before - random.below(Math.max(1, Math.floor(before / 2)));
    if (kills === 0) await sleep(random.below(200));
    else while (!over && stale(own) >= Math.max(1, wanted)) await sleep(2);
    running.child.kill('SIGKILL');
    const { signal } = await running.ended;
    if (signal === 'SIGKILL' && stale(own) > 0) inside++;
  }
  for (let left = stale(own); left > 0; left = stale(own)) {
    expect((await ask(own.env, 'ingest', '--renew')).files.failed).toBe(0);
    expect(stale(own), 'each part brings it forward').toBeLessThan(left);
  }
  await ask(own.env, 'ingest');
  expect(readdirSync(own.home).filter((name) => name.startsWith('rereading'))).toEqual([]);
  return inside;
}

it('a store of an older version, killed repeatedly while its transcripts are reread, ends like a fresh import', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const transcripts = writeSmallTranscripts(path.join(folder, 'transcripts'));
  const whole = place({ folder: path.join(folder, 'whole'), ...transcripts });
  await ask(whole.env, 'ingest');
  const expected = rowsOf(whole.database);
  let inside = 0;
  for (let round = 0; round < rounds(2, 8); round++) {
    const own = place({ folder: path.join(folder, `round-${round}`), ...transcripts });
    rmSync(own.home, { recursive: true, force: true });
    cpSync(whole.home, own.home, { recursive: true });
    onDatabase(own.database, (db) => db.exec(forgetsSome));
    const { checks } = await ask(own.env, 'doctor');
    expect(checks).toContainEqual(expect.objectContaining({ name: 'reading again', ok: true }));
    inside += await killed(own, random);
    expectSameRows(rowsOf(own.database), expected, `seed ${seed}, round ${round}`);
    rmSync(own.folder, { recursive: true, force: true });
  }
  expect(inside, `seed ${seed}: kills in the middle`).toBeGreaterThan(0);
});

it('the same from the vault, where the agent has deleted its transcripts', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const own = place();
  const transcripts = writeSmallTranscripts(path.join(own.folder, 'transcripts'));
  cpSync(transcripts.claude, own.claude, { recursive: true });
  await ask(own.env, 'ingest');
  await ask(own.env, 'vault', '--fill');
  const expected = said(own);
  expect(expected.length).toBeGreaterThan(1000);
  rmSync(own.claude, { recursive: true });
  onDatabase(own.database, (db) => db.exec(forgetsSome));
  expect(said(own).length).toBeLessThan(expected.length);
  await killed(own, random);
  expect(said(own)).toEqual(expected);
  expect(await ask(own.env, 'vault')).toMatchObject({ due: 0, missing: 0 });
});
