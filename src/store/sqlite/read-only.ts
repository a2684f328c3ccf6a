// A database in a folder that cannot be written: it can still be read.
import fs from 'node:fs';
import Database from 'better-sqlite3';
import { HoldfastError, systemCode } from '../../system/errors.ts';
import { isUpToDate } from './migrations.ts';

/** As much as is read into memory. */
const largest = 2_000_000_000;

/** Whether an error says that the database is there and cannot be written. */
export function cannotWrite(error: unknown, location: string): boolean {
  const code = systemCode(error) ?? '';
  return /^(?:SQLITE_READONLY|SQLITE_CANTOPEN|EACCES|EPERM|EROFS)/.test(code) && fs.existsSync(location);
}

/**
 * Opens the database without writing a byte beside it. SQLite reads one in WAL mode only where it may make the side files, or finds
 * them; so the file is read into memory where it has none. Throws where that cannot be either.
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
  // The file says that it has a log beside it; it has none, and in memory there cannot be one.
  bytes[18] = 1;
  bytes[19] = 1;
  return new Database(bytes, { readonly: true });
}
