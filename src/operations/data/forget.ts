// Forgets for good: the rows in one transaction, then every file that held some of it. Agents cannot call this; only a
// person may.

import { z } from 'zod';
import { conversationRules } from '../../capture/conversation-rules.ts';
import { copyPath } from '../../capture/vault/vault.ts';
import { inOneLine } from '../../language/gist.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { saidOrUsed } from '../../schema/entry.ts';
import type { Forgettable, Forgotten } from '../../store/removal/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { TracePorts } from '../ports.ts';
import { type Candidate, entriesNamed, findOne, type Lookup, sessionsNamed } from '../recall/find.ts';
import { renewBriefings } from '../recall/prepare-briefings.ts';
import { reachBackups } from './backups.ts';
import { beyondReach, finishForgetting } from './forget-traces.ts';
import { ringForgotten } from './forgotten-bell.ts';

type Item = Forgettable | { readonly kind: 'memory'; readonly id: string; readonly at: string };
type Found = Item & { readonly title: string };

const Removed = z.object({
  sessions: z.int(),
  entries: z.int(),
  toolUses: z.int(),
  observations: z.int(),
  summaries: z.int(),
  briefings: z.int().describe('briefings given since, which may have mentioned it'),
  pins: z.int(),
  memories: z.int().describe('conversations whose memories are deleted, or the memory itself'),
});

export const forget = operation({
  name: 'forget',
  ending: 'orderly',
  summary:
    'Delete an item for good, with everything derived from it; it does not come back. The agent’s own transcript is not touched',
  input: z.object({
    id: z.string().min(1).describe('id of a session, entry, observation, summary or memory; its beginning is enough'),
    use: z.string().min(1).optional().describe('only this tool use of the entry: its id, as show --json prints it'),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
    dryRun: z.boolean().default(false).describe('only show what would be deleted'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    kind: z.enum(['session', 'entry', 'tool use', 'observation', 'summary', 'memory']),
    id: z.string(),
    title: z.string(),
    forgotten: z.boolean().describe('false: nothing was changed'),
    removed: Removed,
    files: z.array(z.string()).describe('archives and copies that are deleted, or rewritten without it'),
    left: z.array(z.string()).describe('what cannot be reached'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id', 'use'],
  examples: [
    'holdfast forget 0f3c --dry-run',
    'holdfast forget 0f3c',
    'holdfast forget o3f2a91 --yes',
    'holdfast forget 1a2b toolu_01 --yes',
  ],
  succeeded: ({ forgotten }, { dryRun }) => forgotten || dryRun,
  async run(context: Context<TracePorts | 'briefings'>, { id, use, agent, dryRun, yes }) {
    const { store, config, clock, person } = context;
    // A crash may have left some of an earlier `forget` undone.
    if (!dryRun) await finishForgetting(context);
    const named = await findOne<Found>(
      id.trim(),
      lookups(store, agent),
      'session, entry, observation, summary or memory',
    );
    const found = use === undefined ? named : await useOf(store, named, use);
    if (found.kind === 'memory') return forgetMemory(context, found, { dryRun, yes });
    const rules = conversationRules(config.settings);
    const plan = await store.removal.forget(found, { rules, now: clock(), dryRun: true });
    if (plan === undefined) throw new HoldfastError('NOT_FOUND', `There is no ${found.kind} ${found.id} any more`);
    const { kind, title } = found;
    const planned = { kind, id: found.id, title, ...(await expected(context, plan)) };
    if (dryRun) return { ...planned, forgotten: false };
    if (!yes && (await person?.agrees?.(question(found))) === false) return { ...planned, forgotten: false };
    const done = await store.removal.forget(found, { rules, now: clock() });
    if (done === undefined) throw new HoldfastError('NOT_FOUND', `There is no ${kind} ${found.id} any more`);
    const wiped = await finishForgetting(context);
    ringForgotten(config, clock());
    return {
      ...{ kind, id: found.id, title, forgotten: true },
      removed: { ...done.removed, memories: wiped?.memories ?? 0 },
      files: [...(wiped?.files ?? [])],
      left: [...beyondReach(context, done.traces), ...(wiped?.left ?? [])],
    };
  },
});

/** One tool use of the entry that was named. */
async function useOf(store: Pick<Store, 'entries'>, named: Found, id: string): Promise<Found> {
  if (named.kind !== 'entry')
    throw new HoldfastError('BAD_INPUT', `${named.id} is a ${named.kind}, and only an entry has tool uses`, {
      hint: `Name the entry: holdfast forget ENTRY ${id}`,
    });
  const uses = await store.entries.toolUses([named.id]);
  const use = uses.find((one) => one.id === id.trim());
  if (use === undefined)
    throw new HoldfastError('NOT_FOUND', `The entry ${named.id} has no tool use ${JSON.stringify(id)}`, {
      hint: `List its tool uses with: holdfast show ${named.id} --json`,
    });
  const title = inOneLine(`${use.tool} ${use.input}`).slice(0, 80);
  return { kind: 'tool use', agent: named.agent, entry: named.id, id: use.id, title };
}

const question = ({ kind, title }: Found): string => `Forget this ${kind} for good: ${title}?`;

/** What forgetting would change outside the database. */
async function expected({ store, config }: Context<TracePorts>, { removed, traces }: Forgotten) {
  const held = new Set(traces.transcripts.map(({ agent, key }) => `${agent} ${key}`));
  const copies = (await store.vault.copies()).filter(({ agent, key }) => held.has(`${agent} ${key}`));
  const files = copies.map(({ agent, key }) => copyPath(config, agent, key));
  for (const { agent, session } of traces.sessions)
    for (const { folder, file } of await store.archives.list({ agent, session })) files.push(`${folder}/${file}`);
  let memories = 0;
  for (const { agent, file, firstPos } of traces.conversations)
    if ((await store.memory.extraction(agent, file, firstPos)) !== undefined) memories++;
  return { removed: { ...removed, memories }, files, left: beyondReach({ store, config }, traces) };
}

async function forgetMemory(
  context: Context<TracePorts | 'briefings'>,
  found: Found & { kind: 'memory' },
  { dryRun, yes }: { dryRun: boolean; yes: boolean },
) {
  const { store, config, person } = context;
  const { kind, id, title } = found;
  const traces = { sessions: [], transcripts: [], conversations: [] };
  const nothing = { sessions: 0, entries: 0, toolUses: 0, observations: 0, summaries: 0, briefings: 0, pins: 0 };
  const answer = { kind, id, title, removed: { ...nothing, memories: 1 }, files: [] };
  const { isRepository, forgetMemory: run, commitPages } = await librarian();
  const left = [
    ...beyondReach(context, traces),
    ...(isRepository(config.memoryPath) ? [`the git history of ${config.memoryPath}, which is yours`] : []),
  ];
  if (dryRun || (!yes && (await person?.agrees?.(question(found))) === false))
    return { ...answer, left, forgotten: false };
  const { forgotten } = await run(toDeps(context), id);
  await commitPages(toDeps(context));
  const briefings = await store.briefings.drop(Date.parse(found.at));
  await renewBriefings(context);
  await store.admin.purge();
  left.push(...(await reachBackups(context)));
  ringForgotten(config, context.clock());
  return { ...answer, left, removed: { ...nothing, memories: forgotten, briefings }, forgotten: true };
}

function lookups(
  store: Pick<Store, 'distilled' | 'entries' | 'memory' | 'sessions'>,
  agent: AgentName | undefined,
): Lookup<Found>[] {
  const ofAgent = (one: { agent: AgentName }) => agent === undefined || one.agent === agent;
  const gist = (text: string) => inOneLine(text).slice(0, 80);
  const candidate = (what: Found): Candidate<Found> => ({ id: what.id, says: `${what.kind}: ${what.title}`, what });
  return [
    async (id) =>
      (await sessionsNamed(store, agent)(id)).map(({ what: { session } }) =>
        candidate({ kind: 'session', agent: session.agent, id: session.id, title: gist(session.title) }),
      ),
    async (id) =>
      (await entriesNamed(store, agent)(id)).flatMap(({ what: { entry } }) =>
        entry === undefined
          ? []
          : [candidate({ kind: 'entry', agent: entry.agent, id: entry.id, title: gist(saidOrUsed(entry)) })],
      ),
    async (id) => [
      ...(await store.distilled.findObservations(id))
        .filter(ofAgent)
        .map((one) => candidate({ kind: 'observation', id: one.id, title: gist(one.title) })),
      ...(await store.distilled.findSummaries(id))
        .filter(ofAgent)
        .map((one) => candidate({ kind: 'summary', id: one.id, title: gist(one.title) })),
    ],
    async (id) =>
      (await store.memory.find(id.toLowerCase())).map((one) =>
        candidate({ kind: 'memory', id: one.id, at: one.at, title: gist(one.text) }),
      ),
  ];
}
