// Automatic backups: at most three, within a total size, and always the
// newest. Holdfast never touches backups that a person made.
import fs from 'node:fs';
import path from 'node:path';
import { isAlive } from '../../system/alive.ts';
import { makeFolder } from '../../system/make-folder.ts';

export interface BackupPlan {
  readonly folder: string;
  /** The total size limit of all automatic backups. */
  readonly maxBytes: number;
}

export interface BackupFile {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
}

export const backupsKept = 3;
const own = /^auto-(\d{8}T\d{6}-\d{3}Z)(?:-\w+)?\.db$/;

/** Where automatic backups go; undefined if the person turned them off. */
export const backupPlan = (config: {
  readonly home: string;
  readonly settings: { readonly backup: { readonly automatic: boolean; readonly maxMb: number } };
}): BackupPlan | undefined =>
  config.settings.backup.automatic
    ? { folder: backupFolder(config.home), maxBytes: config.settings.backup.maxMb * 1e6 }
    : undefined;

export const backupFolder = (home: string): string => path.join(home, 'backups');

/** A time in a form that file names allow. */
export const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]/g, '').replace('.', '-');

/** The name of a copy until it is complete. */
export const draftOf = (target: string): string => `${target}.${process.pid}.tmp`;

/** Newest first. */
export function automaticBackups(folder: string): BackupFile[] {
  return namesIn(folder)
    .filter((name) => own.test(name))
    .sort()
    .reverse()
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: timeOf(file), bytes: sizeOf(file) }));
}

/** Backups that a person made in the same folder. */
export const ownBackups = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.db') && !own.test(name))
    .map((name) => path.join(folder, name));

/** Makes a copy before a migration. If that fails, for example on a full disk, the database must still open. */
export function backUpFirst(plan: BackupPlan, copy: (file: string) => void, bytes: number, now: number): void {
  try {
    const file = roomForBackup(plan, bytes, now, '-migration');
    if (file === undefined) return;
    copy(file);
    thinBackups(plan);
  } catch {
    // The daily copy or the next migration tries again.
  }
}

/** The name of the next copy; undefined if that many bytes exceed the size limit or half of the free space. */
export function roomForBackup(plan: BackupPlan, bytes: number, now: number, why = ''): string | undefined {
  makeFolder(path.dirname(plan.folder), plan.folder);
  sweepDrafts(plan.folder);
  if (bytes > plan.maxBytes || bytes * 2 > freeOn(plan.folder)) return undefined;
  return path.join(plan.folder, `auto-${stamp(now)}${why}.db`);
}

/** Removes copies beyond the number and the size limit; the newest always stays. */
export function thinBackups({ folder, maxBytes }: BackupPlan): void {
  let bytes = 0;
  for (const [i, one] of automaticBackups(folder).entries()) {
    bytes += one.bytes;
    if (i >= backupsKept || (i > 0 && bytes > maxBytes)) fs.rmSync(one.file, { force: true });
  }
}

/** Removes incomplete copies of processes that were killed. */
function sweepDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = /\.db\.(\d+)\.tmp(?:-journal|-wal|-shm)?$/.exec(name)?.[1];
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      fs.rmSync(path.join(folder, name), { force: true });
  }
}

function timeOf(file: string): number {
  const [, text = ''] = own.exec(path.basename(file)) ?? [];
  const iso = text.replace(/^(....)(..)(..)T(..)(..)(..)-(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z');
  return Date.parse(iso) || 0;
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

function freeOn(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}
