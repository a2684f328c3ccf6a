// A hub whose administrator is no superuser, as managed servers have it: the role owns the database and may create roles, and nothing else.
import fs from 'node:fs';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initHub, invitePerson, revokePerson } from '../../src/hub/admin.ts';
import { readAddress } from '../../src/hub/url.ts';
import { because } from '../because.ts';
import { clientOf } from '../hub-in-memory.ts';
import { addressIn, type Cluster, newMachine, noPostgres, openCluster } from '../hub-stand.ts';

describe.skipIf(noPostgres)(because('on a managed server', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
    await cluster.query("CREATE ROLE manager LOGIN CREATEROLE PASSWORD 'manager'");
  });
  afterAll(() => cluster.close());

  it('the owner of the database makes a hub, invites, revokes although a connection is open, and invites again', async () => {
    const database = await cluster.newDatabase();
    await cluster.query(`ALTER DATABASE ${database} OWNER TO manager`);
    const url = Object.assign(new URL(cluster.url(database)), { username: 'manager', password: 'manager' }).href;
    const [annas, bobs] = [await newMachine('annas'), await newMachine('bobs')];
    expect(await annas.run('hub init', { url, as: 'anna', machine: 'annas' })).toMatchObject({ made: true });
    expect(await annas.run('hub init', { url })).toMatchObject({ made: false });
    const invite = async () => addressIn((await annas.run('hub invite', { name: 'bob' })).command);
    await bobs.run('hub join', { url: await invite(), machine: 'bobs' });
    await bobs.session(['the foghorn']);
    const id = await annas.session(['the lighthouse']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    await bobs.run('hub share', { project: 'app', with: 'team' });
    expect(await annas.sync()).toMatchObject({ pulled: { entries: 1 } });
    const { url: address, secret } = JSON.parse(
      fs.readFileSync(path.join(bobs.config.home, 'hub.json'), 'utf8'),
    ) as Record<'url' | 'secret', string>;
    const open = new pg.Client({ connectionString: address });
    open.on('error', () => {});
    await open.connect();
    await open.query("SELECT set_config('holdfast.machine', $1, false)", [secret]);
    expect((await open.query('SELECT line FROM holdfast.entries')).rows).toHaveLength(2);

    expect(await annas.run('hub revoke', { name: 'bob', yes: true })).toMatchObject({ machines: 1 });
    const left = await open.query('SELECT line FROM holdfast.entries').catch(() => ({ rows: [] }));
    expect(left.rows).toEqual([]);
    await open.end();
    await expect(bobs.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await bobs.run('hub leave', { yes: true });
    await bobs.run('hub join', { url: await invite(), machine: 'bobs' });
    await bobs.sync();
    expect(
      await bobs.team(async (store) => (await store.entries.transcript('claude-code', id)).map(({ text }) => text)),
    ).toEqual(['the lighthouse']);
    await annas.run('hub forget', { id, yes: true });
    await bobs.sync();
    expect(await bobs.team(async (store) => await store.entries.transcript('claude-code', id))).toEqual([]);
  });
});

it('the owner of a database of PostgreSQL 18 does the same', async () => {
  const db = await PGlite.create({ extensions: { vector } });
  const client = clientOf(db);
  await db.exec(
    'CREATE EXTENSION vector; CREATE ROLE manager LOGIN CREATEROLE; ALTER DATABASE postgres OWNER TO manager',
  );
  await db.exec('SET SESSION AUTHORIZATION manager');
  const address = readAddress('postgres://manager@localhost/postgres');
  expect(await initHub(client, address)).toMatchObject({ made: true, vectors: true });
  expect(await initHub(client, address)).toMatchObject({ made: false });
  const first = await invitePerson(client, address, 'bob');
  expect((await invitePerson(client, address, 'bob')).url).not.toBe(first.url);
  expect(await revokePerson(client, address, 'bob')).toEqual({ machines: 0 });
  const { rows } = await db.query("SELECT rolcanlogin AS login FROM pg_roles WHERE rolname = 'holdfast_bob'");
  expect(rows).toEqual([{ login: false }]);
  expect(await invitePerson(client, address, 'bob')).toMatchObject({ person: 'bob' });
  await db.close();
});
