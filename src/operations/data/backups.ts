// Automatic backups: when one is due, when one must go because something in it was forgotten, and when a damaged
// database forbids making one.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { toMoment } from '../../schema/time.ts';
import {
  automaticBackups,
  type BackupFile,
  backupFolder,
  backupPlan,
  roomForBackup,
  thinBackups,
} from '../../store/sqlite/backup-files.ts';
import type { Marks } from '../../store/sqlite/marks.ts';
import type { Store } from '../../store/store.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { replaceFile } from '../../system/replace-file.ts';
import type { Check } from '../machine/doctor.ts';

export interface BackupDeps {
  readonly store: Pick<Store, 'admin' | 'location'>;
  readonly config: Config;
  readonly clock: () => number;
}

export interface KeptBackups {
  /** The new copy, if one was made. */
  readonly file?: string;
  readonly removed: readonly string[];
  /** Why no copy was made although one was due. */
  readonly why?: string;
}

const dayMs = 86_400_000;

/** Whether the last copy, or the database itself if there is no copy, is older than a day. Only lists a folder. */
export function isBackupDue(config: Config, now: number): boolean {
  const plan = backupPlan(config.reload());
  if (plan === undefined) return false;
  const [newest] = automaticBackups(plan.folder);
  const since = newest?.at ?? fs.statSync(config.databasePath, { throwIfNoEntry: false })?.birthtimeMs ?? now;
  return now - since >= dayMs;
}

/** Makes a copy when one is due, and replaces copies that hold something forgotten or redacted since. */
export async function keepBackups({ store, config, clock }: BackupDeps, force = false): Promise<KeptBackups> {
  const stale = await staleBackups(config);
  if (!force && stale.length === 0 && !isBackupDue(config, clock())) return { removed: [] };
  const made = await makeBackup({ store, config, clock });
  // Remove stale copies even if no new copy could be made: forgotten text must go.
  for (const { file } of stale) fs.rmSync(file, { force: true });
  return { ...made, removed: stale.map(({ file }) => file) };
}

async function makeBackup({ store, config, clock }: BackupDeps): Promise<Pick<KeptBackups, 'file' | 'why'>> {
  const plan = backupPlan(config.reload());
  if (plan === undefined) return { why: 'backup.automatic is off' };
  await checkPages({ store, config, clock });
  const file = roomForBackup(plan, await store.admin.size(), clock());
  if (file === undefined) return { why: 'the database is larger than backup.maxMb, or than half of the free disk' };
  await store.admin.backup(file);
  thinBackups(plan);
  return { file };
}

/** A damaged database must not push out copies of a sound one. The result is written to a file for `status`. */
async function checkPages({ store, config, clock }: BackupDeps): Promise<void> {
  const problems = await store.admin.integrity().catch((error: unknown) => [explain(error, 'the database').message]);
  if (problems.length === 0) {
    fs.rmSync(damageFile(config), { force: true });
    return;
  }
  replaceFile(damageFile(config), `${JSON.stringify({ at: clock(), problems: problems.length })}\n`, 0o600);
  throw damaged(store.location, problems.length);
}

export const damaged = (location: string, problems: number): HoldfastError =>
  new HoldfastError('STORE_DAMAGED', damageMessage(location, problems), { hint: damageHint });

/** One line: SQLite's details about pages and cells do not help a person. */
export const damageMessage = (location: string, problems: number): string =>
  `${location} is damaged: a check of its pages found ${problems === 1 ? 'one problem' : `${problems} problems`}`;

export const damageHint = 'Repair it: holdfast recover. It searches every source for lost data and removes nothing.';

const damageFile = (config: Config): string => path.join(config.home, 'damage.json');

/** Call after a sound database has replaced the damaged one. */
export const damageIsOver = (config: Config): void => fs.rmSync(damageFile(config), { force: true });

/** The result of the last check in the background. */
export function checkDamage(config: Config): Check[] {
  try {
    const { at, problems } = JSON.parse(fs.readFileSync(damageFile(config), 'utf8'));
    const message = `${damageMessage(config.databasePath, Number(problems))} on ${toMoment(Number(at))}`;
    return [{ name: 'store', ok: false, message, hint: damageHint }];
  } catch {
    // No file means no damage. The next check rewrites a truncated file.
    return [];
  }
}

/** Automatic copies that hold something the database has removed since. */
export async function staleBackups(config: Config): Promise<BackupFile[]> {
  const all = automaticBackups(backupFolder(config.home));
  if (all.length === 0) return [];
  // Loaded only here: a command that opens no database must not load the code that opens one.
  const { marksOf } = await import('../../store/sqlite/marks.ts');
  const now = marksOf(config.databasePath);
  return now === undefined ? [] : all.filter(({ file }) => isBehind(marksOf(file), now));
}

const isBehind = (copy: Marks | undefined, now: Marks): boolean =>
  copy === undefined ||
  copy.redaction < now.redaction ||
  copy.forgotten < now.forgotten ||
  copy.memories < now.memories;

/** Call after forgetting something, or after redaction rules change. Returns what could not be reached. */
export async function reachBackups(deps: BackupDeps): Promise<string[]> {
  if ((await staleBackups(deps.config)).length === 0) return [];
  try {
    await keepBackups(deps);
    return [];
  } catch (error) {
    return [`the backups in ${backupFolder(deps.config.home)}: ${explain(error, 'the backup').message}`];
  }
}
