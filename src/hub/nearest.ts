// The entries of a hub with pgvector that are nearest to a question.
import type { HubClient } from './connect.ts';
import type { Share } from './local.ts';
import type { HubFilter } from './search.ts';

export interface Near {
  readonly entry: number;
  readonly cosine: number;
}

export interface NearestAmong {
  /** Null: all shares. */
  readonly within: readonly number[] | null;
  readonly shares: readonly Pick<Share, 'id'>[];
  readonly filter?: HubFilter | undefined;
}

export interface NearestOptions {
  readonly most?: number;
  /** Up to this many entries are compared one by one. */
  readonly compared?: number;
}

/** The default of `compared`. Beyond it, the index of neighbours finds the nearest. */
const mostCompared = 30_000;
/** How many candidates the index keeps while it searches: more find more of the true neighbours and take longer. */
const breadth = 800;
/** The index looks at this many vectors at most, even if a filter leaves few of them. */
const mostLooked = 4000;
/** If a filter leaves no more entries than this, they are compared one by one. */
const fewPassing = 10_000;

/** `values` are the parameters of the filter as SQL over an entry `e`; those from `$1` to the given number exist already. */
function passes(filter: HubFilter = {}, given: number): { sql: string; values: unknown[] } {
  const { since, until, role, agent, subagents = false } = filter;
  const values: unknown[] = [];
  const at = (value: unknown) => `$${given + values.push(value)}`;
  const all = [
    ...(since === undefined ? [] : [`e.at >= ${at(since)}::bigint`]),
    ...(until === undefined ? [] : [`e.at < ${at(until)}::bigint`]),
    ...(role === undefined ? [] : [`e.role = ${at(role)}`]),
    ...(agent === undefined
      ? []
      : [`e.transcript IN (SELECT t.id FROM holdfast.transcripts t WHERE t.agent = ${at(agent)})`]),
    ...(subagents ? [] : ['NOT e.subagent']),
  ];
  return { sql: all.map((one) => ` AND ${one}`).join(''), values };
}

/**
 * Compares all entries if they are few. Otherwise uses the index of neighbours; if a filter, or what the person may see, leaves too few of
 * what the index finds, compares all that are left.
 */
export async function nearest(
  client: HubClient,
  schema: string,
  vector: string,
  among: NearestAmong,
  { most = 200, compared = mostCompared }: NearestOptions = {},
): Promise<Near[]> {
  const ids = among.within ?? among.shares.map(({ id }) => id);
  const { rows } = await client.query<{ entries: string }>(
    'SELECT sum(entries) AS entries FROM holdfast.shares WHERE id = ANY ($1::int[])',
    [ids],
  );
  const asked = { client, distance: distanceIn(schema), vector, most, filter: among.filter };
  if (await areFew(asked, ids)) return exactlyOneByOne(asked, ids);
  if (Number(rows[0]?.entries ?? 0) <= compared) return exactly(asked, ids);
  const near = await byIndex(asked, among.within);
  return near.length >= Math.min(most, breadth) / 2 ? near : exactlyOneByOne(asked, ids);
}

interface Asked {
  readonly client: HubClient;
  readonly distance: string;
  readonly vector: string;
  readonly most: number;
  readonly filter: HubFilter | undefined;
}

/** Whether a filter by time or agent leaves so few entries that comparing them takes less time than looking for them in the index. */
async function areFew({ client, filter }: Asked, ids: readonly number[]): Promise<boolean> {
  if (filter?.since === undefined && filter?.until === undefined && filter?.agent === undefined) return false;
  const { sql, values } = passes(filter, 1);
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (
       SELECT 1 FROM holdfast.entries e WHERE e.share = ANY ($1::int[])${sql} LIMIT ${fewPassing + 1}) x`,
    [ids, ...values],
  );
  return (rows[0]?.n ?? 0) <= fewPassing;
}

function distanceIn(schema: string): string {
  const name = `"${schema.replaceAll('"', '""')}"`;
  return `v.vector OPERATOR(${name}.<=>) $1::${name}.halfvec`;
}

/** For entries of which the filter leaves most. */
async function exactly({ client, distance, vector, most, filter }: Asked, ids: readonly number[]): Promise<Near[]> {
  const { sql, values } = passes(filter, 2);
  // OFFSET 0: distances come before the join, which would otherwise carry whole vectors, and do not come from the index of neighbours.
  const { rows } = await client.query<Near>(
    `WITH allowed AS MATERIALIZED (SELECT e.id FROM holdfast.entries e WHERE e.share = ANY ($2::int[])${sql})
     SELECT n.entry, 1 - n.distance AS cosine FROM (
       SELECT v.entry, ${distance} AS distance FROM holdfast.vectors v WHERE v.share = ANY ($2::int[]) OFFSET 0) n
     WHERE n.entry IN (SELECT a.id FROM allowed a) ORDER BY n.distance LIMIT ${most}`,
    [vector, ids, ...values],
  );
  return rows;
}

/** For entries of which the filter leaves few: looks up the vector of each. */
async function exactlyOneByOne(
  { client, distance, vector, most, filter }: Asked,
  ids: readonly number[],
): Promise<Near[]> {
  const { sql, values } = passes(filter, 2);
  const { rows } = await client.query<Near>(
    `WITH allowed AS MATERIALIZED (SELECT e.id FROM holdfast.entries e WHERE e.share = ANY ($2::int[])${sql})
     SELECT a.id AS entry, 1 - n.distance AS cosine FROM allowed a
     CROSS JOIN LATERAL (SELECT ${distance} AS distance FROM holdfast.vectors v WHERE v.entry = a.id OFFSET 0) n
     ORDER BY n.distance LIMIT ${most}`,
    [vector, ids, ...values],
  );
  return rows;
}

async function byIndex(
  { client, distance, vector, most, filter }: Asked,
  within: readonly number[] | null,
): Promise<Near[]> {
  const { sql, values } = passes(filter, 2);
  await client.query('BEGIN');
  try {
    await client.query(
      `SET LOCAL hnsw.ef_search = ${breadth}; SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.max_scan_tuples = ${mostLooked}`,
    );
    // OFFSET 0 keeps the planner from joining all entries: it must read the index of neighbours, and look up one entry after the other.
    const { rows } = await client.query<Near>(
      `SELECT v.entry, 1 - (${distance}) AS cosine FROM holdfast.vectors v
       CROSS JOIN LATERAL (SELECT 1 FROM holdfast.entries e WHERE e.id = v.entry${sql} OFFSET 0) wanted
       WHERE $2::int[] IS NULL OR v.share = ANY ($2::int[]) ORDER BY ${distance} LIMIT ${most}`,
      [vector, within, ...values],
    );
    return rows.sort((a, b) => b.cosine - a.cosine);
  } finally {
    // The transaction only read. If the query failed, its error is the one to report.
    await client.query('COMMIT').catch(() => {});
  }
}
