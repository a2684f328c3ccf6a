// Search beyond this machine: asks the hub what teammates share. If the hub does not answer, searches what was pulled
// from it.
import { repositoryOf } from '../../capture/repository.ts';
import { readQuestion } from '../../recall/question/question.ts';
import { search as recall, type SearchAnswer, type SearchRequest } from '../../recall/search.ts';
import { type Hit, isDerived } from '../../schema/hit.ts';
import { tombstone } from '../../store/removal/tombstone.ts';
import type { Context } from '../operation.ts';

/** A person waits for this: what the hub does not answer in time is left out, and the answer says so. */
const patience = { connectMs: 1500, statementMs: 3000 };
/** Reduces the lead of the first ranks when two rankings are merged. */
const rankOffset = 10;

export async function withTeam(
  context: Context<'hub' | 'transfer'>,
  request: SearchRequest,
  own: SearchAnswer,
): Promise<SearchAnswer> {
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
    const { speaker, times } = await readQuestion(query, { now: context.clock(), config: context.config });
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
      const { since, until, role, agent, subagents } = request.filter ?? {};
      const { hits, byMeaning } = await searchHub(client, {
        ...{
          query,
          kind,
          shares,
          everything: project === undefined,
          limit: 2 * limit,
          filter: { since, until, role, agent, subagents },
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
      const others = hits.filter((hit) => !known.has(hit.id) && !mine.has(hit.id) && !hidden(hit));
      const words = kind === 'memory' || byMeaning ? undefined : 'The hub was searched by words alone.';
      return merged(own, { hits: others }, limit, words === undefined ? own.note : say(words));
    } finally {
      await client.end();
    }
  } catch (error) {
    const pulled = isDerived(kind) ? { hits: [] } : await inPulled(context, request);
    return merged(own, pulled, limit, say(`${(error as Error).message}; these hits come from what was pulled before.`));
  }
}

/** Whether the person has hidden the session of a hit. */
async function hiddenHere({ config }: Context<never>): Promise<(hit: Hit) => boolean> {
  const { openTeamStore } = await import('../../hub/sync.ts');
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
  const values = await state.search.embed(query).catch(() => undefined);
  return values === undefined ? undefined : { model: state.search.model, values };
}

/** The same search over what was pulled from teammates. */
async function inPulled(context: Context<'hub'>, request: SearchRequest): Promise<{ hits: Hit[] }> {
  const [{ openTeamStore }, { readPullNote }] = await Promise.all([
    import('../../hub/sync.ts'),
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
 * Scores of two stores have different scales, so compare ranks: the first hits count alike, and the local hit comes
 * first.
 */
function merged(
  own: SearchAnswer,
  others: { readonly hits: readonly Hit[] },
  limit: number,
  note: string | undefined,
): SearchAnswer {
  const placed = (hits: readonly Hit[], behind: number) =>
    hits.map((hit, i) => ({ hit, score: 1 / (rankOffset + i + behind) }));
  const hits = [...placed(own.hits, 0), ...placed(others.hits, 0.5)]
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit, score }) => ({ ...hit, score }));
  return note === undefined ? { hits } : { hits, note };
}
