// A damaged page, wherever it is: `doctor` and `status` say so in one line, before a person meets it.
import fs from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { demoMemory } from '../../../test/demo-memory.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { keepBackups } from '../data/backups.ts';
import { type Check, doctor } from './doctor.ts';
import { status } from './status.ts';

const pageBytes = 4096;

/** Zeros the first leaf of a table or index, from an offset within the page to its end. */
function tear(database: string, name: string, from: number): void {
  const db = new Database(database);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const page = db.prepare("SELECT min(pageno) FROM dbstat WHERE pagetype = 'leaf' AND name = ?").pluck().get(name);
  db.close();
  const fd = fs.openSync(database, 'r+');
  fs.writeSync(fd, Buffer.alloc(pageBytes - from), 0, pageBytes - from, ((page as number) - 1) * pageBytes + from);
  fs.closeSync(fd);
}

it.each([
  ['half a page of entries', 'entries', 2048],
  ['half a page of an index', 'entries_by_session', 2048],
  ['half a page of tool uses', 'tool_uses', 2048],
  ['half a page of the index of words', 'entries_fts_data', 2048],
  ['a whole page of transcripts', 'files', 0],
  ['a whole page of sessions', 'sessions', 0],
])('doctor says in one line that %s is damaged, and after the daily check status does', async (_, table, from) => {
  const memory = await demoMemory();
  await memory.close();
  tear(memory.config.databasePath, table, from);
  const oneLine = (checks: readonly Check[]) => {
    const said = checks.filter(({ name, ok }) => name === 'store' && !ok);
    expect(said).toMatchObject([{ hint: expect.stringContaining('holdfast recover') }]);
    expect(said[0]?.message).toMatch(/damaged/);
    expect(said[0]?.message).not.toMatch(/\n|Tree|btree|page \d+|cell|row \d+/i);
  };
  const report = await doctor.run(memory.context, {});
  expect(report.ok).toBe(false);
  oneLine(report.checks);
  const store = await openSqliteStore(memory.config.databasePath);
  await expect(keepBackups({ ...memory.context, store }, true)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await store.close();
  oneLine((await status.run(memory.context, {})).checks);
});
