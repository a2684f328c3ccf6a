// One session as a readable transcript, or one entry among its neighbours.
import { z } from 'zod';
import { filesTouched } from '../../language/files-touched.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { GivenBriefing } from '../../schema/briefing.ts';
import { Entry } from '../../schema/entry.ts';
import { Session } from '../../schema/session.ts';
import { ToolUse } from '../../schema/tool-use.ts';
import type { Store } from '../../store/store.ts';
import { type Context, operation } from '../operation.ts';
import { find } from './find.ts';

const neighbours = 3;

const ShownEntry = Entry.extend({ toolUses: z.array(ToolUse) });

export const Shown = z.object({
  session: Session,
  focus: z.string().optional().describe('the entry that was asked for'),
  total: z.int().describe('how many entries the session has'),
  from: z.int().describe('position of the first entry shown, from 0'),
  entries: z.array(ShownEntry),
  files: z
    .array(z.object({ file: z.string(), modified: z.int(), read: z.int() }))
    .optional()
    .describe('with `files`: paths relative to the project, and how often tools changed or read them'),
  briefings: z.array(GivenBriefing).optional().describe('with `briefings`: newest first'),
});

export const show = operation({
  name: 'show',
  summary: 'Show a session as a readable transcript, or an entry with its neighbours',
  input: z.object({
    id: z.string().min(1).describe('id of a session or entry; its beginning is enough'),
    subagents: z.boolean().default(false).describe('also what subagents said'),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
    files: z.boolean().optional().describe('also which files the tools of the session touched'),
    briefings: z.boolean().optional().describe('also the briefings that the session was given'),
    from: z.int().min(0).optional().describe('start at this entry, counted from 0'),
    limit: z.int().min(1).max(2000).optional().describe('at most this many entries'),
  }),
  output: Shown,
  surfaces: ['cli', 'http'],
  positional: ['id'],
  http: { path: '/api/sessions/{id}' },
  examples: [
    'holdfast show 0f3c',
    'holdfast show 0f3c --subagents',
    'holdfast show 0f3c --files --limit 1',
    'holdfast show 0f3c --json',
  ],
  async run(
    { store }: Context<'briefings' | 'entries' | 'search' | 'sessions'>,
    { id, subagents, agent, files, briefings, from, limit },
  ) {
    const { session, entry } = await find(store, id.trim(), agent);
    const part = await store.entries.page(session.agent, session.id, {
      subagents: subagents || entry?.subagent !== undefined,
      around: entry?.id,
      from,
      limit: limit ?? (entry === undefined ? Number.MAX_SAFE_INTEGER : 2 * neighbours + 1),
    });
    return {
      session,
      ...(entry === undefined ? {} : { focus: entry.id }),
      total: part.total,
      from: part.from,
      entries: await withToolUses(store, part.entries),
      ...(files ? { files: await filesOf(store, session) } : {}),
      ...(briefings ? { briefings: await briefingsOf(store, session) } : {}),
    };
  },
});

const briefingsOf = async (store: Pick<Store, 'briefings'>, { agent, id }: Session) =>
  (await store.briefings.list({ session: id, limit: 100 })).filter((one) => one.session === id && one.agent === agent);

async function filesOf(store: Pick<Store, 'search'>, { agent, id, projectPath }: Session) {
  const touches = await store.search.countedTouches({ agent, id });
  return filesTouched(touches, projectPath).map(({ file, modified, read }) => ({ file, modified, read }));
}

/** Each entry with its tool uses. */
export async function withToolUses(
  store: Pick<Store, 'entries'>,
  entries: readonly Entry[],
): Promise<z.infer<typeof ShownEntry>[]> {
  const uses = new Map<string, ToolUse[]>(entries.map((one) => [one.id, []]));
  for (const use of await store.entries.toolUses([...uses.keys()])) uses.get(use.entry)?.push(use);
  return entries.map((one) => ({ ...one, toolUses: uses.get(one.id) ?? [] }));
}
