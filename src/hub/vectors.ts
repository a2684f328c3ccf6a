// Vectors of this machine's entries → hub. They follow their entries, because an embedder may need minutes for them.
import type { PlacedVector } from '../store/hub/port.ts';
import type { BatchEntry, TranscriptPlace } from './batch.ts';
import type { HubClient } from './connect.ts';
import type { HubDeps, LocalProject, Share } from './local.ts';

/** The model of vectors, and how many numbers each has. */
export interface HubModel {
  readonly name: string;
  readonly width: number;
}

/** Which vectors the hub takes, and in which form. */
export interface WantedVectors {
  /** A hub without vectors takes those of any model; then only of that one. */
  takes(model: HubModel): boolean;
  text(vector: Int8Array): string;
}

/** With pgvector, vectors are half-precision floats; otherwise the bytes as they are. */
export const vectorText = (vector: Int8Array, halves: boolean): string =>
  halves ? `[${vector.join(',')}]` : Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64');

export async function wantedVectors(client: HubClient): Promise<WantedVectors> {
  const { rows } = await client.query<{ halves: boolean; model: string | null; dimensions: number | null }>(
    'SELECT vector_schema IS NOT NULL AS halves, model, dimensions FROM holdfast.hub',
  );
  const [hub] = rows;
  return {
    takes: ({ name, width }) => hub?.model == null || (hub.model === name && hub.dimensions === width),
    text: (vector) => vectorText(vector, hub?.halves === true),
  };
}

/** Sends the vectors of entries that the hub holds. `place` counts from 1. */
export async function sendVectors(
  client: HubClient,
  { name, width }: HubModel,
  given: {
    readonly places: readonly TranscriptPlace[];
    readonly entries: readonly Pick<BatchEntry, 'place' | 'uuid' | 'vector'>[];
  },
): Promise<void> {
  const entries = given.entries.filter(({ vector }) => vector !== null);
  if (entries.length === 0) return;
  await client.query('SELECT holdfast.push_vectors($1, $2, $3::jsonb, $4)', [
    ...[name, width],
    JSON.stringify({ places: given.places, entries: entries.map(({ place, uuid }) => ({ place, uuid })) }),
    entries.map(({ vector }) => vector).join('\n'),
  ]);
}

const inAPage = 500;

/** Sends vectors that were made after their entries were pushed. Returns the number up to which the hub has them. */
export async function pushLateVectors(
  deps: HubDeps,
  wanted: WantedVectors,
  {
    shares,
    local,
    after,
  }: {
    readonly shares: readonly Share[];
    readonly local: ReadonlyMap<string, readonly LocalProject[]>;
    readonly after: number;
  },
): Promise<number> {
  const shared = new Set(shares.flatMap(({ project }) => (local.get(project) ?? []).map(({ path }) => path)));
  for (let seq = after; ; ) {
    deps.signal?.throwIfAborted();
    const { model: name, rows, upTo } = await deps.store.hub.finalVectorsAfter(seq, inAPage);
    const width = rows[0]?.vector.length ?? 0;
    if (rows.length > 0 && !wanted.takes({ name, width })) return after;
    const ours = rows.filter(({ project, vector }) => shared.has(project) && vector.length === width);
    if (ours.length > 0) await sendLacking(deps, wanted, { name, width }, ours);
    if (rows.length < inAPage) return upTo;
    seq = upTo;
  }
}

/** Sends those of the vectors whose entries are in the hub without one. */
async function sendLacking(
  { client, membership }: HubDeps,
  wanted: WantedVectors,
  model: HubModel,
  vectors: readonly PlacedVector[],
): Promise<void> {
  const { rows } = await client.query<TranscriptPlace & { n: number }>(
    `SELECT t.share, t.agent, t.key, w.n::int AS n FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (agent, key, uuid, n)
     JOIN holdfast.transcripts t ON t.machine = $1 AND t.agent = w.agent AND t.key = w.key
     JOIN holdfast.entries e ON e.transcript = t.id AND e.uuid = w.uuid
     LEFT JOIN holdfast.vectors v ON v.entry = e.id WHERE v.entry IS NULL`,
    [
      membership.machineId,
      vectors.map(({ agent }) => agent),
      vectors.map(({ key }) => key),
      vectors.map(({ uuid }) => uuid),
    ],
  );
  const places = rows.map(({ share, agent, key }) => ({ share, agent, key }));
  const entries = rows.map(({ n }, i) => {
    const { uuid, vector } = vectors[n - 1] as PlacedVector;
    return { place: i + 1, uuid, vector: wanted.text(vector) };
  });
  await sendVectors(client, model, { places, entries });
}
