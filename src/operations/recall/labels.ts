// A person's labels on a session: a name, a star, tags. Every list shows them and can filter by them, and they survive
// a reimport.
import { z } from 'zod';
import { AgentName } from '../../schema/agent-name.ts';
import { longestName, mostTags, SessionLabel, Tag } from '../../schema/session-label.ts';
import type { LabelChange } from '../../store/sessions/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from './find.ts';

const idField = z.string().min(1).describe('id of a session; its beginning is enough');
const agentField = AgentName.optional().describe('the agent, if two agents use the same id');
const removeField = z.boolean().default(false).describe('remove it again');

const Labelled = z.object({
  session: z.string(),
  agent: AgentName,
  title: z.string().describe('title of the session now'),
  ...SessionLabel.omit({ name: true }).shape,
});

export const nameSession = operation({
  name: 'name',
  summary: 'Give a session your own name; without a name, it gets its own title back',
  input: z.object({
    id: idField,
    title: z.string().trim().max(longestName).default('').meta({ description: 'the new name', rest: true }),
    agent: agentField,
  }),
  output: Labelled,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id', 'title'],
  examples: ['holdfast name 0f3c Retry queue, second try', 'holdfast name 0f3c'],
  async run(context: Context<'entries' | 'sessions'>, { id, title, agent }) {
    const { redact } = await import('../../capture/redaction/redact.ts');
    return label(context, id, agent, { name: redact(title).replace(/\s+/g, ' ').trim() });
  },
});

export const starSession = operation({
  name: 'star',
  summary: 'Star a session, to find it again with --starred',
  input: z.object({ id: idField, remove: removeField, agent: agentField }),
  output: Labelled,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast star 0f3c', 'holdfast star 0f3c --remove', 'holdfast sessions --starred'],
  run: (context: Context<'entries' | 'sessions'>, { id, remove, agent }) =>
    label(context, id, agent, { starred: !remove }),
});

export const tagSession = operation({
  name: 'tag',
  summary: 'Tag a session, to find it again with --tag',
  input: z.object({
    id: idField,
    tags: z.array(Tag).min(1).max(mostTags).meta({ description: 'words, such as release or flaky-tests', rest: true }),
    remove: removeField,
    agent: agentField,
  }),
  output: Labelled,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id', 'tags'],
  examples: ['holdfast tag 0f3c release', 'holdfast tag 0f3c release --remove', 'holdfast search deploy --tag release'],
  async run(context: Context<'entries' | 'sessions'>, { id, tags, remove, agent }) {
    const { session } = await find(context.store, id.trim(), agent);
    const before = session.tags ?? [];
    if (!remove && new Set([...before, ...tags]).size > mostTags)
      throw new HoldfastError(
        'BAD_INPUT',
        `A session has at most ${mostTags} tags, and this one has ${before.length}`,
        {
          hint: `Remove one first: holdfast tag ${id} ${before[0] ?? '<tag>'} --remove`,
        },
      );
    return label(context, id, agent, remove ? { removeTags: tags } : { addTags: tags });
  },
});

async function label(
  { store, clock }: Context<'entries' | 'sessions'>,
  id: string,
  agent: AgentName | undefined,
  change: LabelChange,
) {
  const { session, entry } = await find(store, id.trim(), agent);
  if (entry !== undefined)
    throw new HoldfastError('BAD_INPUT', `${id} is an entry, not a session`, { hint: `Its session is ${session.id}.` });
  const key = { agent: session.agent, session: session.id };
  const { starred, tags } = await store.sessions.label(key, change, clock());
  const now = (await store.sessions.find(session.id)).find(
    (one) => one.id === session.id && one.agent === session.agent,
  );
  return { ...key, title: now?.title ?? session.title, starred, tags };
}
