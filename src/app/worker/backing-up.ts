// A copy of the database each day, made by a process of its own at low priority; the same process looks at the database's pages.
import { isBackupDue, staleBackups } from '../../operations/data/backups.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

const hourMs = 3_600_000;

/** To be woken with every poll: it looks once an hour whether a copy is due. */
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
