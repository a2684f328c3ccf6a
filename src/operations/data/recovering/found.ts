// The sources for a recovery: the damaged file, the newest sound backup, and the list of forgotten items, which must
// never come back.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../../config/config.ts';
import { backupFolder } from '../../../store/sqlite/backup-files.ts';
import { type LedgerLine, ledgerFile, readLedger } from '../../../store/sqlite/ledger.ts';
import { type Marks, marksOf } from '../../../store/sqlite/marks.ts';
import { openSqliteStore } from '../../../store/sqlite/open.ts';
import { type Salvage, salvage } from '../../../store/sqlite/salvage.ts';

/** A database of this version that can be read from end to end, built from a file that may be damaged. */
export interface Yield {
  readonly file: string;
  readonly marks: Marks | undefined;
}

export interface Found {
  /** The state of the database before. */
  readonly state: 'missing' | Salvage['state'];
  readonly damaged: (Yield & Salvage) | undefined;
  readonly backup: (Yield & { readonly from: string; readonly at: number }) | undefined;
  /** Backups that are damaged themselves. */
  readonly badBackups: readonly string[];
  readonly ledger: readonly LedgerLine[];
}

/** Puts copies into `folder`; changes nothing else. */
export async function lookAround(config: Config, folder: string, signal?: AbortSignal): Promise<Found> {
  const before = await lookAtDatabase(config, folder, signal);
  const badBackups: string[] = [];
  let backup: Found['backup'];
  for (const from of backupsIn(config)) {
    signal?.throwIfAborted();
    backup = await soundCopy(from, path.join(folder, 'backup.db'));
    if (backup !== undefined) break;
    badBackups.push(from);
  }
  return { ...before, backup, badBackups, ledger: readLedger(ledgerFile(config.databasePath)) };
}

async function lookAtDatabase(
  config: Config,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Pick<Found, 'state' | 'damaged'>> {
  const source = standsFor(config);
  if (!fs.existsSync(source)) return { state: 'missing', damaged: undefined };
  const copy = path.join(folder, 'copy.db');
  for (const side of ['', '-wal'])
    if (fs.existsSync(source + side)) {
      fs.copyFileSync(source + side, copy + side);
      fs.chmodSync(copy + side, 0o600);
    }
  const file = path.join(folder, 'salvaged.db');
  const marks = marksOf(copy);
  const found = await salvage(copy, file, signal);
  for (const side of ['', '-wal', '-shm']) fs.rmSync(copy + side, { force: true });
  return found.state === 'foreign'
    ? { state: 'foreign', damaged: undefined }
    : { state: found.state, damaged: { ...found, file, marks } };
}

/**
 * A recovery that was killed while it set the database aside has already moved the log: the pair is under the other
 * name.
 */
function standsFor({ databasePath }: Config): string {
  const stat = fs.statSync(databasePath, { throwIfNoEntry: false });
  const folder = path.dirname(databasePath);
  const aside = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const same = aside
    .filter((name) => name.startsWith(`${path.basename(databasePath)}.before-`) && !/-(?:wal|shm)$/.test(name))
    .map((name) => path.join(folder, name))
    .find((file) => stat !== undefined && fs.statSync(file).ino === stat.ino);
  return same ?? databasePath;
}

/** Newest first, automatic and manual backups alike. */
function backupsIn(config: Config): string[] {
  const folder = backupFolder(config.home);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .map((name) => path.join(folder, name))
    .sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs);
}

/** A copy that this version can read; undefined if the backup is damaged or of a newer version. */
async function soundCopy(from: string, file: string): Promise<Found['backup']> {
  for (const side of ['', '-wal', '-shm']) fs.rmSync(file + side, { force: true });
  fs.copyFileSync(from, file);
  fs.chmodSync(file, 0o600);
  try {
    const store = await openSqliteStore(file);
    try {
      if ((await store.admin.integrity()).length > 0) return undefined;
    } finally {
      await store.close();
    }
  } catch {
    // The caller looks at the next older backup.
    return undefined;
  }
  return { file, from, at: fs.statSync(from).mtimeMs, marks: marksOf(file) };
}

/** In order of precedence: if two know the same thing, the first is right. */
export function inOrder({ damaged, backup }: Found): Yield[] {
  if (damaged === undefined || backup === undefined) return [damaged, backup].filter((one) => one !== undefined);
  // The person may have put an older copy in the place of the database.
  const isOlder = damaged.marks !== undefined && damaged.marks.changes < (backup.marks?.changes ?? 0);
  if (isOlder) return [backup, damaged];
  // If nothing is missing, what was removed since the backup must not come back.
  return damaged.state === 'sound' || isWhole(damaged) ? [damaged] : [damaged, backup];
}

export const isWhole = ({ tables }: Salvage): boolean => tables.every(({ lost }) => lost === 0);
