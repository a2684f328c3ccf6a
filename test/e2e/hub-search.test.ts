// Search in the hub: by words on Debian's PostgreSQL, by words and meaning on PGlite, which has pgvector.
import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, emptyBatch, pushed } from '../../src/hub/batch.ts';
import type { HubClient } from '../../src/hub/connect.ts';
import { visibleShares } from '../../src/hub/local.ts';
import { nearest } from '../../src/hub/nearest.ts';
import { type HubFilter, searchHub } from '../../src/hub/search.ts';
import { sendVectors, vectorText } from '../../src/hub/vectors.ts';
import { hash53, wordsOf } from '../../src/hub/words.ts';
import { tombstone } from '../../src/store/removal/tombstone.ts';
import { because } from '../because.ts';
import { answer, prompt } from '../contracts/transcript-builder.ts';
import { openHubInMemory } from '../hub-in-memory.ts';
import { type Cluster, noPostgres, openCluster, twoMembers } from '../hub-stand.ts';
import { mcpClient } from '../mcp-client.ts';
import { isLong, rounds } from '../rounds.ts';

describe.skipIf(noPostgres)(because('a search with scope team', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  it('finds what teammates share, names them, and says when the hub does not answer', async () => {
    const { annas, bobs } = await twoMembers(cluster);
    await annas.session([
      'the zeppelin migration needs two steps',
      '東京のサーバーを再起動する',
      'useAuthStore is gone',
    ]);
    await annas.session(['nothing of the kind']);
    await annas.run('remember', { text: 'the zeppelin is released on Fridays', project: 'app' });
    await annas.run('hub share', { project: 'app', with: 'team' });
    await bobs.session(['my own zeppelin question']);
    const search = async (query: string, more = {}) =>
      (await bobs.run('search', { query, scope: 'team', ...more })) as {
        hits: { snippet: string; by?: string; machine?: string }[];
        note?: string;
      };

    const found = await search('zeppelin');
    expect(found.hits.map(({ by, machine }) => [by, machine])).toEqual([
      [undefined, undefined],
      ['anna', 'annas'],
    ]);
    expect(found.note).toContain('by words alone');
    expect((await search('東京 再起動')).hits.some(({ by }) => by === 'anna')).toBe(true);
    expect((await search('auth store')).hits[0]?.snippet).toContain('AuthStore');
    expect((await search('zeppelin', { kind: 'session' })).hits.some(({ by }) => by === 'anna')).toBe(true);
    expect((await search('zeppelin', { kind: 'memory' })).hits).toMatchObject([{ by: 'anna' }]);
    expect((await search('zeppelin', { project: bobs.folder })).hits).toHaveLength(2);
    expect(((await bobs.run('search', { query: 'zeppelin' })) as { hits: unknown[] }).hits).toHaveLength(1);

    const { call } = await mcpClient(bobs.context, { folder: bobs.folder });
    const overMcp = async (more: object) => (await call('search', { query: 'zeppelin', ...more })).text;
    expect(await overMcp({ scope: 'team' })).toContain('migration needs two steps');
    expect(await overMcp({})).not.toContain('migration needs two steps');

    await bobs.sync();
    await cluster.stop();
    try {
      const away = await search('zeppelin');
      expect(away.hits.map(({ by }) => by)).toEqual([undefined, 'anna']);
      expect(away.note).toContain('cannot be reached');
      // Local commands do not ask the hub.
      expect(((await bobs.run('search', { query: 'zeppelin' })) as { hits: unknown[] }).hits).toHaveLength(1);
    } finally {
      await cluster.start();
    }
  });

  it('puts the better hit first, whether it is a teammate’s or from this machine', async () => {
    const { annas, bobs } = await twoMembers(cluster, { anna: 'anne', bob: 'bert' });
    await annas.session([
      'the walrus migration needs two careful steps',
      'a gondola was seen near the old harbour',
      'another gondola was seen near the new harbour',
    ]);
    await annas.run('hub share', { project: 'app', with: 'team' });
    await bobs.session([
      'a walrus was seen near the old harbour',
      'another walrus was seen near the new harbour',
      'the gondola migration needs two careful steps',
    ]);
    for (const kind of ['entry', 'session']) {
      const search = async (query: string) =>
        ((await bobs.run('search', { query, kind, scope: 'team' })) as { hits: { by?: string; score: number }[] }).hits;
      const theirs = await search('walrus migration steps');
      expect(theirs[0]?.by).toBe('anne');
      expect(theirs.some(({ by }) => by === undefined)).toBe(true);
      const ours = await search('gondola migration steps');
      expect(ours[0]?.by).toBeUndefined();
      expect(ours.some(({ by }) => by === 'anne')).toBe(true);
      for (const hits of [theirs, ours])
        expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
    }
  });
});

describe.skipIf(noPostgres)(because('a search with scope team and a filter', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  it('finds entries that hold only a common word, if the rare words are in none that the filter allows', async () => {
    const { annas, bobs } = await twoMembers(cluster);
    const place = { sessionId: 'old', cwd: annas.folder };
    annas.write('p/old.jsonl', [
      prompt('old-0', 'what is that noise', 0, place),
      answer('old-1', 'it comes from the gearbox', 1, place),
    ]);
    await annas.take('p/old.jsonl');
    // More than 2,000 entries make a word common.
    await annas.session(Array.from({ length: 2100 }, (_, i) => `gearbox ${i}`));
    await annas.session(['the gearbox of a zeppelin']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    const search = async (more = {}) =>
      ((await bobs.run('search', { query: 'zeppelin gearbox', scope: 'team', ...more })) as { hits: { id: string }[] })
        .hits;
    expect(await search()).toMatchObject([{ id: 'annas-2-0' }]);
    expect(await search({ role: 'assistant' })).toMatchObject([{ id: 'old-1' }]);
    expect(await search({ agent: 'codex' })).toEqual([]);
    expect(await search({ starred: true })).toEqual([]);
  });
});

describe('a hub with pgvector', () => {
  const size = 1500;
  const [asked, answered, reversed, early, delegated] = [1300, 1301, 1302, 40, 47];
  const special: Record<number, string> = {
    1234: 'the walrus sleeps on the ice',
    [asked]: 'the kestrel budget is large',
    [answered]: 'the kestrel budget is small',
    [reversed]: 'the budget of a kestrel',
    // So long that 1,400 others rank before it.
    [early]: `entry number 40 ${'and much more beside it '.repeat(40)}`,
  };
  /** More than the index keeps as candidates while it searches. To put a vector into the index takes most of this file's time. */
  const hasVector = (n: number) => isLong || n % 3 !== 0;
  let db: PGlite;
  let client: HubClient;
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648 - 0.5;
  };
  /** Near one of forty directions, as texts are. */
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: 256 }, random));
  const newVector = (n: number) =>
    Int8Array.from({ length: 256 }, (_, i) =>
      Math.round(((centres[n % 40] as Float32Array)[i] as number) * 150 + random() * 120),
    );

  const push = async (batch: Batch & { readonly after: string | null; readonly mark: string }) => {
    const { sql, values } = pushed(batch);
    await db.query(sql, [...values]);
    if (batch.model !== undefined) await sendVectors(client, batch.model, batch);
  };
  beforeAll(async () => {
    const hub = await openHubInMemory();
    ({ db, client } = hub);
    expect(hub.made).toMatchObject([
      { made: true, vectors: true },
      { made: false, vectors: true },
    ]);
    const place = { share: 1, agent: 'claude-code', key: 'a.jsonl' };
    let after: string | null = null;
    for (let from = 0; from < size; from += 500) {
      const mark = randomUUID();
      const entries = Array.from({ length: 500 }, (_, i) => {
        const uuid = `e${from + i}`;
        const text = special[from + i] ?? `entry number ${from + i} about topic${(from + i) % 40}`;
        const role = from + i === answered || from + i === early ? 'assistant' : 'user';
        const at = from + i === early ? 1 : 1000;
        const line = JSON.stringify({
          is: 'entry',
          uuid,
          session: 's',
          pos: from + i,
          at,
          role,
          author: 'person',
          form: null,
          text,
          tools: [],
          joinsAt: null,
          uses: [],
        });
        return {
          ...{
            place: 1,
            uuid,
            print: tombstone.entry('claude-code', uuid),
            session: tombstone.session('claude-code', 's'),
            pos: from + i,
            at,
            role,
            line,
            hash: hash53(line),
          },
          ...wordsOf({ text, uses: [] }),
          subagent: from + i === delegated,
          vector: hasVector(from + i) ? vectorText(newVector(from + i), true) : null,
        };
      });
      const batch = {
        ...emptyBatch,
        after,
        mark,
        model: { name: 'test', width: 256 },
        transcripts: [{ ...place, line: '{"subagent":null,"bornAt":null}' }],
        places: [place],
        entries,
      };
      await push(batch);
      after = mark;
    }
    while ((await db.query<{ n: number }>('SELECT holdfast.index_words(500) AS n')).rows[0]?.n !== 0);
  });
  afterAll(() => db.close());

  it('finds by words and by meaning', async () => {
    const shares = await visibleShares(client);
    const ask = (query: string, values?: Int8Array) =>
      searchHub(client, {
        query,
        kind: 'entry',
        limit: 10,
        shares,
        everything: true,
        vector: values && { model: 'test', values },
      });
    expect((await ask('sleeping walrus')).hits[0]).toMatchObject({ id: 'e1234', by: 'anna', machine: 'laptop' });
    const near = await ask('nothing of these words', newVector(7));
    expect(near.byMeaning).toBe(true);
    expect(near.hits.map(({ id }) => Number(id.slice(1)) % 40)).toEqual(Array(10).fill(7));
    // Vectors of another model are not compared.
    expect(
      (
        await searchHub(client, {
          query: 'walrus',
          kind: 'entry',
          limit: 10,
          shares,
          everything: true,
          vector: { model: 'other', values: newVector(7) },
        })
      ).byMeaning,
    ).toBe(false);
  });

  it('ranks as the local search does: by whose words are asked for, and with quoted words side by side', async () => {
    const shares = await visibleShares(client);
    const ids = async (query: string, speaker?: 'user' | 'assistant') =>
      (await searchHub(client, { query, kind: 'entry', limit: 10, shares, everything: true, speaker })).hits.map(
        ({ id }) => Number(id.slice(1)),
      );
    expect((await ids('kestrel budget', 'assistant'))[0]).toBe(answered);
    expect((await ids('kestrel budget', 'user')).indexOf(answered)).toBe(2);
    expect((await ids('kestrel budget')).sort()).toEqual([asked, answered, reversed]);
    expect((await ids('"kestrel budget"')).sort()).toEqual([asked, answered]);
  });

  it('finds what a filter allows, however many better hits it excludes', async () => {
    const shares = await visibleShares(client);
    const ids = async (filter: HubFilter, more: { query?: string; vector?: Int8Array } = {}) => {
      const { query = 'entry number', vector: values } = more;
      const vector = values && { model: 'test', values };
      const question = { query, kind: 'entry' as const, limit: 10, shares, everything: true, vector };
      return (await searchHub(client, { ...question, filter })).hits.map(({ id }) => Number(id.slice(1)));
    };
    expect(await ids({})).not.toContain(early);
    expect(await ids({ role: 'assistant' })).toEqual([early]);
    expect(await ids({ until: 500 })).toEqual([early]);
    expect(await ids({ since: 1, until: 2, agent: 'claude-code' })).toEqual([early]);
    expect(await ids({ agent: 'codex' })).toEqual([]);
    expect(await ids({}, { query: `"number ${delegated}"` })).toEqual([]);
    expect(await ids({ subagents: true }, { query: `"number ${delegated}"` })).toEqual([delegated]);
    // By meaning alone: the words occur nowhere.
    const byMeaning = { query: 'zzz', vector: newVector(answered) };
    expect(await ids({ role: 'assistant' }, byMeaning)).toEqual([answered]);
    const vectorOf = vectorText(newVector(answered), true);
    const filter = { role: 'assistant' };
    for (const compared of [1e6, 0])
      expect(await nearest(client, 'public', vectorOf, { within: null, shares, filter }, { compared })).toHaveLength(2);
  });

  it('finds with the nearest-neighbour index nearly everything that an exhaustive comparison finds', async () => {
    const shares = await visibleShares(client);
    let same = 0;
    const questions = rounds(12, 30);
    for (let n = 0; n < questions; n++) {
      const asked = vectorText(newVector(n), true);
      const exact = (await nearest(client, 'public', asked, { within: null, shares }))
        .slice(0, 10)
        .map(({ entry }) => entry);
      const quick = new Set(
        (await nearest(client, 'public', asked, { within: null, shares }, { compared: 0 }))
          .slice(0, 10)
          .map(({ entry }) => entry),
      );
      same += exact.filter((entry) => quick.has(entry)).length;
    }
    expect(same / (10 * questions)).toBeGreaterThanOrEqual(0.95);
  });

  it('deletes the words and the vector of a forgotten entry', async () => {
    const [{ mark } = { mark: '' }] = (await db.query<{ mark: string }>('SELECT mark FROM holdfast.state()')).rows;
    const forgotten = [{ print: tombstone.entry('claude-code', 'e1234'), memory: null, at: 1 }];
    await push({ ...emptyBatch, after: mark, mark: randomUUID(), forgotten });
    const shares = await visibleShares(client);
    expect(
      (await searchHub(client, { query: 'walrus', kind: 'entry', limit: 10, shares, everything: true })).hits,
    ).toEqual([]);
    await db.exec('RESET SESSION AUTHORIZATION');
    const count = async (table: string) =>
      Number((await db.query<{ n: number }>(`SELECT count(*) AS n FROM holdfast.${table}`)).rows[0]?.n);
    expect(await count('vectors')).toBe(Array.from({ length: size }, (_, n) => n).filter(hasVector).length - 1);
    const words = async (table: string, column: string) =>
      Number(
        (await db.query<{ n: number }>(`SELECT sum(cardinality(${column})) AS n FROM holdfast.${table}`)).rows[0]?.n,
      );
    expect(await words('postings', 'entries')).toBe(await words('entries', 'words'));
  });
});
