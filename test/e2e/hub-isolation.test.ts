// A program with everything one person has, the connection string and a machine's secret, tries every way that SQL offers to read or change
// another person's unshared data.
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordHash } from '../../src/hub/words.ts';
import { because } from '../because.ts';
import { attempts, secretWord } from '../hub-attempts.ts';
import { type Cluster, noPostgres, openCluster, twoMembers } from '../hub-stand.ts';

const sharedWord = 'sandstone';
describe.skipIf(noPostgres)(because('what is not shared', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  async function twoPeople(annasName = 'anna', bobsName = 'bob') {
    const names = { anna: annasName, bob: bobsName };
    const { database, annas: anna, bobs: bob } = await twoMembers(cluster, names);
    await anna.session([`nobody may know of ${secretWord}`, 'and more'], { id: 'private-session' });
    await anna.run('remember', { text: `${secretWord} is the codename`, project: 'app' });
    await anna.run('hub share', { project: 'app', with: 'me' });
    const bobsMembership = JSON.parse(fs.readFileSync(path.join(bob.config.home, 'hub.json'), 'utf8')) as {
      url: string;
      secret: string;
    };
    const annasMembership = JSON.parse(fs.readFileSync(path.join(anna.config.home, 'hub.json'), 'utf8')) as {
      url: string;
      secret: string;
      machineId: number;
    };
    return { database, anna, bob, bobsMembership, annasMembership };
  }

  const snapshot = async (database: string) => {
    const all: Record<string, unknown> = {};
    for (const table of [
      'people',
      'machines',
      'codes',
      'shares',
      'transcripts',
      'sessions',
      'entries',
      'postings',
      'rows',
      'copies',
      'tombstones',
    ])
      all[table] = await cluster.query(
        table === 'machines'
          ? "SELECT id, person, name, secret, left_at, pushed FROM holdfast.machines WHERE name = 'annas'"
          : table === 'shares' || table === 'tombstones'
            ? `SELECT * FROM holdfast.${table} WHERE person = 1 ORDER BY 1, 2`
            : table === 'codes' || table === 'people'
              ? `SELECT count(*) FROM holdfast.${table}`
              : `SELECT * FROM holdfast.${table} WHERE share = 1 ORDER BY 1, 2, 3, 4`,
        [],
        database,
      );
    return JSON.stringify(all);
  };

  it(`stays closed to every attempt that a member's connection can make`, async () => {
    const { database, anna, bobsMembership, annasMembership } = await twoPeople();
    const before = await snapshot(database);
    const all = attempts(annasMembership.machineId);
    let refused = 0;
    for (const sql of all) {
      const client = new pg.Client({ connectionString: bobsMembership.url, statement_timeout: 20_000 });
      const heard: string[] = [];
      client.on('notice', ({ message }) => heard.push(message ?? ''));
      client.on('error', () => {});
      await client.connect();
      await client.query("SELECT set_config('holdfast.machine', $1, false)", [bobsMembership.secret]);
      // The driver drops what COPY sends, so listen to the connection.
      client.connection.on('copyData', ({ chunk }) => heard.push(chunk.toString('utf8')));
      try {
        heard.push(JSON.stringify(await client.query(sql)));
      } catch (error) {
        refused++;
        heard.push(String(error), JSON.stringify(error));
      } finally {
        await client.end();
      }
      expect(heard.join('\n'), sql).not.toContain(secretWord);
      expect(heard.join('\n'), sql).not.toContain('private-session-');
    }
    expect(all.length).toBeGreaterThan(430);
    expect(refused).toBeGreaterThan(260);
    expect(await snapshot(database)).toBe(before);
    await anna.sync();
  });

  it('tells nothing by the estimates of the planner', async () => {
    const { database, anna, bobsMembership } = await twoPeople('annette', 'robert');
    for (let n = 0; n < 30; n++) await anna.session([`${secretWord} once more`], { id: `again-${n}` });
    await anna.sync();
    await cluster.query('ANALYZE', [], database);
    const client = new pg.Client({ connectionString: bobsMembership.url });
    await client.connect();
    await client.query("SELECT set_config('holdfast.machine', $1, false)", [bobsMembership.secret]);
    const estimate = async (table: string, condition: string) =>
      JSON.stringify(
        (await client.query(`EXPLAIN SELECT 1 FROM holdfast.${table} WHERE ${condition}`)).rows,
      ).replaceAll(/'[^']*'|\(word = \d+\)/g, '');
    const columns = { sessions: ['title', 'session', 'line'], entries: ['uuid', 'line'], rows: ['key', 'line'] };
    for (const [table, names] of Object.entries({ ...columns, shares: ['project'], transcripts: ['key'] }))
      for (const name of names) {
        const [{ low, high } = { low: '', high: '' }] = (await cluster.query(
          `SELECT min(${name}) AS low, max(${name}) AS high FROM holdfast.${table}`,
          [],
          database,
        )) as { low: string; high: string }[];
        // Every guess gets the same estimate, whether it is below, among or above what is there.
        const all = ['!', low, high, '~~~'].map((guess) => guess.replaceAll("'", "''"));
        for (const operator of ['=', '<', '>']) {
          const heard = new Set<string>();
          for (const guess of all) heard.add(await estimate(table, `${name} ${operator} '${guess}'`));
          expect([...heard], `${table}.${name} ${operator}`).toHaveLength(1);
        }
      }
    const ofWord = (word: string) => estimate('postings', `word = ${wordHash(word)}`);
    expect(await ofWord(secretWord)).toBe(await ofWord('unheard'));
    await client.end();
  });

  it('tells nothing by which conditions the server runs, and how often, for a guess', async () => {
    const { database, bobsMembership } = await twoPeople('annina', 'roberta');
    const client = new pg.Client({ connectionString: bobsMembership.url });
    await client.connect();
    await client.query("SELECT set_config('holdfast.machine', $1, false)", [bobsMembership.secret]);
    const ran = async (table: string, condition: string) =>
      (
        await client.query(
          `EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT 1 FROM holdfast.${table} WHERE ${condition}`,
        )
      ).rows
        .map((row: object) => Object.values(row).join())
        .join('\n')
        .replaceAll(/'[^']*'/g, '');
    const columns: Record<string, readonly [column: string, one: string][]> = {
      people: [['name', 'id = 1']],
      machines: [['name', 'person = 1 AND left_at IS NULL']],
      shares: ['project', 'name'].map((column) => [column, 'person = 1']),
      transcripts: ['key', 'line'].map((column) => [column, 'share = 1 AND machine = 1']),
      sessions: ['title', 'line'].map((column) => [column, 'transcript = 1']),
      entries: [['line', 'id = 1']],
      rows: ['key', 'line'].map((column) => [column, 'share = 1 AND machine = 1']),
    };
    const forms = [
      (of: string, guess: string) => `${of} = ${guess}`,
      (of: string, guess: string) => `${of} > ${guess}`,
      (of: string, guess: string) => `${of} = ANY (ARRAY[${guess}])`,
      (of: string, guess: string) => `CASE WHEN ${of} = ${guess} THEN true END`,
      (of: string, guess: string) => `(${of}, 1) = (${guess}, 1)`,
      (of: string, guess: string) => `(${of} || '') = ${guess}`,
    ];
    let asked = 0;
    try {
      // Each way of reading a table, whatever the planner would choose; and conditions that all cost the same.
      for (const set of ['seqscan = off', 'bitmapscan = off', 'seqscan = on; SET cpu_operator_cost = 0']) {
        await client.query(`SET jit = off; SET enable_${set}`);
        for (const [table, all] of Object.entries(columns))
          for (const [column, one] of all) {
            const [held] = await cluster.query(`SELECT ${column} AS text FROM holdfast.${table}`, [], database);
            const guesses = ['!', String(held?.text), '~~~'].map((guess) => `'${guess.replaceAll("'", "''")}'`);
            // He sees his own name and machine.
            for (const form of forms)
              for (const more of table === 'people' || table === 'machines' ? [one] : [one, 'true']) {
                const heard = new Set<string>();
                for (const guess of guesses) heard.add(await ran(table, `${more} AND ${form(column, guess)}`));
                expect([...heard], `${table}: ${more} AND ${form(column, 'a guess')}`).toHaveLength(1);
                asked += guesses.length;
              }
          }
      }
    } finally {
      await client.end();
    }
    expect(asked).toBeGreaterThan(900);
  });

  it('hears what COPY sends: a member copies what is their own, and nothing else', async () => {
    const { bob, bobsMembership } = await twoPeople('annika', 'bobby');
    await bob.session([`my own ${sharedWord}`], { id: 'own-session' });
    await bob.run('hub share', { project: 'app', with: 'me' });
    const client = new pg.Client({ connectionString: bobsMembership.url });
    const copied: string[] = [];
    client.connection.on('copyData', ({ chunk }) => copied.push(chunk.toString('utf8')));
    await client.connect();
    await client.query("SELECT set_config('holdfast.machine', $1, false)", [bobsMembership.secret]);
    await client.query('COPY (SELECT line FROM holdfast.entries) TO STDOUT');
    await client.query('COPY holdfast.entries (line) TO STDOUT');
    await client.end();
    expect(copied).toHaveLength(2);
    for (const line of copied) expect(line).toContain(sharedWord);
  });

  it('is not held up by a member who takes the locks of others', async () => {
    const { anna, annasMembership, bobsMembership } = await twoPeople('anneli', 'robin');
    const client = new pg.Client({ connectionString: bobsMembership.url });
    await client.connect();
    await client.query("SELECT pg_advisory_lock(hashtext('holdfast words'), p) FROM generate_series(1, 20) p");
    await client.query("SELECT pg_advisory_lock(hashtext('holdfast machine'), m) FROM generate_series(1, 20) m");
    // The number of a lock that is held stands in pg_locks, for everyone to read.
    const lock = 'SELECT pg_advisory_lock(hashtextextended($1, 0))';
    await client.query(lock, [`holdfast machine ${annasMembership.secret}`]);
    await anna.session(['one more']);
    expect(await anna.sync()).toMatchObject({ done: true, pushed: { entries: 1 } });
    await client.end();
    // Another process of her own machine holds it.
    const second = new pg.Client({ connectionString: annasMembership.url });
    await second.connect();
    await second.query(lock, [`holdfast machine ${annasMembership.secret}`]);
    await anna.session(['and one more']);
    expect(await anna.sync()).toMatchObject({ done: false });
    await second.end();
  });

  it('a stolen connection string without the secret of a machine cannot even read what is shared', async () => {
    const { anna, bobsMembership, annasMembership } = await twoPeople('ann', 'rob');
    await anna.session([`everybody may know of ${sharedWord}`], { id: 'open-session' });
    await anna.run('hub share', { project: 'app', with: 'team' });
    const columns: Record<string, string> = { people: 't.name', machines: 't.name' };
    const read = async (url: string, secret?: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      if (secret !== undefined) await client.query("SELECT set_config('holdfast.machine', $1, false)", [secret]);
      const all: unknown[] = [];
      for (const table of [
        'people',
        'machines',
        'shares',
        'transcripts',
        'sessions',
        'entries',
        'postings',
        'rows',
        'tombstones',
      ])
        all.push(
          ...(await client.query(`SELECT x.* FROM holdfast.${table} t, LATERAL (SELECT ${columns[table] ?? 't.*'}) x`))
            .rows,
        );
      await client.end();
      return JSON.stringify(all);
    };
    expect(await read(bobsMembership.url, bobsMembership.secret)).toContain(sharedWord);
    for (const [url, secret] of [
      [bobsMembership.url],
      [bobsMembership.url, annasMembership.secret],
      [annasMembership.url],
      [annasMembership.url, bobsMembership.secret],
    ])
      expect(await read(url as string, secret)).toBe('[]');
  });
});
