// A pause is a stretch of time, not a switch: what happened during it is never stored, no matter when its transcript is
// read.
import { z } from 'zod';
import { Moment, toMoment } from '../../schema/time.ts';
import type { Store } from '../../store/store.ts';
import type { Check } from '../machine/doctor.ts';
import { type Context, operation } from '../operation.ts';

export const pause = operation({
  name: 'pause',
  summary: 'Store nothing of what agents do, until resume-capture',
  input: z.object({}),
  output: z.object({ since: Moment, alreadyPaused: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast pause'],
  async run({ store, clock, running }: Context<'pauses'>) {
    const before = runningPause(await store.pauses.list());
    const { from } = await store.pauses.start({ at: clock(), running: running?.() });
    return { since: toMoment(from), alreadyPaused: before !== undefined };
  },
});

export const resumeCapture = operation({
  name: 'resume-capture',
  summary: 'End the pause; what happened during it is never stored',
  input: z.object({}),
  output: z.object({ resumed: z.boolean(), since: Moment.optional(), until: Moment.optional() }),
  surfaces: ['cli'],
  examples: ['holdfast resume-capture'],
  async run({ store, clock, running }: Context<'pauses'>) {
    const ended = await store.pauses.end({ at: clock(), running: running?.() });
    if (ended?.until === undefined) return { resumed: false };
    return { resumed: true, since: toMoment(ended.from), until: toMoment(ended.until) };
  },
});

const runningPause = (pauses: Awaited<ReturnType<Store['pauses']['list']>>) =>
  pauses.find(({ until }) => until === undefined);

/** When the current pause began; undefined if capture is not paused. */
export async function pausedSince(store: Pick<Store, 'pauses'>): Promise<Moment | undefined> {
  const running = runningPause(await store.pauses.list());
  return running === undefined ? undefined : toMoment(running.from);
}

/** The person asked for the pause: worth saying, but not a failure. */
export async function checkPause(store: Pick<Store, 'pauses'>): Promise<Check> {
  const since = await pausedSince(store);
  return since === undefined
    ? { name: 'capture', ok: true, message: 'not paused' }
    : {
        name: 'capture',
        ok: true,
        message: `paused since ${since}: nothing is stored`,
        hint: 'End it with: holdfast resume-capture',
      };
}
