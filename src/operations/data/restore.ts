// Checks a copy of the backup; only a sound one takes the database's place, in one rename. The old database stays
// beside it.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { conversationRules } from '../../capture/conversation-rules.ts';
import { type Config, ensureHome } from '../../config/config.ts';
import type { ConversationRules } from '../../store/conversations/port.ts';
import type { Tombstone } from '../../store/removal/port.ts';
import { stamp } from '../../store/sqlite/backup-files.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { damageIsOver } from './backups.ts';

const sides = ['-wal', '-shm'] as const;

export const restore = operation({
  name: 'restore',
  ending: 'guarded',
  summary: 'Replace the database with a backup; the old database is kept beside it',
  input: z.object({ file: z.string().min(1).describe('the backup') }),
  output: z.object({
    database: z.string(),
    previous: z.string().optional().describe('where the old database is now'),
    entries: z.number().int(),
    sessions: z.number().int(),
  }),
  surfaces: ['cli'],
  positional: ['file'],
  examples: ['holdfast restore /mnt/usb/holdfast.db'],
  withoutStore: true,
  async run({ config, clock }: Context<never>, input) {
    await refuseWhileUsed(config);
    ensureHome(config);
    const source = resolve(input.file);
    const { databasePath } = config;
    const draft = `${databasePath}.restore-${process.pid}`;
    try {
      refuseForeign(source);
      copyFileSync(source, draft);
      if (existsSync(`${source}-wal`)) copyFileSync(`${source}-wal`, `${draft}-wal`);
      const forgotten = await forgottenIn(databasePath);
      const counts = await verify(draft, source, forgotten, conversationRules(config.settings));
      const previous = `${databasePath}.before-restore-${stamp(clock())}`;
      const kept = await setAside(databasePath, previous);
      renameSync(draft, databasePath);
      sync(config.home);
      damageIsOver(config);
      if (forgotten !== undefined) await finish({ config, clock });
      return { database: databasePath, ...(kept ? { previous } : {}), ...counts };
    } catch (error) {
      throw explain(error, source);
    } finally {
      for (const side of ['', ...sides]) rmSync(draft + side, { force: true });
    }
  },
});

/** A process that holds the old file open would go on writing into it. */
export async function refuseWhileUsed(config: Config): Promise<void> {
  const [{ workerStatus }, { hostOf }] = await Promise.all([
    import('../../processes/worker-process.ts'),
    import('../../processes/host-holder.ts'),
  ]);
  const worker = await workerStatus(config);
  if (worker.running)
    throw new HoldfastError('CONFLICT', `The worker is running (process ${worker.pid})`, {
      hint: 'Stop it first: holdfast worker stop',
    });
  const host = await hostOf(config);
  if (host !== undefined)
    throw new HoldfastError('CONFLICT', `A host is running (process ${host.pid})`, {
      hint: 'Stop it first; a chat may be one. See: holdfast host status',
    });
}

/** Checks SQLite's header and Holdfast's mark in it without opening the database, because opening would write. */
function refuseForeign(source: string): void {
  if (statSync(source).isDirectory())
    throw new HoldfastError('UNREADABLE', `${source} is a folder, not a file`, { hint: 'Name the backup itself.' });
  const header = Buffer.alloc(100);
  const file = openSync(source, 'r');
  try {
    readSync(file, header, 0, 100, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3' || header.toString('latin1', 68, 72) !== 'HFst')
    throw new HoldfastError('UNREADABLE', `${source} is not a Holdfast database`, {
      hint: 'Name a file that `holdfast backup` wrote. Nothing was changed.',
    });
}

interface ForgottenBefore {
  readonly tombstones: readonly Tombstone[];
  readonly memories: ReadonlySet<string>;
}

/** What was forgotten since the backup stays forgotten. */
async function forgottenIn(database: string): Promise<ForgottenBefore | undefined> {
  if (!existsSync(database)) return undefined;
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  try {
    const store = await openSqliteStore(database);
    try {
      const [tombstones, memories] = [await store.removal.tombstones(), await store.pages.forgotten()];
      return tombstones.length + memories.size === 0 ? undefined : { tombstones, memories };
    } finally {
      await store.close();
    }
  } catch {
    // A damaged database is a reason to restore, not an obstacle.
    return undefined;
  }
}

/** Updates pages and files after rows were removed from the restored database. */
async function finish(deps: Pick<Context, 'config' | 'clock'>): Promise<void> {
  const [{ openSqliteStore }, { finishForgetting }] = await Promise.all([
    import('../../store/sqlite/open.ts'),
    import('./forget-traces.ts'),
  ]);
  const store = await openSqliteStore(deps.config.databasePath);
  try {
    await finishForgetting({ ...deps, store });
  } finally {
    await store.close();
  }
}

async function verify(
  draft: string,
  source: string,
  forgotten: ForgottenBefore | undefined,
  rules: ConversationRules,
): Promise<{ entries: number; sessions: number }> {
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  const store = await openSqliteStore(draft).catch((error: unknown) => {
    const { code, message, hint } = explain(error, source);
    throw new HoldfastError(code, message.replaceAll(draft, source), { ...(hint ? { hint } : {}), cause: error });
  });
  try {
    const problems = await store.admin.integrity();
    if (problems.length > 0)
      throw new HoldfastError('STORE_DAMAGED', `${source} is damaged: ${problems[0]}`, {
        hint: 'Use another backup. Nothing was changed.',
      });
    if (forgotten !== undefined)
      await store.removal.takeTombstones(forgotten.tombstones, forgotten.memories, { rules, now: Date.now() });
    const { entries, sessions } = await store.entries.counts();
    return { entries, sessions };
  } finally {
    await store.close();
    sync(draft);
  }
}

/** Opening and closing merges the write-ahead log. If that fails, the log moves along under the matching name. */
async function setAside(database: string, previous: string): Promise<boolean> {
  if (!existsSync(database)) return false;
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  await openSqliteStore(database).then(
    (store) => store.close(),
    () => undefined, // A damaged database is a reason to restore, not an obstacle.
  );
  for (const side of sides) if (existsSync(database + side)) renameSync(database + side, previous + side);
  // A second link, not a move: the database has a file under its own name at every moment.
  try {
    linkSync(database, previous);
  } catch {
    // Some file systems have no links.
    copyFileSync(database, previous);
  }
  return true;
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
