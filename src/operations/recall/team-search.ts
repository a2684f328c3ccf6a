// Search beyond this machine: asks the hub what teammates share. If the hub does not answer, searches what was pulled
// from it.
import { repositoryOf } from '../../capture/repository.ts';
import { cosineOf } from '../../embedding/embedder.ts';
import { type Question, readQuestion } from '../../recall/question/question.ts';
import { type FoundEntry, onOneScale } from '../../recall/ranking/one-scale.ts';
import { meaningOfEntry, meaningOfSession } from '../../recall/ranking/rank.ts';
import { findsSubagents, search as recall, type SearchAnswer, type SearchRequest } from '../../recall/search.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Hit } from '../../schema/hit.ts';
import { isDerived } from '../../schema/hit-text.ts';
import { tombstone } from '../../store/removal/tombstone.ts';
import type { Store } from '../../store/store.ts';
import type { Context } from '../operation.ts';

/** A person waits for the answer. If the hub takes longer, its hits are left out, and the answer says so. */
const patience = { connectMs: 1500, statementMs: 3000 };
/** Reduces the lead of the first ranks when two rankings are merged. */
const rankOffset = 10;

type TeamContext = Context<'entries' | 'hub' | 'search' | 'transfer'>;

/** `answer` is this machine's, with the entries of its hits. */
export async function withTeam(
  context: TeamContext,
  request: SearchRequest,
  answer: SearchAnswer,
): Promise<SearchAnswer> {
  const { entries = [], ...own } = answer;
  const { readMembership } = await import('../../hub/membership.ts');
  const membership = readMembership(context.config.home);
  const say = (note: string) => (own.note === undefined ? note : `${own.note} ${note}`);
  if (membership === undefined)
    return { ...own, note: say('This machine has not joined a hub, so there is no team to search.') };
  const { query, kind, limit } = request;
  if (kind === 'conversation') return { ...own, note: say('Conversations are found on this machine only.') };
  const { starred, tag, group } = request.filter ?? {};
  if (starred === true || tag !== undefined || group !== undefined)
    return { ...own, note: say('Stars, tags and groups are on this machine only.') };
  if (kind === 'observation' || kind === 'summary')
    return merged(own, await inPulled(context, request), limit, own.note);
  try {
    const [{ connectAs }, { visibleShares }, { searchHub }] = await Promise.all([
      import('../../hub/connect.ts'),
      import('../../hub/local.ts'),
      import('../../hub/search.ts'),
    ]);
    const vector = await vectorOf(context, query);
    const question = await readQuestion(query, { now: context.clock(), config: context.config });
    const { speaker, times } = question;
    const client = await connectAs(membership, patience);
    try {
      const all = await visibleShares(client);
      const project = request.filter?.project;
      const identity =
        project !== undefined && 'path' in project
          ? await repositoryOf(project.path, context.config.environment)
          : undefined;
      const shares = all.filter(
        (share) =>
          project === undefined || ('name' in project ? share.name === project.name : share.project === identity),
      );
      const { since, until, role, agent } = request.filter ?? {};
      const {
        hits,
        entries: said,
        byMeaning,
      } = await searchHub(client, {
        ...{
          query,
          kind,
          shares,
          everything: project === undefined,
          limit: 2 * limit,
          filter: { since, until, role, agent, subagents: findsSubagents(request) },
          vector,
          speaker,
          times,
        },
      });
      const known = isDerived(kind)
        ? new Set<string>()
        : await context.store.transfer.knownEntries(hits.map(({ id }) => id));
      const mine = new Set(own.hits.map(({ id }) => id));
      const hidden = await hiddenHere(context);
      const isOther = (hit: Hit) => !known.has(hit.id) && !mine.has(hit.id) && !hidden(hit);
      const words = kind === 'memory' || byMeaning ? undefined : 'The hub was searched by words alone.';
      const note = words === undefined ? own.note : say(words);
      const others = { hits: hits.filter(isOther), entries: said.filter((_, i) => isOther(hits[i] as Hit)) };
      if (kind === 'memory') return merged(own, others, limit, note);
      const here = await foundHere(context.store, entries, byMeaning ? vector : undefined);
      return merged(own, others, limit, note, await scored(context, kind, question, [here, others.entries]));
    } finally {
      await client.end();
    }
  } catch (error) {
    const pulled = isDerived(kind) ? { hits: [] } : await inPulled(context, request);
    return merged(own, pulled, limit, say(`${(error as Error).message}; these hits come from what was pulled before.`));
  }
}

/** The entries of this machine's hits, as the hub describes its own. */
async function foundHere(
  store: Pick<Store, 'entries' | 'hub'>,
  entries: readonly Entry[],
  vector: Awaited<ReturnType<typeof vectorOf>>,
): Promise<FoundEntry[]> {
  const ids = entries.map(({ id }) => id);
  const uses = await store.entries.toolUses(ids);
  const { model, vectors } = await store.hub.entryVectors(ids);
  return entries.map(({ id, text, at, role, subagent }) => {
    const held = vector?.model === model ? vectors.get(id) : undefined;
    return {
      ...{ text, at: Date.parse(at), role, subagent: subagent !== undefined },
      uses: uses.flatMap(({ entry, tool, input, output = null }) => (entry === id ? [{ tool, input, output }] : [])),
      cosine: held && vector && cosineOf(vector.values, held),
    };
  });
}

/** Scores of both lists that can be compared. This machine's counts say how rare a word is, for both. */
async function scored(
  { store }: TeamContext,
  kind: 'entry' | 'session',
  { keywords, speaker, times }: Question,
  lists: readonly (readonly FoundEntry[])[],
): Promise<number[][]> {
  const { entries, matches } = await store.search.keywordCounts(keywords);
  const rarity = matches.map((count) => Math.log((entries + 1) / (count + 1)));
  const ofMeaning = kind === 'session' ? meaningOfSession : meaningOfEntry;
  return onOneScale({ keywords, rarity, ofMeaning, speaker, times, subagentsAlike: kind === 'session' }, lists);
}

/** Whether the person has hidden the session of a hit. */
async function hiddenHere({ config }: Context<never>): Promise<(hit: Hit) => boolean> {
  const { openTeamStore } = await import('../../hub/team-store.ts');
  const team = await openTeamStore(config.home, false);
  if (team === undefined) return () => false;
  try {
    const prints = new Set((await team.removal.tombstones()).map(({ print }) => print));
    return ({ agent, session }) => agent !== undefined && prints.has(tombstone.session(agent, session));
  } finally {
    await team.close();
  }
}

async function vectorOf({ meaning }: Context<never>, query: string) {
  const state = await meaning?.ready();
  if (state?.search === undefined) return undefined;
  // Without a vector the hub searches by words alone.
  const values = await state.search.embed(query).catch(() => undefined);
  return values === undefined ? undefined : { model: state.search.model, values };
}

/** The same search over what was pulled from teammates. */
async function inPulled(context: Context<'hub'>, request: SearchRequest): Promise<{ hits: Hit[] }> {
  const [{ openTeamStore }, { readPullNote }] = await Promise.all([
    import('../../hub/team-store.ts'),
    import('../../hub/pull.ts'),
  ]);
  const store = await openTeamStore(context.config.home, false);
  if (store === undefined) return { hits: [] };
  try {
    const { machines } = await readPullNote(context.store);
    const { hits } = await recall({ store, config: context.config, clock: context.clock }, request);
    const named: Hit[] = [];
    for (const hit of hits) {
      const [key = ''] =
        hit.agent === undefined ? [] : await store.hub.transcriptKeys({ agent: hit.agent, session: hit.session });
      const from = machines[key.split('/')[1] ?? ''];
      named.push(from === undefined ? hit : { ...hit, by: from.person, machine: from.machine });
    }
    return { hits: named };
  } finally {
    await store.close();
  }
}

/**
 * Merges two lists, each in its order. Without scores that can be compared, ranks count: the first hits count alike, and the local hit
 * comes first.
 */
function merged(
  own: SearchAnswer,
  others: { readonly hits: readonly Hit[] },
  limit: number,
  note: string | undefined,
  scores: readonly (readonly number[])[] = [],
): SearchAnswer {
  const placed = (hits: readonly Hit[], behind: number, known: readonly number[] | undefined) =>
    hits.map((hit, i) => ({ hit, score: known?.[i] ?? 1 / (rankOffset + i + behind) }));
  // The sort keeps the order of equals: local hits come first.
  const hits = [...placed(own.hits, 0, scores[0]), ...placed(others.hits, 0.5, scores[1])]
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit, score }) => ({ ...hit, score }));
  return note === undefined ? { hits } : { hits, note };
}
