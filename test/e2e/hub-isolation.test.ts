// A program with everything one person has, the connection string and a machine's secret, tries every way that SQL offers to read or change
// another person's unshared data.
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordHash } from '../../src/hub/words.ts';
import { because } from '../because.ts';
import { type Cluster, noPostgres, openCluster, twoMembers } from '../hub-stand.ts';

const secretWord = 'quicksilver';
const sharedWord = 'sandstone';
const tables =
  'hub people machines codes shares batches transcripts sessions entries unindexed postings rows copies tombstones vectors'.split(
    ' ',
  );

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

  /** Every attempt as SQL. The test searches each result, and each message of the server, for the secret. */
  function attempts(annasMachine: number): string[] {
    const t = (table: string) => `holdfast.${table}`;
    // With the mark of the last push: otherwise the hub would refuse all but the first before it reads any.
    const push = (what: object, ...texts: string[]) =>
      `SELECT holdfast.push('${JSON.stringify(what)}'::jsonb || jsonb_build_object('after', (SELECT mark FROM holdfast.state()), 'mark', gen_random_uuid())${texts.map((text) => `, '${text}'`).join('')})`;
    const place = { share: 1, agent: 'claude-code', key: 'p/private-session.jsonl' };
    const entry = {
      ...{ place: 1, uuid: 'private-session-0', print: '00000000-0000-4000-8000-000000000002', pos: 0, at: 0 },
      ...{ session: '00000000-0000-4000-8000-000000000003', role: 'user', length: 1, hash: 1 },
    };
    return [
      ...tables.flatMap((table) => [
        `SELECT * FROM ${t(table)}`,
        `SELECT row_to_json(x) FROM ${t(table)} x`,
        `TABLE ${t(table)}`,
        `COPY ${t(table)} TO STDOUT`,
        `SELECT * FROM ${t(table)} FOR UPDATE`,
        `DELETE FROM ${t(table)}`,
        `TRUNCATE ${t(table)} CASCADE`,
        `INSERT INTO ${t(table)} DEFAULT VALUES`,
        `LOCK TABLE ${t(table)} IN ACCESS EXCLUSIVE MODE`,
        `ALTER TABLE ${t(table)} DISABLE ROW LEVEL SECURITY`,
        `DROP POLICY seen ON ${t(table)}`,
        `DROP TABLE ${t(table)} CASCADE`,
        `CREATE INDEX ON ${t(table)} ((1))`,
        `CREATE TRIGGER mine AFTER INSERT ON ${t(table)} EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()`,
        `GRANT ALL ON ${t(table)} TO PUBLIC`,
        `SELECT * FROM pg_stats WHERE schemaname = 'holdfast' AND tablename = '${table}'`,
        `SELECT * FROM pg_statistic s JOIN pg_class c ON c.oid = s.starelid WHERE c.relname = '${table}'`,
        `CREATE VIEW public.peek AS SELECT * FROM ${t(table)}`,
        `CREATE TEMP VIEW peek AS SELECT * FROM ${t(table)}; SELECT * FROM peek`,
        `CREATE RULE mine AS ON SELECT TO ${t(table)} DO INSTEAD SELECT 1`,
      ]),
      ...['share', 'uuid', 'line', 'words'].map((column) => `UPDATE holdfast.entries SET ${column} = ${column}`),
      "UPDATE holdfast.shares SET audience = 'team'",
      'UPDATE holdfast.machines SET person = 2',
      'SELECT secret FROM holdfast.machines',
      'SELECT role FROM holdfast.people',
      'SELECT seq FROM holdfast.hub',
      ...['anna', 'holdfast_anna', 'admin', 'postgres', 'pg_read_all_data', 'pg_monitor'].flatMap((role) => [
        `SET ROLE ${role}`,
        `SET SESSION AUTHORIZATION ${role}`,
        `GRANT ${role} TO holdfast_bob`,
      ]),
      'ALTER ROLE holdfast_bob SUPERUSER',
      'ALTER ROLE holdfast_bob BYPASSRLS',
      "ALTER ROLE holdfast_anna PASSWORD 'x'",
      'CREATE ROLE mine SUPERUSER',
      'SET row_security = off; SELECT * FROM holdfast.entries',
      "SELECT set_config('row_security', 'off', false); SELECT * FROM holdfast.rows",
      `SELECT set_config('holdfast.machine', (SELECT encode(secret, 'hex') FROM holdfast.machines WHERE id = ${annasMachine}), false)`,
      "SELECT set_config('holdfast.machine', '', false); SELECT * FROM holdfast.entries",
      // A function that prints its argument, which the planner runs before the policy.
      `CREATE FUNCTION pg_temp.leak(x text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', x; RETURN true; END $$; SELECT count(*) FROM holdfast.entries WHERE pg_temp.leak(line)`,
      `CREATE FUNCTION pg_temp.leak2(x text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 LEAKPROOF AS $$ BEGIN RAISE NOTICE '%', x; RETURN true; END $$; SELECT count(*) FROM holdfast.entries WHERE pg_temp.leak2(line)`,
      'SELECT * FROM holdfast.entries WHERE line::int = 1',
      'SELECT 1 / (length(line) - length(line)) FROM holdfast.rows',
      "SELECT * FROM holdfast.rows WHERE line LIKE '%' || chr(113) || '%' AND xmlparse(document line) IS NOT NULL",
      'EXPLAIN (ANALYZE, VERBOSE) SELECT line FROM holdfast.entries',
      'DECLARE c CURSOR WITH HOLD FOR SELECT * FROM holdfast.entries; FETCH ALL FROM c',
      'PREPARE p AS SELECT * FROM holdfast.entries; EXECUTE p',
      `DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM holdfast.entries LOOP RAISE NOTICE '%', r; END LOOP; END $$`,
      "SELECT query_to_xml('SELECT * FROM holdfast.entries', true, true, '')",
      "SELECT table_to_xml('holdfast.entries', true, true, '')",
      "SELECT schema_to_xml('holdfast', true, true, '')",
      "SELECT database_to_xml(true, true, '')",
      'SELECT * FROM pg_stat_activity',
      'SELECT * FROM pg_authid',
      'SELECT * FROM pg_shadow',
      "SELECT pg_read_file('pg_hba.conf')",
      "SELECT pg_read_binary_file('base/1/1259')",
      "SELECT lo_import('/etc/passwd')",
      "COPY (SELECT 1) TO PROGRAM 'id'",
      "SELECT * FROM pg_ls_dir('.')",
      'CREATE EXTENSION pageinspect',
      'CREATE EXTENSION dblink',
      'CREATE EXTENSION file_fdw',
      "SELECT oid::regclass FROM pg_class WHERE relname LIKE 'pg_toast%'",
      `DO $$ DECLARE t text; r record; BEGIN FOR t IN SELECT 'pg_toast.' || c.relname FROM pg_class c WHERE c.relkind = 't' LOOP FOR r IN EXECUTE 'SELECT * FROM ' || t LOOP RAISE NOTICE '%', r; END LOOP; END LOOP; END $$`,
      // The hub's own functions, called with another person's data.
      push({ transcripts: [{ ...place, line: '{}' }] }),
      push({
        sessions: [
          {
            ...place,
            session: 'x',
            print: '00000000-0000-4000-8000-000000000002',
            title: 'x',
            started: 1,
            ended: 1,
            line: '{}',
            hash: 1,
          },
        ],
      }),
      push({ places: [place], entries: [entry] }, '{}', '{1}', '{1}'),
      push({ places: [place, place], entries: [{ ...entry, place: 2 }] }, '{}', '{1}', '{1}'),
      ...[0, -1, 3, 1e9].map((at) => push({ places: [place], entries: [{ ...entry, place: at }] }, '{}', '{1}', '{1}')),
      push({ places: [place], entries: [entry] }, '{}', '{1,x}', '{'),
      push({ entries: [{ ...place, ...entry }] }, '{}', '{1}', '{1}'),
      push({ dropped: [{ ...place, uuids: ['private-session-0', 'private-session-1'] }] }),
      push({ rows: [{ share: 1, kind: 'summary', key: 'x', at: 0, line: '{}', hash: 1 }] }),
      push({ copies: [{ ...place, part: 0, bytes: '' }] }),
      push({ cursor: 99 }),
      "SELECT holdfast.push(jsonb_build_object('forgotten', (SELECT jsonb_agg(jsonb_build_object('print', print, 'at', 0)) FROM holdfast.entries)))",
      "SELECT holdfast.unshare('github.com/acme/app')",
      "SELECT holdfast.share('github.com/acme/app', 'app', 'team'); SELECT * FROM holdfast.entries",
      "SELECT holdfast.leave_hub('annas')",
      "SELECT holdfast.join_hub('', 'annas', '')",
      "SELECT holdfast.join_hub('x'' OR true --', 'annas', '')",
      'SELECT holdfast.new_code(NULL)',
      "SELECT holdfast.take_model('mine', 1)",
      `SELECT holdfast.push_vectors('mine', 1, '${JSON.stringify({ places: [place], entries: [{ place: 1, uuid: entry.uuid }] })}', 'AAAA')`,
      "SELECT holdfast.push_vectors('mine', -1, '{}', '')",
      "SELECT holdfast.push_vectors('mine', 256, NULL, NULL)",
      "SELECT holdfast.allowed_entries('{1}', NULL, NULL, NULL, NULL, true)",
      'SELECT holdfast.lock_words(1)',
      'SELECT holdfast.forget_marked(1, 1)',
      "SELECT holdfast.forget_for_all(1, '00000000-0000-4000-8000-000000000002')",
      'SELECT holdfast.index_words(1000)',
      'SELECT * FROM holdfast.find_words((SELECT array_agg(n) FROM generate_series(1, 1000) n), ARRAY[1], 1000)',
      `SELECT * FROM holdfast.find_words(ARRAY[${wordHash(secretWord)}]::bigint[], ARRAY[1], 1000)`,
      `SELECT * FROM holdfast.find_words(ARRAY[${wordHash(secretWord)}]::bigint[], NULL, 1000)`,
      `SELECT * FROM holdfast.find_words(ARRAY[${wordHash(secretWord)}]::bigint[], ARRAY[1], 1000, 0, NULL, 'user', 'claude-code', true)`,
      'SELECT holdfast.entries_gone()',
      'SELECT * FROM holdfast.state()',
      'SELECT * FROM holdfast.batches_after(0, 1000)',
      // The caller's tables and functions, shadowing the hub's.
      "CREATE TEMP TABLE shares (id int, person int, audience text); INSERT INTO pg_temp.shares VALUES (1, 2, 'team'); SET search_path = pg_temp, holdfast; SELECT * FROM holdfast.entries",
      'CREATE TEMP TABLE machines (id int, person int, secret bytea, left_at timestamptz); SET search_path = pg_temp, holdfast; SELECT holdfast.me(); SELECT * FROM holdfast.entries',
      `CREATE TEMP TABLE incoming (x int); ${push({})}`,
      `CREATE TEMP TABLE postings (share int); SET search_path = pg_temp, holdfast; SELECT holdfast.index_words(1000)`,
      `CREATE FUNCTION pg_temp.lock_words(int) RETURNS void LANGUAGE sql AS $$ SELECT $$; SET search_path = pg_temp, holdfast; ${push({})}`,
      'CREATE FUNCTION holdfast.me() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'CREATE OR REPLACE FUNCTION holdfast.visible() RETURNS int[] LANGUAGE sql AS $$ SELECT ARRAY[1] $$',
      "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT ''::bytea $$; SET search_path = pg_temp, pg_catalog, holdfast; SELECT holdfast.me()",
      'ALTER FUNCTION holdfast.me() SECURITY INVOKER',
      // Statistics, sizes, locks, messages and large objects that other connections leave behind.
      'SELECT * FROM pg_stat_all_tables',
      'SELECT * FROM pg_stats_ext',
      'SELECT * FROM pg_stats_ext_exprs',
      'SELECT * FROM pg_locks',
      'SELECT * FROM pg_prepared_statements',
      'SELECT * FROM pg_prepared_xacts',
      'SELECT * FROM pg_largeobject',
      'SELECT lo_get(oid) FROM pg_largeobject_metadata',
      'SELECT * FROM pg_stat_statements',
      'SELECT * FROM pg_hba_file_rules',
      'SELECT * FROM pg_file_settings',
      'SELECT * FROM pg_logical_slot_peek_changes(NULL, NULL, NULL)',
      "SELECT pg_create_logical_replication_slot('mine', 'test_decoding')",
      'CREATE PUBLICATION mine FOR ALL TABLES',
      "LISTEN holdfast; NOTIFY holdfast, 'x'",
      'CREATE STATISTICS mine ON share, line FROM holdfast.entries',
      'ANALYZE holdfast.entries',
      'VACUUM FULL holdfast.entries',
      'CLUSTER holdfast.entries USING entries_pkey',
      'ALTER TABLE holdfast.entries ALTER COLUMN line SET STATISTICS 1000',
      'SET default_statistics_target = 10000; ANALYZE',
      'SET session_replication_role = replica',
      "SET local_preload_libraries = 'x'",
      "LOAD 'pageinspect'",
      'SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE pronamespace = to_regnamespace($$holdfast$$)',
      'CREATE TEMP TABLE mine (LIKE holdfast.entries INCLUDING ALL)',
      'CREATE TEMP TABLE mine () INHERITS (holdfast.entries)',
      'CREATE TEMP TABLE mine (e int REFERENCES holdfast.entries)',
      'CREATE OPERATOR pg_temp.= (LEFTARG = int, RIGHTARG = int, FUNCTION = int4ne); SET search_path = pg_temp, pg_catalog; SELECT * FROM holdfast.entries',
      'CREATE CAST (text AS int) WITH INOUT AS IMPLICIT',
      'CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()',
      'SECURITY LABEL ON TABLE holdfast.entries IS NULL',
      'REASSIGN OWNED BY admin TO holdfast_bob',
      'IMPORT FOREIGN SCHEMA holdfast FROM SERVER mine INTO pg_temp',
      'SELECT ctid, xmin, tableoid, * FROM holdfast.entries',
      "SELECT * FROM holdfast.entries WHERE ctid = '(0,1)'",
      "SELECT currtid2('holdfast.entries', '(0,1)')",
      'SELECT * FROM holdfast.entries TABLESAMPLE SYSTEM (100)',
      'MERGE INTO holdfast.entries e USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE',
      'EXPLAIN (ANALYZE, BUFFERS) DELETE FROM holdfast.entries',
      'CREATE SCHEMA mine',
      'DROP SCHEMA holdfast CASCADE',
      'ALTER DATABASE postgres SET row_security = off',
    ];
  }

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
      try {
        // COPY does not answer with rows, so the driver fails on it. Run the attempt as the query that psql would send.
        const text = sql.startsWith('COPY holdfast') ? `SELECT * FROM ${sql.split(' ')[1]}` : sql;
        heard.push(JSON.stringify(await client.query(text)));
      } catch (error) {
        refused++;
        heard.push(String(error), JSON.stringify(error));
      } finally {
        await client.end();
      }
      expect(heard.join('\n'), sql).not.toContain(secretWord);
      expect(heard.join('\n'), sql).not.toContain('private-session-');
    }
    expect(all.length).toBeGreaterThan(350);
    expect(refused).toBeGreaterThan(200);
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

  it('is not held up by a member who takes the locks of others', async () => {
    const { anna, bobsMembership } = await twoPeople('anneli', 'robin');
    const client = new pg.Client({ connectionString: bobsMembership.url });
    await client.connect();
    await client.query("SELECT pg_advisory_lock(hashtext('holdfast words'), p) FROM generate_series(1, 20) p");
    await client.query("SELECT pg_advisory_lock(hashtext('holdfast machine'), m) FROM generate_series(1, 20) m");
    await anna.session(['one more']);
    expect(await anna.sync()).toMatchObject({ done: true, pushed: { entries: 1 } });
    await client.end();
  });

  it('a stolen connection string without the secret of a machine cannot even read what is shared', async () => {
    const { anna, bobsMembership, annasMembership } = await twoPeople('ann', 'rob');
    await anna.session([`everybody may know of ${sharedWord}`], { id: 'open-session' });
    await anna.run('hub share', { project: 'app', with: 'team' });
    const read = async (url: string, secret?: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      if (secret !== undefined) await client.query("SELECT set_config('holdfast.machine', $1, false)", [secret]);
      const { rows } = await client.query('SELECT line FROM holdfast.entries');
      await client.end();
      return JSON.stringify(rows);
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
