// Opens a database for reading in a folder that is not writable.
import fs from 'node:fs';
import Database from 'better-sqlite3';
import { HoldfastError, systemCode } from '../../system/errors.ts';
import { isUpToDate } from './migrations.ts';

/** The largest file to load into memory. */
const largest = 2_000_000_000;

/** Whether an error means that the database exists but is not writable. */
export function cannotWrite(error: unknown, location: string): boolean {
  const code = systemCode(error) ?? '';
  return /^(?:SQLITE_READONLY|SQLITE_CANTOPEN|EACCES|EPERM|EROFS)/.test(code) && fs.existsSync(location);
}

/**
 * Opens the database without writing anything beside it. SQLite reads a WAL database only if its side files exist or
 * can be created, so a database without them is loaded into memory. Throws if that fails too.
 */
export function openReadOnly(location: string): Database.Database {
  const waiting = fs.statSync(`${location}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const db = waiting > 0 ? new Database(location, { readonly: true }) : fromMemory(location);
  try {
    if (isUpToDate(db)) return db;
    throw new HoldfastError('NO_PERMISSION', `${location} was written by an older version, and cannot be changed`, {
      hint: 'Make the data folder writable for one command, such as: holdfast status',
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

function fromMemory(location: string): Database.Database {
  const { size } = fs.statSync(location);
  if (size > largest)
    throw new HoldfastError(
      'NO_PERMISSION',
      `The database ${location} cannot be written, and is too large to read whole`,
      {
        hint: 'Make the data folder writable, or copy it and set HOLDFAST_HOME to the copy.',
      },
    );
  const bytes = fs.readFileSync(location);
  // The header announces a log that does not exist, and a database in memory cannot have one.
  bytes[18] = 1;
  bytes[19] = 1;
  return new Database(bytes, { readonly: true });
}
