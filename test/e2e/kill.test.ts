// SIGKILL at any moment of an import, repeatedly: the database ends as an undisturbed import leaves it.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { ask, dice, holdfast, launch, type Place, place, temporaryFolder, until } from './holdfast.ts';
import { expectSameRows, type Rows, rowsOf, sizeOf } from './rows.ts';
import { writeSmallTranscripts } from './transcripts.ts';

const imports = rounds(12, 100);
const together = 2;

it('imports killed at random moments and restarted until done leave what one undisturbed import leaves', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const folder = temporaryFolder();
  const transcripts = writeSmallTranscripts(path.join(folder, 'transcripts'));
  // A file without any usable line is a state to resume from as well.
  mkdirSync(path.join(transcripts.claude, '-broken'), { recursive: true });
  writeFileSync(path.join(transcripts.claude, '-broken', 'noise.jsonl'), 'no\nJSON\nhere\n');

  const whole = place({ folder: path.join(folder, 'whole'), ...transcripts });
  const began = performance.now();
  const first = await holdfast(whole.env, 'ingest', '--json');
  const lasts = performance.now() - began;
  const expected = rowsOf(whole.database);
  expect(first.code).toBe(1);
  expect(first.stderr).toBe('');
  expect(JSON.parse(first.stdout).files).toMatchObject({ failed: 1 });
  expect(JSON.parse(first.stdout).bytes, 'large enough for the reading thread').toBeGreaterThan(8 << 20);
  expect(expected.get('entries')?.length).toBeGreaterThan(1000);

  const tally = { killed: 0, early: 0, inside: 0, reimports: 0 };
  const todo = Array.from({ length: imports }, (_, round) => round);
  const lane = async () => {
    for (let round = todo.shift(); round !== undefined; round = todo.shift())
      await killUntilDone({ folder, transcripts, whole, expected, lasts, grows: sizeOf(whole), seed, round, tally });
  };
  await Promise.all(Array.from({ length: together }, lane));

  console.log(
    `seed ${seed}: ${imports} imports, ${tally.killed} kills (${tally.inside} with part of the import stored, ` +
      `${tally.early} before anything was stored, ${tally.reimports} during a re-import); undisturbed ${Math.round(lasts)} ms`,
  );
  expect(tally.killed).toBeGreaterThanOrEqual(imports);
  expect(tally.inside).toBeGreaterThanOrEqual(imports / 5);
  expect(tally.reimports).toBeGreaterThanOrEqual(imports / 4);
});

interface Round {
  readonly folder: string;
  readonly transcripts: { claude: string; pi: string };
  readonly whole: Place;
  readonly expected: Rows;
  /** Duration of an undisturbed import in milliseconds. */
  readonly lasts: number;
  /** Bytes that an undisturbed import adds to the database. */
  readonly grows: number;
  readonly seed: number;
  readonly round: number;
  readonly tally: { killed: number; early: number; inside: number; reimports: number };
}

async function killUntilDone(run: Round): Promise<void> {
  const { round, seed, tally, whole } = run;
  const note = `seed ${seed}, round ${round}`;
  const random = dice(seed + round * 7919);
  const own = place({ folder: path.join(run.folder, `round-${round}`), ...run.transcripts });
  // Every fourth round starts from a finished import and kills a re-import of everything.
  const reimport = round % 4 === 3;
  const begin = () => {
    rmSync(own.home, { recursive: true, force: true });
    if (reimport) cpSync(whole.home, own.home, { recursive: true });
  };
  begin();

  // A third of the kills come at a random time and may hit anything, even the program's start. The others come when the database has grown
  // to some size, so they hit the import however busy the machine is. Each round covers a different part of the import.
  const point = () => ((round % imports) + random.next()) / imports;
  const wanted = 1 + (random.next() < 0.4 ? 1 : 0);
  for (let kills = 0; kills < wanted; ) {
    const before = sizeOf(own);
    const running = launch(own.env, ['ingest', ...(reimport ? ['--reimport'] : [])]);
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    if (round % 3 === 0) await Promise.race([sleep(point() * run.lasts * 1.2), running.ended]);
    else {
      const size = before + point() * run.grows;
      while (!over && sizeOf(own) <= size) await sleep(1);
    }
    running.child.kill('SIGKILL');
    const { signal } = await running.ended;
    // The import finished before the kill. It proves nothing, so it does not count.
    if (signal !== 'SIGKILL') {
      if (kills > 0) break;
      begin();
      continue;
    }
    kills++;
    tally.killed++;
    if (reimport) tally.reimports++;
    const stored = storedFiles(own);
    if (stored === 0) tally.early++;
    else if (!reimport && stored < (run.expected.get('files')?.length ?? 0)) tally.inside++;
  }

  // After a kill, the person repeats the command or runs an ordinary import.
  const again = reimport && random.next() < 0.5;
  const last = await holdfast(own.env, 'ingest', '--json', ...(again ? ['--reimport'] : []));
  expect({ note, code: last.code, stderr: last.stderr }).toEqual({ note, code: 1, stderr: '' });
  expectSameRows(rowsOf(own.database), run.expected, note);
  expect(integrityOf(own.database), note).toEqual(['ok']);
  // The count is stored with the entries, so a kill loses none of it and counts none of it twice.
  if (!reimport) expect(importedIn(own.database), note).toBe(importedIn(run.whole.database));
  rmSync(own.folder, { recursive: true, force: true });
}

function importedIn(database: string): unknown {
  const db = new Database(database, { readonly: true });
  try {
    return db.prepare("SELECT sum(entries) || ' entries, ' || sum(bytes) || ' bytes' FROM imports").pluck().get();
  } finally {
    db.close();
  }
}

function integrityOf(database: string): unknown[] {
  const db = new Database(database, { readonly: true });
  try {
    return [...(db.pragma('foreign_key_check') as unknown[]), db.pragma('quick_check', { simple: true })];
  } finally {
    db.close();
  }
}

function hasFiles(database: string): boolean {
  let db: Database.Database | undefined;
  try {
    db = new Database(database, { readonly: true });
    return db.prepare('SELECT 1 FROM files').get() !== undefined;
  } catch {
    // The database is being created.
    return false;
  } finally {
    db?.close();
  }
}

/** Reads a copy: opening the database itself would recover it before the program does. */
function storedFiles(own: Place): number {
  const copy = path.join(own.folder, 'look');
  mkdirSync(copy);
  try {
    for (const side of ['', '-wal'])
      if (existsSync(own.database + side)) cpSync(own.database + side, path.join(copy, `db${side}`));
    if (!existsSync(path.join(copy, 'db'))) return 0;
    const db = new Database(path.join(copy, 'db'));
    const made = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'files'").get() !== undefined;
    const count = made ? db.prepare('SELECT count(*) FROM files').pluck().get() : 0;
    db.close();
    return Number(count);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

it('a killed import continues where it stopped, and does not start over', async () => {
  const folder = temporaryFolder();
  const own = place({ folder, ...writeSmallTranscripts(path.join(folder, 'transcripts')) });
  const running = launch(own.env, ['ingest']);
  await until(() => hasFiles(own.database), 'a first commit');
  running.child.kill('SIGKILL');
  await running.ended;
  const stored = storedFiles(own);
  expect(stored).toBeGreaterThan(0);
  const report = await ask(own.env, 'ingest');
  expect(report.files.failed).toBe(0);
  // One of the stored files may be stored in part.
  expect(report.files.skipped).toBeGreaterThanOrEqual(stored - 1);
});
