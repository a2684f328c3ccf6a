// The copies that are made by themselves: when one is due, when one must go because something in it was forgotten, and when none may
// be made because the database is damaged.
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
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => number;
}

export interface KeptBackups {
  /** The new copy, where one was made. */
  readonly file?: string;
  readonly removed: readonly string[];
  /** Why none was made though one was due. */
  readonly why?: string;
}

const dayMs = 86_400_000;

/** Whether the last copy, or else the database itself, is older than a day. Costs a look at a folder. */
export function isBackupDue(config: Config, now: number): boolean {
  const plan = backupPlan(config.reload());
  if (plan === undefined) return false;
  const [newest] = automaticBackups(plan.folder);
  const since = newest?.at ?? fs.statSync(config.databasePath, { throwIfNoEntry: false })?.birthtimeMs ?? now;
  return now - since >= dayMs;
}

/** Makes a copy when one is due, and replaces those that hold what was forgotten or redacted since. */
export async function keepBackups({ store, config, clock }: BackupDeps, force = false): Promise<KeptBackups> {
  const stale = await staleBackups(config);
  if (!force && stale.length === 0 && !isBackupDue(config, clock())) return { removed: [] };
  const made = await makeBackup({ store, config, clock });
  // Also where no new one could be made: what was forgotten must go.
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

/** A damaged database must not push out copies of a sound one. What is found stands in a file, for `status`. */
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

/** One line: what SQLite says of pages and cells helps no person. */
export const damageMessage = (location: string, problems: number): string =>
  `${location} is damaged: a check of its pages found ${problems === 1 ? 'one problem' : `${problems} problems`}`;

export const damageHint = 'Mend it: holdfast recover. It looks everywhere for what is lost, and removes nothing.';

const damageFile = (config: Config): string => path.join(config.home, 'damage.json');

/** The database was replaced by a sound one. */
export const damageIsOver = (config: Config): void => fs.rmSync(damageFile(config), { force: true });

/** What the last check in the background has found. */
export function checkDamage(config: Config): Check[] {
  try {
    const { at, problems } = JSON.parse(fs.readFileSync(damageFile(config), 'utf8'));
    const message = `${damageMessage(config.databasePath, Number(problems))} on ${toMoment(Number(at))}`;
    return [{ name: 'store', ok: false, message, hint: damageHint }];
  } catch {
    // No file, no damage. One that was cut is written again by the next check.
    return [];
  }
}

/** Automatic copies that hold something which the database has let go since. */
export async function staleBackups(config: Config): Promise<BackupFile[]> {
  const all = automaticBackups(backupFolder(config.home));
  if (all.length === 0) return [];
  // Loaded only here: a command that opens no database must not load what opens one.
  const { marksOf } = await import('../../store/sqlite/marks.ts');
  const now = marksOf(config.databasePath);
  return now === undefined ? [] : all.filter(({ file }) => isBehind(marksOf(file), now));
}

const isBehind = (copy: Marks | undefined, now: Marks): boolean =>
  copy === undefined ||
  copy.redaction < now.redaction ||
  copy.forgotten < now.forgotten ||
  copy.memories < now.memories;

/** After a forgetting, or new rules of redaction. Returns what could not be reached. */
export async function reachBackups(deps: BackupDeps): Promise<string[]> {
  if ((await staleBackups(deps.config)).length === 0) return [];
  try {
    await keepBackups(deps);
    return [];
  } catch (error) {
    return [`the backups in ${backupFolder(deps.config.home)}: ${explain(error, 'the backup').message}`];
  }
}
