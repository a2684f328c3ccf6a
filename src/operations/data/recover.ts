// Rebuilds a damaged or missing database. The new one is built beside the old one and takes its place in one rename,
// once it is complete. The old file is set aside, never removed. Stopping or killing the process before that changes
// nothing.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Config, ensureHome } from '../../config/config.ts';
import { plural } from '../../language/plural.ts';
import { Moment, toMoment } from '../../schema/time.ts';
import { stamp } from '../../store/sqlite/backup-files.ts';
import type { RowCounts } from '../../store/sqlite/merge-tables.ts';
import { isAlive } from '../../system/alive.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { replaceFile, syncFolder } from '../../system/replace-file.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import { damageIsOver } from './backups.ts';
import type { Found } from './recovering/found.ts';
import type { Rebuilt } from './recovering/rebuild.ts';
import { refuseWhileUsed } from './restore.ts';

const count = z.int();

export const recover = operation({
  name: 'recover',
  summary:
    'Make a damaged or missing database whole again: from transcripts, vault, pages, backup and what the file still yields',
  input: z.object({ dryRun: z.boolean().default(false).describe('only show what would come back, and from where') }),
  output: z.object({
    database: z.string(),
    before: z.enum(['missing', 'sound', 'damaged', 'foreign']).describe('what the database was'),
    recovered: z.boolean().describe('false: nothing was changed'),
    previous: z.string().optional().describe('where the old file is now'),
    sources: z.object({
      transcripts: z.object({ files: count, entries: count }),
      vault: z.object({ copies: count, entries: count }),
      database: z.object({ rows: count, unread: count, entries: count.describe('entries that no other source has') }),
      backup: z.object({ file: z.string(), at: Moment }).optional(),
      pages: count,
      spool: count.describe('hook reports that wait for the worker'),
      forgotten: count.describe('hashes of forgotten items'),
    }),
    counts: z.record(z.string(), count).describe('what the new database holds'),
    lost: z.array(z.string()).describe('what could not be recovered, or may be missing'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast recover --dry-run', 'holdfast recover'],
  withoutStore: true,
  async run(context: Context<never>, { dryRun }) {
    const { config } = context;
    await refuseWhileUsed(config);
    ensureHome(config);
    const { claimWorker } = await import('../../processes/worker-process.ts');
    // A session that begins now must not start a worker on a database that is about to be replaced.
    const claim = await claimWorker(config);
    if (claim.other !== undefined)
      throw new HoldfastError('CONFLICT', `The worker is running (process ${claim.other})`, {
        hint: 'Stop it first: holdfast worker stop',
      });
    const folder = workFolder(config);
    try {
      return await recoverInto(context, folder, dryRun);
    } catch (error) {
      context.signal?.throwIfAborted();
      throw explain(error, config.databasePath);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
      claim.release();
    }
  },
});

/** On the same disk as the database, so that a rename suffices. Removes what a killed recovery left. */
function workFolder(config: Config): string {
  for (const name of fs.readdirSync(config.home)) {
    const pid = /^recovering-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(path.join(config.home, name), { recursive: true });
  }
  const folder = path.join(config.home, `recovering-${process.pid}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

async function recoverInto(context: Context<never>, folder: string, dryRun: boolean) {
  const { config, clock, signal, say } = context;
  const [{ lookAround }, { rebuild }, { openSqliteStore }, { rowCounts }] = await Promise.all([
    import('./recovering/found.ts'),
    import('./recovering/rebuild.ts'),
    import('../../store/sqlite/open.ts'),
    import('../../store/sqlite/merge-tables.ts'),
  ]);
  say?.('Looking for sources');
  const found = await lookAround(config, folder, signal);
  const draft = path.join(folder, 'holdfast.db');
  const store = await openSqliteStore(draft);
  let rebuilt: Rebuilt;
  try {
    const { progress } = context;
    rebuilt = await rebuild({ store, config, clock, signal, say, ...(progress ? { progress } : {}) }, found, folder);
    const problems = await store.admin.integrity();
    if (problems.length > 0)
      throw new HoldfastError('INTERNAL', `The new database is not sound: ${problems[0]}`, {
        hint: 'Nothing was changed. This is a bug in Holdfast. Please report it.',
      });
  } finally {
    await store.close();
  }
  const counts = rowCounts(draft);
  const report = { ...tell(config, found, rebuilt), counts: { ...counts }, lost: lostOf(found, rebuilt, counts) };
  if (dryRun) return { ...report, recovered: false };
  signal?.throwIfAborted();
  keepLonger(rebuilt);
  const previous = takePlace(config, draft, clock());
  damageIsOver(config);
  await settle(context);
  return {
    ...report,
    counts: { ...rowCounts(config.databasePath) },
    recovered: true,
    ...(previous === undefined ? {} : { previous }),
  };
}

/** The vault writes over the copy of a transcript that it does not know. */
function keepLonger({ vault }: Rebuilt): void {
  for (const { from, to } of vault.longer) {
    fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    replaceFile(to, fs.readFileSync(from), 0o600);
  }
}

/**
 * The old file has a name at every moment. Its log moves first: beside the new file, SQLite would take it for the new
 * file's log.
 */
function takePlace({ databasePath, home }: Config, draft: string, now: number): string | undefined {
  syncPath(draft);
  const previous = `${databasePath}.before-recover-${stamp(now)}`;
  const isThere = fs.existsSync(databasePath);
  if (isThere) {
    fs.linkSync(databasePath, previous);
    fs.chmodSync(previous, 0o600);
  }
  // If the database itself is gone, its log may be all that is left.
  for (const side of ['-wal', '-shm'])
    if (fs.existsSync(databasePath + side)) fs.renameSync(databasePath + side, previous + side);
  syncFolder(home);
  fs.renameSync(draft, databasePath);
  syncFolder(home);
  return isThere ? previous : undefined;
}

function syncPath(file: string): void {
  const fd = fs.openSync(file, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

/** Pages, pending forgetting and vectors follow the rows. After a crash before this, the worker does it. */
async function settle(context: Context<never>): Promise<void> {
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  const { finishForgetting } = await import('./forget-traces.ts');
  const store = await openSqliteStore(context.config.databasePath);
  try {
    const { config, clock } = context;
    await finishForgetting({ store, config, clock });
    const { bringInLine, commitPages } = await librarian();
    const deps = toDeps({ config, clock, store });
    await bringInLine(deps);
    await commitPages(deps);
  } finally {
    await store.close();
  }
}

function tell(config: Config, found: Found, { transcripts, vault, onlyHere }: Rebuilt) {
  const { damaged, backup, ledger } = found;
  const sum = (of: 'rows' | 'lost') => damaged?.tables.reduce((all, table) => all + (table[of] ?? 0), 0) ?? 0;
  return {
    database: config.databasePath,
    before: found.state,
    sources: {
      transcripts,
      vault: { copies: vault.copies, entries: vault.entries },
      database: { rows: sum('rows'), unread: sum('lost'), entries: onlyHere },
      ...(backup === undefined ? {} : { backup: { file: backup.from, at: toMoment(backup.at) } }),
      pages: filesIn(config.memoryPath, '.md'),
      spool: filesIn(path.join(config.home, 'spool'), ''),
      forgotten: ledger.filter(({ is }) => is !== 'pause').length,
    },
  };
}

/** Only the database has these tables; everything else has other sources. */
const onlyInDatabase = new Set(
  'pins groups bookmarks tasks incoming outgoing session_states memory_edits statements project_links archives'.split(
    ' ',
  ),
);

function lostOf(found: Found, { vault, problems }: Rebuilt, counts: RowCounts): string[] {
  const { damaged, backup, state, badBackups } = found;
  const since = backup === undefined ? 'there is no backup' : `the backup is of ${toMoment(backup.at)}`;
  const lost: string[] = [];
  if (state === 'foreign')
    lost.push(
      `the database held no tables of Holdfast: pins, groups and messages are as far as a backup has them (${since})`,
    );
  if (state === 'missing')
    lost.push(`the database is gone: pins, groups, messages and tasks are as far as a backup has them (${since})`);
  for (const { table, lost: rows } of damaged?.tables ?? []) {
    if (rows === 0) continue;
    const number = rows === undefined ? 'an unknown number of rows' : plural(rows, 'row');
    const where = onlyInDatabase.has(table) ? since : 'they come back as far as transcripts, vault or backup have them';
    lost.push(`${number} of ${table} could not be read from the damaged file; ${where}`);
  }
  for (const file of vault.unreadable) lost.push(`${file} cannot be read`);
  for (const file of badBackups) lost.push(`${file} is damaged, and was not used`);
  if (counts.entries === 0) lost.push('no entries were found anywhere');
  return [...lost, ...problems];
}

const filesIn = (folder: string, end: string): number =>
  fs.existsSync(folder)
    ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(end)).length
    : 0;
