import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { appendToLedger, ledgerFile, readLedger } from './ledger.ts';
import { openSqliteStore } from './open.ts';

const rules = { gapMs: 1, maxEntries: 10, maxChars: 1000 };
let folder: string;
let database: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-ledger-'));
  database = path.join(folder, 'holdfast.db');
  file = ledgerFile(database);
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
});

describe('the ledger of what must never come back', () => {
  it('holds every hash and every pause of the database, readable by its owner only', async () => {
    const store = await openSqliteStore(database);
    await store.removal.takeTombstones([{ print: 'a', at: 1 }], ['m'], { rules, now: 1 });
    await store.pauses.start({ at: 5 });
    expect(readLedger(file)).toEqual([
      { is: 'memory-tombstone', print: 'm' },
      { is: 'tombstone', print: 'a', at: 1 },
      { is: 'pause', from: 5, until: null },
    ]);
    await store.pauses.end({ at: 9 });
    expect(readLedger(file).at(-1)).toEqual({ is: 'pause', from: 5, until: 9 });
    await store.close();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps recording after an import', async () => {
    const store = await openSqliteStore(database);
    await store.transcripts.commit([], { ...rules }, undefined);
    await store.removal.takeTombstones([{ print: 'a', at: 1 }], [], { rules, now: 1 });
    await store.pauses.start({ at: 5 });
    await store.close();
    expect(readLedger(file)).toEqual([
      { is: 'tombstone', print: 'a', at: 1 },
      { is: 'pause', from: 5, until: null },
    ]);
  });

  it('records nothing of a transaction that was rolled back', async () => {
    const store = await openSqliteStore(database);
    const bad = [
      { print: 'kept', at: 1 },
      { print: null as never, at: 1 },
    ];
    await expect(store.removal.takeTombstones(bad, [], { rules, now: 1 })).rejects.toThrow();
    await store.pauses.start({ at: 3 });
    await store.close();
    expect(readLedger(file)).toEqual([{ is: 'pause', from: 3, until: null }]);
  });

  it('skips a line that is truncated at any byte, and continues after it', () => {
    const lines = [
      { is: 'tombstone', print: 'a'.repeat(32), at: 1 },
      { is: 'pause', from: 2, until: 3 },
    ] as const;
    appendToLedger(file, lines);
    const whole = fs.readFileSync(file);
    for (let cut = 0; cut < whole.length; cut++) {
      fs.writeFileSync(file, whole.subarray(0, cut));
      appendToLedger(file, [{ is: 'memory-tombstone', print: 'new' }]);
      appendToLedger(file, lines);
      const known = readLedger(file).map((line) => JSON.stringify(line));
      expect(known.sort(), `cut at ${cut}`).toEqual(
        [...lines, { is: 'memory-tombstone', print: 'new' }].map((line) => JSON.stringify(line)).sort(),
      );
    }
  });

  it('is rebuilt from the database when it is missing, without duplicates', async () => {
    const store = await openSqliteStore(database);
    await store.removal.takeTombstones([{ print: 'a', at: 1 }], ['m'], { rules, now: 1 });
    const before = fs.readFileSync(file, 'utf8');
    await store.admin.keepLedger();
    expect(fs.readFileSync(file, 'utf8')).toBe(before);
    fs.rmSync(file);
    await store.admin.keepLedger();
    await store.close();
    expect(readLedger(file)).toHaveLength(2);
  });

  it('a file with other content is read in bounded time and does no harm', () => {
    fs.writeFileSync(file, `${'['.repeat(200_000)}\n{"is":"pause"}\nnull\n7\n{"is":"tombstone","print":7}\n\0\0\0\n`);
    expect(readLedger(file)).toEqual([]);
  });

  it('records nothing of a pause that could not start', async () => {
    const store = await openSqliteStore(database);
    const other = new Database(database);
    other.exec('BEGIN IMMEDIATE');
    const told = expect(store.pauses.start({ at: 1 })).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await told;
    other.exec('ROLLBACK');
    other.close();
    await store.close();
    expect(readLedger(file)).toEqual([]);
  });
});
