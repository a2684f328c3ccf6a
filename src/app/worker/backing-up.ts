// A daily copy of the database, made by a separate process at low priority. The same process checks the pages of the database.
import { isBackupDue, staleBackups } from '../../operations/data/backups.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

const hourMs = 3_600_000;

/** Wake it with every poll: it checks once an hour whether a copy is due. */
export function backingUp(
  { config, clock, log, backUp }: Pick<WorkerDeps, 'config' | 'clock' | 'log' | 'backUp'>,
  signal: AbortSignal,
): Repeated {
  let lookedAt = Number.NEGATIVE_INFINITY;
  async function look(): Promise<void> {
    if (backUp === undefined || clock() - lookedAt < hourMs) return;
    lookedAt = clock();
    if (!isBackupDue(config, clock()) && (await staleBackups(config)).length === 0) return;
    const { file, why } = await backUp();
    if (file !== '') log(`made the daily copy ${file}`);
    else if (why !== undefined) log(`made no copy of the database: ${why}`);
  }
  return repeated(look, log, signal);
}
