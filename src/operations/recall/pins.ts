// Pins and mutes: what every briefing of a project includes, and what none includes.
import { z } from 'zod';
import { AgentName } from '../../schema/agent-name.ts';
import { Pin } from '../../schema/pin.ts';
import type { PinKey } from '../../store/pins/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts } from '../ports.ts';
import { toProject } from './filters.ts';
import { find } from './find.ts';
import { renewBriefings } from './prepare-briefings.ts';

const input = z.object({
  id: z.string().min(1).describe('id of a session or entry (its beginning is enough), or name or path of a project'),
  remove: z.boolean().default(false).describe('remove the mark again'),
  agent: AgentName.optional().describe('the agent, if two agents use the same id'),
});

const output = z.object({
  mark: z.enum(['pinned', 'muted']),
  kind: Pin.shape.kind,
  id: z.string(),
  removed: z.boolean(),
});

export const pin = operation({
  name: 'pin',
  summary: 'Put a session or entry first in the briefings of its project, or a project in all briefings',
  input,
  output,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast pin 0f3c', 'holdfast pin holdfast', 'holdfast pin 0f3c --remove'],
  run: (context: Context<BriefingPorts>, given) => mark(context, 'pinned', given),
});

export const mute = operation({
  name: 'mute',
  summary: 'Keep a session, an entry or a whole project out of briefings',
  input,
  output,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast mute 0f3c', 'holdfast mute ./scratch', 'holdfast mute 0f3c --remove'],
  run: (context: Context<BriefingPorts>, given) => mark(context, 'muted', given),
});

export const pins = operation({
  name: 'pins',
  summary: 'List what is pinned and what is muted',
  input: z.object({}),
  output: z.object({ pins: z.array(Pin) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast pins', 'holdfast pins --json'],
  run: async ({ store }: Context<'pins'>) => ({ pins: [...(await store.pins.list())] }),
});

async function mark({ store, config, clock }: Context<BriefingPorts>, as: Pin['mark'], given: z.output<typeof input>) {
  const id = given.id.trim();
  const key = await meant(store, id, given.agent, config.settings.separateWorktrees);
  if (!given.remove) await store.pins.set(key, as, clock());
  else if (!(await store.pins.remove(key, as)))
    throw new HoldfastError('NOT_FOUND', `${key.kind} ${key.id} is not ${as}`, { hint: 'See: holdfast pins' });
  await renewBriefings({ store, config, clock });
  return { mark: as, kind: key.kind, id: key.id, removed: given.remove };
}

/** A project if the text names one; otherwise the session or entry whose id begins so. */
async function meant(
  store: Pick<Store, 'entries' | 'pins' | 'projects' | 'sessions'>,
  text: string,
  agent: AgentName | undefined,
  separate: boolean,
): Promise<PinKey> {
  const marked = (await store.pins.list()).find(({ id }) => id === text);
  if (marked !== undefined && (agent === undefined || marked.agent === agent)) return marked;
  const project = await store.projects.digest(await toProject(store, text, separate));
  if (project !== undefined) return { kind: 'project', id: project.path };
  const { session, entry } = await find(store, text, agent);
  return entry === undefined
    ? { kind: 'session', id: session.id, agent: session.agent }
    : { kind: 'entry', id: entry.id, agent: entry.agent };
}
