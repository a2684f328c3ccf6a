// A hub that the previous version made: members are told, the administrator brings it up to date, and everything in it stays.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invitePerson } from '../../src/hub/admin.ts';
import { emptyBatch } from '../../src/hub/batch.ts';
import { connectTo } from '../../src/hub/connect.ts';
import { hubVersion } from '../../src/hub/schema/steps.ts';
import { readAddress, writeAddress } from '../../src/hub/url.ts';
import { hash53, wordsOf } from '../../src/hub/words.ts';
import { tombstone } from '../../src/store/removal/tombstone.ts';
import { because } from '../because.ts';
import { addressIn, type Cluster, newMachine, noPostgres, openCluster } from '../hub-stand.ts';
import { until } from './holdfast.ts';

const firstVersion = fs.readFileSync(new URL('../fixtures/hub-version-1.sql', import.meta.url), 'utf8');
const texts = ['the lighthouse keeper', 'a keeper of bees', 'nothing of that kind'];

describe.skipIf(noPostgres)(because('a hub of version 1', noPostgres), () => {
  let cluster: Cluster;
  let people = 0;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  /** Made and filled by the functions of version 1; the machine joined it then. */
  async function oldHub() {
    const database = await cluster.newDatabase();
    const address = readAddress(cluster.url(database));
    const members = `holdfast_members_${database}`;
    await cluster.query(`CREATE ROLE ${members} NOLOGIN`);
    await cluster.query(firstVersion.replaceAll(':members', members), undefined, database);
    await cluster.query('INSERT INTO holdfast.hub (version, members) VALUES (1, $1)', [members], database);
    const admin = await connectTo(address);
    const person = `old${++people}`;
    const { url } = await invitePerson(admin, address, person);
    await admin.end();
    const invitation = readAddress(url);
    const secret = 'a secret of this machine';
    const member = new pg.Client({ connectionString: writeAddress(invitation, invitation) });
    await member.connect();
    const hash = createHash('sha256').update(secret).digest();
    await member.query('SELECT holdfast.join_hub($1, $2, $3)', [invitation.code, 'laptop', hash]);
    await member.query("SELECT set_config('holdfast.machine', $1, false)", [secret]);
    await member.query("SELECT holdfast.share('github.com/acme/app', 'app', 'team')");
    await member.query('SELECT holdfast.push($1::jsonb)', [JSON.stringify(batchOf(texts))]);
    await member.query('SELECT holdfast.index_words(1000)');
    const { rows } = await member.query(
      'SELECT h.id AS hub, s.person AS "personId", s.machine AS "machineId" FROM holdfast.hub h, holdfast.state() s',
    );
    await member.end();
    const laptop = await newMachine('laptop');
    fs.writeFileSync(
      path.join(laptop.config.home, 'hub.json'),
      JSON.stringify({
        ...rows[0],
        ...{ url: writeAddress(invitation, invitation), adminUrl: cluster.url(database), person, machine: 'laptop' },
        ...{ secret, joinedAt: new Date().toISOString() },
      }),
      { mode: 0o600 },
    );
    const hub = (sql: string) => cluster.query(sql, [], database);
    return { database, laptop, person, hub };
  }

  function batchOf(said: readonly string[]) {
    const place = { share: 1, agent: 'claude-code', key: 'p/old.jsonl' };
    const entries = said.map((text, pos) => {
      const uuid = `old-${pos}`;
      const line = JSON.stringify({
        ...{ is: 'entry', uuid, session: 'old', pos, at: 1, role: 'user', author: 'person', form: null, text },
        ...{ tools: [], joinsAt: null, uses: [], subagent: pos === 2 ? 'a helper' : null },
      });
      return {
        ...{ ...place, uuid, print: tombstone.entry('claude-code', uuid) },
        ...{ session: tombstone.session('claude-code', 'old'), pos, at: 1, role: 'user', line, hash: hash53(line) },
        ...{ ...wordsOf({ text, uses: [] }), vector: null },
      };
    });
    const transcripts = [{ ...place, line: '{"subagent":null,"bornAt":null}' }];
    return { ...emptyBatch, after: null, mark: randomUUID(), transcripts, entries };
  }

  it('is refused by newer members with the way out, and is unchanged', async () => {
    const { laptop, hub } = await oldHub();
    await expect(laptop.sync()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`older version (1; this one needs ${hubVersion})`),
      hint: expect.stringContaining('holdfast hub init'),
    });
    expect(await hub('SELECT version FROM holdfast.hub')).toEqual([{ version: 1 }]);
  });

  it('is brought up to date by its administrator: what it held is found, forgotten and pulled as before', async () => {
    const { laptop, database, person, hub } = await oldHub();
    expect(await laptop.run('hub init', { url: cluster.url(database) })).toMatchObject({
      made: false,
      upgradedFrom: 1,
      version: hubVersion,
      person,
    });
    const again = await laptop.run('hub init', { url: cluster.url(database) });
    expect(again).toMatchObject({ made: false, version: hubVersion });
    expect(again).not.toHaveProperty('upgradedFrom');
    expect(await hub('SELECT uuid FROM holdfast.entries WHERE subagent')).toEqual([{ uuid: 'old-2' }]);

    const search = async (query: string) =>
      ((await laptop.run('search', { query, scope: 'team' })) as { hits: { id: string }[] }).hits.map(({ id }) => id);
    expect((await search('keeper')).sort()).toEqual(['old-0', 'old-1']);
    const server = await newMachine('server');
    await server.run('hub join', { url: addressIn((await laptop.run('hub invite')).command), machine: 'server' });
    expect(await server.sync()).toMatchObject({ pulled: { entries: 3 } });

    await server.run('forget', { id: 'old-1', yes: true });
    await server.sync();
    expect(await search('keeper')).toEqual(['old-0']);
    const [{ postings, words, entries } = { postings: 0, words: 1 }] = await hub(
      'SELECT (SELECT sum(cardinality(entries)) FROM holdfast.postings) AS postings, (SELECT sum(cardinality(words)) FROM holdfast.entries) AS words, (SELECT entries::int FROM holdfast.shares) AS entries',
    );
    expect(postings).toBe(words);
    expect(entries).toBe(2);
    await laptop.session(['the keeper is new']);
    await laptop.sync();
    expect(await search('keeper')).toHaveLength(2);
  });

  it('is whole and of its old version when the upgrade is cut off in the middle', async () => {
    const { laptop, database, hub } = await oldHub();
    const before = await hub('SELECT * FROM holdfast.postings ORDER BY word, entry');
    // The upgrade has made its new table, and waits for the old one.
    const holder = new pg.Client({ connectionString: cluster.url(database) });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT * FROM holdfast.postings');
    const upgrading = laptop.run('hub init', { url: cluster.url(database) }).then(
      () => 'worked',
      (error: { code: string }) => error.code,
    );
    const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await until(async () => (await hub(waiting)).length === 1);
    await hub(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
    expect(await upgrading).toBe('UNREACHABLE');
    await holder.query('ROLLBACK');
    await holder.end();
    expect(await hub('SELECT version FROM holdfast.hub')).toEqual([{ version: 1 }]);
    expect(await hub('SELECT * FROM holdfast.postings ORDER BY word, entry')).toEqual(before);
    expect(await laptop.run('hub init', { url: cluster.url(database) })).toMatchObject({ upgradedFrom: 1 });
  });
});
