// A complete copy of the database, and files that only their owner can read.
import fs from 'node:fs';
import path from 'node:path';
import type { Database } from 'better-sqlite3';
import { draftOf } from './backup-files.ts';

/** Copies one snapshot. The target appears only when it is complete. */
export function copyInto(db: Database, target: string): void {
  const draft = draftOf(target);
  try {
    createPrivate(draft, 'w');
    db.prepare('VACUUM INTO ?').run(draft);
    syncFile(draft);
    fs.renameSync(draft, target);
    syncFile(path.dirname(target));
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

export const createPrivate = (file: string, flag: 'a' | 'w'): void => fs.closeSync(fs.openSync(file, flag, 0o600));

export function syncFile(file: string): void {
  const handle = fs.openSync(file, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
