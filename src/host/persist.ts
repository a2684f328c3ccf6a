// Storing that outlasts a busy store or a full disk.
import { backoff } from '../sessions/groups/delivery.ts';
import { explain } from '../system/errors.ts';
import type { Run } from './run.ts';
import { killedBy } from './run-state.ts';

/** Another process holds the store, or its disk is full. */
const isPassing = (error: unknown): boolean => ['STORE_BUSY', 'DISK_FULL'].includes(explain(error, 'the host').code);

/** Retries while the error may pass, so that a busy store loses no answer. A stopping host does not wait. */
export async function persist<T>(
  run: Pick<Run, 'deps' | 'group' | 'state'>,
  work: () => Promise<T>,
  passes: (error: unknown) => boolean = isPassing,
): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (killedBy(run.state) === 'stop' || !passes(error)) throw error;
      run.deps.log(`${run.group}: ${explain(error, 'the host').message}`);
      await pause(run);
    }
}

export const pause = ({ deps }: Pick<Run, 'deps'>) =>
  new Promise<void>((resolve) => deps.clock.after(backoff[0] as number, resolve));
