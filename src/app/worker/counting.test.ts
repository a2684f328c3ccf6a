import { expect, it } from 'vitest';
import type { SessionKey } from '../../store/sessions/port.ts';
import { counting } from './counting.ts';
import type { WorkerDeps } from './run.ts';

/** A worker with this many sessions to count. Returns how many it left to another process. */
async function worker(
  sessions: number,
  count?: (all: SessionKey[]) => number,
): Promise<{ here: number; apart: number }> {
  const due: SessionKey[] = Array.from({ length: sessions }, (_, i) => ({ agent: 'claude-code', session: `s${i}` }));
  let [here, apart] = [0, 0];
  const usage = {
    due: async (_: number, limit: number) => due.slice(0, limit),
    extent: async (session: SessionKey) => {
      due.splice(due.indexOf(session), 1);
      here++;
    },
  };
  const deps = { store: { usage }, clock: Date.now, log: () => {} } as unknown as WorkerDeps;
  const counted =
    count &&
    (async () => {
      apart += count(due);
    });
  const tokens = counting({ ...deps, count: counted }, new AbortController().signal);
  tokens.wake();
  await tokens.idle();
  return { here, apart };
}
const all = (due: SessionKey[]) => due.splice(0).length;

it('counts few sessions in the worker, and many in a process of its own', async () => {
  expect(await worker(10, all)).toEqual({ here: 10, apart: 0 });
  expect(await worker(11, all)).toEqual({ here: 0, apart: 11 });
});

it('counts in the worker what that process leaves, and everything without such a process', async () => {
  expect(await worker(12, (due) => due.splice(0, 5).length)).toEqual({ here: 7, apart: 5 });
  expect(await worker(12)).toEqual({ here: 12, apart: 0 });
});
