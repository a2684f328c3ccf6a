// One session as a readable transcript, or one entry among its neighbours.
import { z } from 'zod';
import { HoldfastError } from '../errors.ts';
import { AgentName } from '../schema/agent-name.ts';
import { Entry } from '../schema/entry.ts';
import { Session } from '../schema/session.ts';
import { ToolUse } from '../schema/tool-use.ts';
import type { Store } from '../store/store.ts';
import { operation } from './operation.ts';

const neighbours = 3;

const ShownEntry = Entry.extend({ toolUses: z.array(ToolUse) });

export const Shown = z.object({
  session: Session,
  focus: z.string().optional().describe('the entry that was asked for'),
  entries: z.array(ShownEntry),
});

export const show = operation({
  name: 'show',
  summary: 'Show a session as a readable transcript, or an entry with what stands around it',
  input: z.object({
    id: z.string().min(1).describe('id of a session or entry; its beginning is enough'),
    subagents: z.boolean().default(false).describe('also what subagents said'),
    agent: AgentName.optional().describe('the agent, where two use the same id'),
  }),
  output: Shown,
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['id'],
  http: { path: '/api/sessions/{id}' },
  examples: ['holdfast show 0f3c', 'holdfast show 0f3c --subagents', 'holdfast show 0f3c --json'],
  async run({ store }, { id, subagents, agent }) {
    const { session, entry } = await find(store, id.trim(), agent);
    const whole = await store.transcript(session.agent, session.id, {
      subagents: subagents || entry?.subagent !== undefined,
    });
    const at = entry === undefined ? -1 : whole.findIndex((candidate) => candidate.id === entry.id);
    const entries = at < 0 ? whole : whole.slice(Math.max(0, at - neighbours), at + neighbours + 1);
    const uses = new Map<string, ToolUse[]>(entries.map((one) => [one.id, []]));
    for (const use of await store.toolUses([...uses.keys()])) uses.get(use.entry)?.push(use);
    return {
      session,
      ...(entry === undefined ? {} : { focus: entry.id }),
      entries: entries.map((one) => ({ ...one, toolUses: uses.get(one.id) ?? [] })),
    };
  },
});

export async function find(
  store: Store,
  id: string,
  agent: AgentName | undefined,
): Promise<{ session: Session; entry?: Entry }> {
  const ofAgent = (found: { agent: AgentName }) => agent === undefined || found.agent === agent;
  const sessions = exactFirst((await store.findSessions(id)).filter(ofAgent), id);
  if (sessions.length === 1) return { session: sessions[0] as Session };
  const entries = sessions.length > 0 ? [] : exactFirst((await store.findEntries(id)).filter(ofAgent), id);
  const entry = entries[0];
  if (entries.length === 1 && entry) {
    const owner = (await store.findSessions(entry.session)).find(
      (session) => session.agent === entry.agent && session.id === entry.session,
    );
    if (owner) return { session: owner, entry };
  }
  if (sessions.length + entries.length === 0)
    throw new HoldfastError('NOT_FOUND', `No session or entry has an id that begins with ${JSON.stringify(id)}`, {
      hint: 'List sessions with `holdfast sessions`, or find entries with `holdfast search`.',
    });
  const candidates = [
    ...sessions.map((one) => `${one.id} (${one.agent}, ${one.project}: ${one.title})`),
    ...entries.map((one) => `${one.id} (${one.agent}, ${one.role}: ${one.text.slice(0, 60).replace(/\s+/g, ' ')})`),
  ];
  const more = candidates.length > 10 ? `\n  … and ${candidates.length - 10} more` : '';
  throw new HoldfastError('AMBIGUOUS', `${candidates.length} ids begin with ${JSON.stringify(id)}`, {
    hint: `Give more of the id:\n  ${candidates.slice(0, 10).join('\n  ')}${more}`,
  });
}

/** A whole id means itself, though other ids may begin with it. */
function exactFirst<T extends { id: string }>(found: readonly T[], id: string): readonly T[] {
  const exact = found.filter((candidate) => candidate.id === id);
  return exact.length > 0 ? exact : found;
}
