// Removes many sessions at once: those that are old, or beyond a given number.
import { z } from 'zod';
import { plural } from '../../language/plural.ts';
import { everyone } from '../../schema/group.ts';
import type { Session } from '../../schema/session.ts';
import { Moment } from '../../schema/time.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts, MemoryPorts } from '../ports.ts';
import { filterFields, toFilter } from '../recall/filters.ts';
import { parseSince } from '../recall/when.ts';
import { inWords, plannedRemoval, type RemovedSessions, removeSessions } from './remove-sessions.ts';

const { project, agent } = filterFields;

export const sessionsPurge = operation({
  name: 'sessions purge',
  ending: 'orderly',
  summary:
    'Delete many sessions from the store with everything derived from them, by age or number; the agents keep their transcripts',
  input: z.object({
    olderThan: z.string().min(1).optional().describe('sessions whose last entry is older: 90d, 26w, 2026-03-01'),
    keep: z.int().min(0).optional().describe('keep this many of the newest, delete the rest'),
    project,
    agent,
    dryRun: z.boolean().default(false).describe('only show what would be deleted'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    purged: z.boolean().describe('false: nothing was changed'),
    sessions: z.int(),
    oldest: Moment.optional(),
    newest: Moment.optional(),
    entries: z.int(),
    toolUses: z.int(),
    conversations: z.int(),
    memories: z.int().describe('conversations whose memories are deleted'),
    copies: z.int().describe('copies of their transcripts in the vault'),
    archives: z.int(),
    kept: z.array(z.string()).describe('archives that stay because they were edited by hand'),
    spared: z.int().describe('sessions that stay because they are pinned, or active for a group'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  examples: [
    'holdfast sessions purge --older-than 180d --dry-run',
    'holdfast sessions purge --keep 1000 --yes',
    'holdfast sessions purge --project scratch --keep 0',
  ],
  succeeded: ({ purged, sessions }, { dryRun }) => purged || dryRun || sessions === 0,
  async run(context: Context<BriefingPorts | MemoryPorts | 'removal'>, input) {
    const { chosen, spared } = await choose(context, input);
    const span = {
      ...(chosen.at(-1) && { oldest: chosen.at(-1)?.endedAt }),
      ...(chosen[0] && { newest: chosen[0].endedAt }),
    };
    const answer = ({ archives, kept, ...removed }: RemovedSessions) => {
      return { ...span, ...removed, archives: archives.length, kept: [...kept], spared };
    };
    const planned = answer(await plannedRemoval(context, chosen));
    const question = `Delete ${plural(chosen.length, 'session')}: ${inWords(planned)}?`;
    const isWanted =
      chosen.length > 0 && !input.dryRun && (input.yes || (await context.person?.agrees?.(question)) === true);
    if (!isWanted) return { purged: false, ...planned };
    const keys = chosen.map(({ agent: by, id }) => ({ agent: by, session: id }));
    return { purged: true, ...answer(await removeSessions(context, keys)) };
  },
});

/** Newest first. */
async function choose(
  context: Context<'groups' | 'pins' | 'projects' | 'sessions'>,
  input: {
    olderThan?: string | undefined;
    keep?: number | undefined;
    project?: string | undefined;
    agent?: Session['agent'] | undefined;
  },
): Promise<{ chosen: Session[]; spared: number }> {
  const { store, config, clock } = context;
  const { olderThan, keep } = input;
  if (olderThan === undefined && keep === undefined)
    throw new HoldfastError('BAD_INPUT', 'Which sessions?', {
      hint: 'Say --older-than 180d, or --keep 1000, or both; with --dry-run nothing is changed.',
    });
  const before =
    olderThan === undefined
      ? Number.POSITIVE_INFINITY
      : parseSince(olderThan, { now: clock(), timeZone: config.settings.timeZone }, '--older-than');
  const all = await store.sessions.list(
    // A scheduled purge may have deleted the last session of the project before.
    await toFilter(context, { project: input.project, agent: input.agent, group: everyone }, { anyProject: true }),
  );
  const meant = all.slice(keep ?? 0).filter(({ endedAt }) => Date.parse(endedAt) < before);
  const pinned = (await store.pins.list()).filter(({ kind, mark }) => kind === 'session' && mark === 'pinned');
  const active = (await store.groups.list()).map(({ pointer }) => pointer.session);
  const stays = new Set([...pinned.map(({ id }) => id), ...active]);
  const chosen = meant.filter(({ id }) => !stays.has(id));
  return { chosen, spared: meant.length - chosen.length };
}
