// Vectors in a hub: machines send those of their own embedder, whenever they are made; with pgvector (PGlite) and without (Debian's PostgreSQL).
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embedPending } from '../../src/embedding/pending.ts';
import type { HubClient } from '../../src/hub/connect.ts';
import { visibleShares } from '../../src/hub/local.ts';
import { push } from '../../src/hub/push.ts';
import { searchHub } from '../../src/hub/search.ts';
import { openMeaning } from '../../src/recall/vectors/index.ts';
import { because } from '../because.ts';
import { openHubInMemory } from '../hub-in-memory.ts';
import { type Cluster, type Machine, newMachine, noPostgres, openCluster, run, twoMembers } from '../hub-stand.ts';

const texts = [
  'the retry queue drops messages after three attempts',
  'our invoices are printed on blue paper',
  'the cat of the neighbour sleeps all day',
];
const embed = ({ store, config }: Machine) => embedPending({ store, config, refine: true });

describe.skipIf(noPostgres)(because('a hub without pgvector', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  it('holds the vectors of the default embedder, also those made after the push, and orders hits by them', async () => {
    const { database, annas, bobs } = await twoMembers(cluster);
    const vectors = async () =>
      (
        await cluster.query(
          'SELECT e.uuid FROM holdfast.vectors v JOIN holdfast.entries e ON e.id = v.entry ORDER BY 1',
          [],
          database,
        )
      ).map(({ uuid }) => uuid);
    await annas.session(texts);
    await annas.run('hub share', { project: 'app', with: 'team' });
    expect(await vectors()).toEqual([]);
    await embed(annas);
    await annas.sync();
    expect(await vectors()).toEqual(['annas-1-0', 'annas-1-1', 'annas-1-2']);
    // Embedded before it is pushed.
    await annas.append('annas-1', ['the queue is empty on Sundays'], 3);
    await embed(annas);
    await annas.sync();
    expect(await vectors()).toHaveLength(4);

    const meaning = openMeaning({ store: bobs.store, config: bobs.config });
    try {
      await bobs.session(['something else']);
      await embed(bobs);
      const { hits, note } = (await run({ ...bobs.context, meaning }, 'search', { query: 'queue', scope: 'team' })) as {
        hits: { id: string }[];
        note?: string;
      };
      expect(hits.map(({ id }) => id)).toEqual(expect.arrayContaining(['annas-1-0', 'annas-1-3']));
      expect(note ?? '').not.toContain('words alone');
    } finally {
      await meaning.close();
    }
  });

  it('gets every vector once, although exchanges are cut off between entries and vectors', async () => {
    const database = await cluster.newDatabase();
    const annas = await newMachine('annas');
    await annas.run('hub init', { url: cluster.url(database), as: 'anka', machine: 'annas' });
    await annas.session(texts);
    await embed(annas);
    await annas.run('hub share', { project: 'app' });
    const count = async () =>
      (await cluster.query('SELECT count(*)::int AS n FROM holdfast.vectors', [], database))[0]?.n;
    expect(await count()).toBe(3);
    // The hub takes the entries, and the connection breaks before it takes their vectors.
    await cluster.query(
      'REVOKE EXECUTE ON FUNCTION holdfast.push_vectors(text, int, jsonb, text) FROM PUBLIC',
      [],
      database,
    );
    const [{ members } = { members: '' }] = await cluster.query('SELECT members FROM holdfast.hub', [], database);
    const right = (verb: string) =>
      cluster.query(
        `${verb} EXECUTE ON FUNCTION holdfast.push_vectors(text, int, jsonb, text) ${verb === 'GRANT' ? 'TO' : 'FROM'} ${members}`,
        [],
        database,
      );
    await right('REVOKE');
    await annas.session(['a fourth text about gondolas']);
    await embed(annas);
    await expect(annas.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    expect(await count()).toBe(3);
    await right('GRANT');
    await annas.sync();
    expect(await count()).toBe(4);
  });
});

describe('a hub with pgvector', () => {
  let db: PGlite;
  let client: HubClient;
  beforeAll(async () => {
    ({ db, client } = await openHubInMemory());
  });
  afterAll(() => db.close());

  it('finds by meaning what the default embedder of a machine has read', async () => {
    const annas = await newMachine('annas');
    await annas.session(texts);
    const { rows } = await db.query<{ hub: string; personId: number; machineId: number }>(
      'SELECT h.id AS hub, s.person AS "personId", s.machine AS "machineId" FROM holdfast.hub h, holdfast.state() s',
    );
    const [ids] = rows;
    if (ids === undefined) throw new Error('no hub');
    const membership = { ...ids, url: '', person: 'anna', machine: 'laptop', secret: 'secret', joinedAt: '' };
    const exchange = () => push({ ...annas.context, client, membership });
    await exchange();
    await embed(annas);
    await exchange();
    const meaning = openMeaning({ store: annas.store, config: annas.config });
    try {
      const { search } = await meaning.ready();
      const query = 'failed deliveries are tried again';
      const values = await search?.embed(query);
      if (search === undefined || values === undefined) throw new Error('no vector');
      const shares = await visibleShares(client);
      const { hits, byMeaning } = await searchHub(client, {
        ...{ query, kind: 'entry', limit: 10, shares, everything: true, vector: { model: search.model, values } },
      });
      expect(byMeaning).toBe(true);
      expect(hits[0]?.id).toBe('annas-1-0');
    } finally {
      await meaning.close();
    }
  });
});
