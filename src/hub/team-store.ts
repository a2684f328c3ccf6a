// What this machine has pulled from teammates: a database of its own, so that nothing in it passes for the person's. The hub has all of it,
// except which sessions the person hid; those stand in a file beside it.
import fs from 'node:fs';
import path from 'node:path';
import { ledgerFile, readLedger } from '../store/sqlite/ledger.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { HoldfastError } from '../system/errors.ts';
import { makeFolder } from '../system/make-folder.ts';

export const teamStorePath = (home: string): string => path.join(home, 'team', 'holdfast.db');

/** False: the next pull takes everything that teammates share. */
export const hasTeamStore = (home: string): boolean => fs.existsSync(teamStorePath(home));

/** Undefined if nothing was ever pulled from teammates, unless `make` is set. A damaged one is removed: `make` then throws, so that the pull begins again. */
export async function openTeamStore(home: string, make: boolean): Promise<Store | undefined> {
  const file = teamStorePath(home);
  const isThere = fs.existsSync(file);
  if (!make && !isThere) return undefined;
  makeFolder(home, path.dirname(file));
  let store: Store;
  try {
    store = await openSqliteStore(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    remove(file);
    if (make) throw error;
    return undefined;
  }
  if (!isThere) await hideAgain(store, file);
  return store;
}

export const isDamage = (error: unknown): boolean => error instanceof HoldfastError && error.code === 'STORE_DAMAGED';

/** Removes the database if its pages are damaged. */
export async function dropIfDamaged(home: string): Promise<void> {
  const store = await openTeamStore(home, false);
  if (store === undefined) return;
  const problems = await store.admin.integrity().catch((error: unknown) => [String(error)]);
  await store.close();
  if (problems.length > 0) remove(teamStorePath(home));
}

function remove(file: string): void {
  for (const side of ['-wal', '-shm', '']) fs.rmSync(file + side, { force: true });
}

async function hideAgain(store: Pick<Store, 'removal'>, file: string): Promise<void> {
  const hidden = readLedger(ledgerFile(file)).flatMap((line) =>
    line.is === 'tombstone' ? [{ print: line.print, at: line.at }] : [],
  );
  // Nothing is in the database yet, so no conversation changes.
  const rules = { gapMs: 0, maxEntries: 1, maxChars: 1 };
  if (hidden.length > 0) await store.removal.takeTombstones(hidden, [], { rules, now: 0 });
}
