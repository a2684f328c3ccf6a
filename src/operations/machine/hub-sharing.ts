// Shares projects with a hub, and exchanges what is new.
import { z } from 'zod';
import { explain } from '../../system/errors.ts';
import { collectGarbage } from '../../system/heap.ts';
import { type Context, operation } from '../operation.ts';
import type { HubPorts, TracePorts } from '../ports.ts';
import { hubExchanged, hubTrouble } from './hub-check.ts';
import { hub } from './hub-loading.ts';

export const hubShare = operation({
  name: 'hub share',
  ending: 'orderly',
  summary: 'Share a project: with your other machines, or with everyone in the hub',
  input: z.object({
    project: z.string().min(1).describe('name of a project, or a path inside it'),
    with: z.enum(['me', 'team']).default('me').describe('me: your other machines; team: everyone in the hub'),
  }),
  output: z.object({
    project: z.string(),
    name: z.string(),
    with: z.enum(['me', 'team']),
    sessions: z.int(),
    entries: z.int(),
  }),
  surfaces: ['cli'],
  positional: ['project'],
  examples: ['holdfast hub share holdfast', 'holdfast hub share ~/code/shop --with team'],
  async run(context: Context<TracePorts | 'changes' | 'transfer'>, input) {
    const { connectAs, needMembership, shareProject, sync } = await hub();
    const known = needMembership(context.config.home);
    const client = await connectAs(known);
    let shared: { project: string; name: string };
    try {
      shared = await shareProject(context, client, input.project, input.with);
    } finally {
      await client.end();
    }
    const { pushed } = await exchange(context, sync);
    return { ...shared, with: input.with, sessions: pushed.sessions, entries: pushed.entries };
  },
});

export const hubUnshare = operation({
  name: 'hub unshare',
  ending: 'orderly',
  summary: 'Stop sharing a project: the hub deletes it at once, other machines at their next contact',
  input: z.object({
    project: z.string().min(1).describe('name of a project, a path inside it, or what `hub status` calls it'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    project: z.string(),
    unshared: z.boolean(),
    entries: z.int().describe('entries deleted from the hub'),
    stays: z.string(),
  }),
  surfaces: ['cli'],
  positional: ['project'],
  destroys: true,
  examples: ['holdfast hub unshare shop'],
  succeeded: ({ unshared }) => unshared,
  async run(context: Context<HubPorts>, { project, yes }) {
    const { connectAs, needMembership, unshareProject } = await hub();
    const client = await connectAs(needMembership(context.config.home));
    const stays =
      'What is stored on this machine stays here. Statements and edits on memory pages stay on your other machines. Holdfast cannot reach copies that others have made elsewhere.';
    try {
      if (
        !yes &&
        (await context.person?.agrees?.(
          `Stop sharing ${project}, and remove it from the hub and from other machines?`,
        )) === false
      )
        return { project, unshared: false, entries: 0, stays };
      const done = await unshareProject(context, client, project);
      return { ...done, unshared: true, stays };
    } finally {
      await client.end();
    }
  },
});

export const hubSync = operation({
  name: 'hub sync',
  ending: 'guarded',
  summary: 'Exchange with the hub now; the worker also does this by itself',
  input: z.object({}),
  output: z.object({
    done: z.boolean().describe('false: another process is doing it'),
    pushed: z.object({ sessions: z.int(), entries: z.int(), forgotten: z.int() }),
    pulled: z.object({ entries: z.int(), forgotten: z.int(), taken: z.int(), dropped: z.int() }),
  }),
  surfaces: ['cli'],
  examples: ['holdfast hub sync'],
  async run(context: Context<TracePorts | 'changes' | 'transfer'>) {
    const { sync } = await hub();
    return exchange(context, sync);
  },
});

const setTheClock =
  'Set the clock: what this machine shares has wrong times, and of two changes of a memory the wrong one may count as later.';

type Sync = typeof import('../../hub/sync.ts').sync;

/** What was forgotten elsewhere is removed here too, from the database and from files. */
async function exchange(
  context: Context<TracePorts | 'changes' | 'transfer'>,
  sync: Sync,
): Promise<Omit<Awaited<ReturnType<Sync>>, 'clock'>> {
  const { store, clock } = context;
  // V8 counts the growth of its heap from the last collection. Without one here, the first comes at 50 MB, half of them garbage.
  collectGarbage();
  let done: Awaited<ReturnType<Sync>>;
  try {
    done = await sync(context);
  } catch (error) {
    const { message, hint } = explain(error, 'The hub');
    if (!context.signal?.aborted) await store.hub.setNote(hubTrouble, troubleOf(clock, message, hint));
    throw error;
  }
  const { clock: isOff, ...moved } = done;
  if (done.done) await store.hub.setNote(hubExchanged, new Date(clock()).toISOString());
  if (done.done) await store.hub.setNote(hubTrouble, isOff && troubleOf(clock, isOff, setTheClock));
  if (done.pulled.forgotten > 0) {
    const { finishForgetting } = await import('../data/forget-traces.ts');
    await finishForgetting(context);
  }
  return moved;
}

/** For `status`. */
const troubleOf = (clock: () => number, message: string, hint: string | undefined): string =>
  JSON.stringify({ at: new Date(clock()).toISOString(), message, hint });
