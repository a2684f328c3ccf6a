// Anything with an id, in full, as far as there is room: the last step after `search` and `timeline`.
import { z } from 'zod';
import { inOneLine } from '../../language/gist.ts';
import { shortIds } from '../../recall/shown/short-ids.ts';
import { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import { Item } from '../../schema/item.ts';
import { localTime } from '../../schema/local-time.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { observationText, summaryText } from './distilled-text.ts';
import { type Candidate, entriesNamed, findOne, type Lookup, type SessionOrEntry, sessionsNamed } from './find.ts';
import { withToolUses } from './show.ts';
import { toItems } from './timeline.ts';

/** An item with its whole text; what fits is decided later. */
type Whole = Omit<Item, 'cut'>;
type Read = (context: Context<'entries'>) => Promise<Whole>;

interface Kind {
  /** The ids of this kind that begin as asked, each with a function that reads it. */
  named(
    store: Pick<Store, 'distilled' | 'entries' | 'memory' | 'sessions'>,
    agent: AgentName | undefined,
  ): Lookup<Read>;
}

/** Every kind of thing that has an id, in lookup order. */
const kinds: readonly Kind[] = [
  { named: (store, agent) => reading(sessionsNamed(store, agent), readSession) },
  { named: (store, agent) => reading(entriesNamed(store, agent), readEntry) },
  { named: distilledNamed },
  { named: memoriesNamed },
];

export const get = operation({
  name: 'get',
  summary: 'Get entries, sessions, observations, summaries and memories in full by their ids',
  input: z.object({
    ids: z.array(z.string().min(1)).min(1).max(20).meta({
      description: 'ids of entries, sessions, observations, summaries or memories; the beginning of each is enough',
      rest: true,
    }),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
    maxChars: z.int().min(200).max(1_000_000).default(12_000).describe('at most this many characters of text in all'),
    from: z.int().min(0).default(0).describe('start at this character, where an earlier answer was cut'),
  }),
  output: z.object({ items: z.array(Item) }),
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['ids'],
  mcp: {
    description:
      'The full text of entries by id, with tool uses and the ids before and after; for a session, one line per entry. Ids come from search, timeline and sessions; their first 8 characters are enough. Long text is cut and says how to continue.',
    foremost: true,
  },
  examples: ['holdfast get 0f3c', 'holdfast get 0f3c 1a2b --max-chars 4000', 'holdfast get 0f3c --from 12000 --json'],
  async run(context: Context<'distilled' | 'entries' | 'memory' | 'sessions'>, { ids, agent, maxChars, from }) {
    const wanted = [...new Set(ids.map((id) => id.trim()))];
    if (from > 0 && wanted.length > 1)
      throw new HoldfastError('BAD_INPUT', '--from works with one id only', {
        hint: 'Get the other ids in separate calls.',
      });
    const lookups = kinds.map((kind) => kind.named(context.store, agent));
    const items: Item[] = [];
    let room = maxChars;
    for (const [i, id] of wanted.entries()) {
      const whole = await (await findOne(id, lookups, 'session, entry, observation, summary or memory'))(context);
      // Room that one item leaves over goes to the items after it.
      const item = within(whole, from, Math.floor(room / (wanted.length - i)));
      room -= sizeOf(item);
      items.push(item);
    }
    return { items };
  },
});

const reading =
  (
    lookup: Lookup<SessionOrEntry>,
    read: (context: Context<'entries'>, place: SessionOrEntry) => Promise<Whole>,
  ): ReturnType<Kind['named']> =>
  async (id) =>
    (await lookup(id)).map(
      (found): Candidate<Read> => ({
        ...found,
        what: (context) => read(context, found.what),
      }),
    );

/**
 * These ids begin with a letter that is not a hexadecimal digit. They are looked up last, so they hide no agent's id.
 */
function distilledNamed(store: Pick<Store, 'distilled'>, agent: AgentName | undefined): Lookup<Read> {
  const ofAgent = (one: { agent: AgentName }) => agent === undefined || one.agent === agent;
  return async (id) => {
    const found = [
      ...(await store.distilled.findObservations(id))
        .filter(ofAgent)
        .map((one) => ({ kind: 'observation' as const, one, text: observationText(one) })),
      ...(await store.distilled.findSummaries(id))
        .filter(ofAgent)
        .map((one) => ({ kind: 'summary' as const, one, text: summaryText(one) })),
    ];
    return found.map(({ kind, one, text }): Candidate<Read> => {
      const { at, project, session, title } = one;
      const whole: Whole = { kind, id: one.id, at, project, agent: one.agent, session, title, text };
      return { id: one.id, says: `${kind}, ${project}: ${title}`, what: async () => whole };
    });
  };
}

/** A memory may come from no agent at all, so the agent filter does not apply. */
function memoriesNamed(store: Pick<Store, 'memory'>): Lookup<Read> {
  return async (id) =>
    (await store.memory.find(id.toLowerCase())).map(({ id, at, project, session, title, page, text }) => {
      const whole: Whole = {
        kind: 'memory',
        id,
        at,
        project,
        ...(session === '' ? {} : { session }),
        title,
        page,
        text,
      };
      return { id, says: `memory, ${page}: ${inOneLine(text).slice(0, 60)}`, what: async () => whole };
    });
}

async function readEntry({ store }: Context<'entries'>, { session, entry }: SessionOrEntry): Promise<Whole> {
  const { id, at, agent, role, text, subagent, abandoned, gone } = entry as Entry;
  const around = (await store.entries.transcript(agent, session.id, { subagents: subagent !== undefined })).filter(
    (one) => one.subagent === subagent,
  );
  const place = around.findIndex((one) => one.id === id);
  const [before, after] = [around[place - 1]?.id, around[place + 1]?.id];
  const [{ toolUses } = { toolUses: [] }] = await withToolUses(store, [entry as Entry]);
  return {
    kind: 'entry',
    id,
    at,
    project: session.project,
    agent,
    session: session.id,
    title: session.title,
    role,
    ...(subagent === undefined ? {} : { subagent }),
    ...(abandoned ? { abandoned } : {}),
    ...(gone ? { gone } : {}),
    text,
    toolUses,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

async function readSession({ store, config }: Context<'entries'>, { session }: SessionOrEntry): Promise<Whole> {
  const { timeZone } = config.settings;
  const { id, agent, project, title, startedAt: at } = session;
  const entries = await store.entries.transcript(agent, id);
  const lines = await toItems(
    store,
    entries.map((entry) => ({ entry, project })),
  );
  const short = shortIds(lines.map((line) => line.id));
  const text = lines.map(
    (line) => `${short(line.id)} ${localTime(line.at, timeZone)} ${line.role}: ${inOneLine(line.text)}`,
  );
  return { kind: 'session', id, at, project, agent, session: id, title, text: text.join('\n') };
}

/** The text from an offset on, then whole tool uses, as long as there is room. */
function within(whole: Whole, from: number, room: number): Item {
  const start = Math.min(from, whole.text.length);
  const text = slice(whole.text, start, start + room);
  const end = start + text.length;
  const uses = whole.toolUses ?? [];
  let left = room - text.length;
  const kept = uses.filter((use) => {
    left -= sizeOfUse(use);
    return left >= 0;
  });
  const toolUses = whole.toolUses === undefined ? {} : { toolUses: kept };
  const cut = { characters: whole.text.length - end, from: end, toolUses: uses.length - kept.length };
  return { ...whole, text, ...toolUses, ...(cut.characters + cut.toolUses > 0 ? { cut } : {}) };
}

/** Never splits a surrogate pair. */
const slice = (text: string, start: number, end: number): string =>
  text.slice(start, /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end);

const sizeOfUse = ({ input, output = '' }: { input: string; output?: string | undefined }): number =>
  input.length + output.length;

const sizeOf = ({ text, toolUses = [] }: Item): number =>
  text.length + toolUses.reduce((sum, use) => sum + sizeOfUse(use), 0);
