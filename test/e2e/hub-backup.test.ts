// The backup that docs/team.md describes, with PostgreSQL's own programs: dumped, everything dropped, restored. Machines exchange again, and
// nothing is lost, doubled, open to others, or back although it was forgotten.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import {
  addressIn,
  type Cluster,
  type Machine,
  newMachine,
  noPostgres,
  openCluster,
  postgresProgram,
} from '../hub-stand.ts';

describe.skipIf(noPostgres)(because('a hub restored from a backup', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  const command = (name: string, ...words: string[]) =>
    execFileSync(postgresProgram(name), words, { stdio: 'pipe' }).toString();

  /** Both commands of the recipe. */
  function backup(database: string, folder: string) {
    const files = { roles: path.join(folder, 'hub-roles.sql'), dump: path.join(folder, 'hub.dump') };
    command('pg_dumpall', '--roles-only', '--dbname', cluster.url(database), '--file', files.roles);
    command('pg_dump', '--format', 'custom', '--file', files.dump, cluster.url(database));
    return files;
  }

  /** As on an empty server: the hub's database and all its roles are gone before. */
  async function restore(database: string, stamp: string, files: { roles: string; dump: string }) {
    await cluster.query(`DROP DATABASE ${database} WITH (FORCE)`);
    const roles = await cluster.query('SELECT rolname AS name FROM pg_roles WHERE rolname ~ $1', [
      `^holdfast_(members_${database}|.*_${stamp})$`,
    ]);
    expect(roles).toHaveLength(3);
    for (const { name } of roles) await cluster.query(`DROP ROLE ${String(name)}`);
    command('psql', '--quiet', '--file', files.roles, cluster.url());
    command('psql', '--quiet', '--command', `CREATE DATABASE ${database}`, cluster.url());
    command('pg_restore', '--exit-on-error', '--dbname', cluster.url(database), files.dump);
  }

  /** Who may do what in the hub, and of which columns the server collects statistics. */
  const rules = (database: string) =>
    cluster.query(
      `SELECT 'policy' AS what, tablename || ' ' || policyname || ' ' || roles::text || ' ' || coalesce(qual, '') AS rule
         FROM pg_policies WHERE schemaname = 'holdfast'
       UNION ALL SELECT 'table', relname || ' ' || relrowsecurity || ' ' || coalesce(relacl::text, '') || ' ' || pg_get_userbyid(relowner)
         FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'S')
       UNION ALL SELECT 'column', attrelid::regclass || ' ' || attname || ' ' || coalesce(attacl::text, '') || ' ' || coalesce(attstattarget::text, '')
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind = 'r' AND attnum > 0 AND NOT attisdropped
       UNION ALL SELECT 'function', oid::regprocedure || ' ' || prosecdef || ' ' || coalesce(proconfig::text, '') || ' ' || coalesce(proacl::text, '')
         FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace
       UNION ALL SELECT 'trigger', tgname || ' ' || tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT 'member', pg_get_userbyid(roleid) || ' ' || pg_get_userbyid(member) FROM pg_auth_members
         WHERE pg_get_userbyid(roleid) LIKE 'holdfast%'
       ORDER BY 1, 2`,
      [],
      database,
    );

  const entriesInHub = async (database: string) =>
    (await cluster.query('SELECT uuid FROM holdfast.entries ORDER BY uuid', [], database)).map(({ uuid }) => uuid);
  const textsOf = (machine: Machine, id: string) => machine.texts(id);
  const teamTexts = (machine: Machine, id: string) =>
    machine.team(async (store) => (await store.entries.transcript('claude-code', id)).map(({ text }) => text));

  /** Anna's laptop and server, and Bob's machine. All share the project with the team. */
  async function threeMachines(stamp: string) {
    const database = await cluster.newDatabase();
    const [laptop, server, bobs] = [await newMachine('laptop'), await newMachine('server'), await newMachine('bobs')];
    await laptop.run('hub init', { url: cluster.url(database), as: `anna_${stamp}`, machine: 'laptop' });
    await server.run('hub join', { url: addressIn((await laptop.run('hub invite')).command), machine: 'server' });
    const invitation = addressIn((await laptop.run('hub invite', { name: `bob_${stamp}` })).command);
    await bobs.run('hub join', { url: invitation, machine: 'bobs' });
    const all = [laptop, server, bobs];
    const exchange = async (rounds = 1) => {
      for (let round = 0; round < rounds; round++) for (const machine of all) await machine.sync();
    };
    for (const machine of all) await machine.session([`${machine.name} begins`]);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.run('hub share', { project: 'app', with: 'team' });
    return { database, laptop, server, bobs, exchange };
  }

  it('has its roles and rights again, and after an exchange everything that was shared since, once', async () => {
    const { database, laptop, server, bobs, exchange } = await threeMachines('a');
    const gone = await laptop.session(['forgotten before', 'also forgotten before']);
    await laptop.run('remember', { text: 'deploys happen on Tuesdays', key: 'day', project: 'app' });
    await exchange();
    await laptop.run('forget', { id: gone, yes: true });
    await exchange(2);
    const before = await rules(database);
    const files = backup(database, laptop.home);
    const since = [await laptop.session(['later', 'and later']), await bobs.session(['later too'])];
    await exchange();
    const held = await entriesInHub(database);
    await restore(database, 'a', files);
    expect(await rules(database)).toEqual(before);
    expect(held.length - (await entriesInHub(database)).length).toBe(3);

    await exchange(2);
    expect(await entriesInHub(database)).toEqual(held);
    for (const [machine, id, texts] of [
      [server, since[0], ['later', 'and later']],
      [server, gone, []],
      [laptop, gone, []],
    ] as const)
      expect(await textsOf(machine, id as string), `${machine.name} ${id}`).toEqual(texts);
    expect(await teamTexts(bobs, since[0] as string)).toEqual(['later', 'and later']);
    expect(await teamTexts(laptop, since[1] as string)).toEqual(['later too']);
    expect(await teamTexts(bobs, gone)).toEqual([]);
    const found = (await bobs.run('search', { query: 'later', scope: 'team' })) as { hits: { session: string }[] };
    expect(found.hits.map(({ session }) => session).sort()).toEqual([since[0], since[0], since[1]].sort());
    expect(await laptop.store.memory.list({ page: 'projects/app/overview.md' })).toHaveLength(1);
    expect(await server.store.memory.list({ page: 'projects/app/overview.md' })).toHaveLength(1);
    // Nothing is left to exchange.
    for (const machine of [laptop, server, bobs])
      expect(await machine.sync()).toMatchObject({ pushed: { entries: 0 }, pulled: { entries: 0, forgotten: 0 } });

    // A connection string without the secret of a machine still opens nothing.
    const { url } = JSON.parse(fs.readFileSync(path.join(bobs.config.home, 'hub.json'), 'utf8')) as { url: string };
    const stolen = new pg.Client({ connectionString: url });
    await stolen.connect();
    expect((await stolen.query('SELECT * FROM holdfast.entries')).rows).toEqual([]);
    await expect(stolen.query('DELETE FROM holdfast.entries')).rejects.toMatchObject({ code: '42501' });
    await stolen.end();
  });

  it('forgets again what was forgotten since, also what the machine that forgot it can no longer repeat', async () => {
    const { database, laptop, server, bobs, exchange } = await threeMachines('b');
    const [plan, leak] = [await laptop.session(['the secret plan']), await bobs.session(['the leaked plan'])];
    const note = await laptop.run('remember', { text: 'the vault is behind the mirror', key: 'vault', project: 'app' });
    expect(note).toBeDefined();
    await exchange(3);
    const files = backup(database, laptop.home);
    // A machine that is lost afterwards forgets one, the administrator forgets the other; the others have exchanged once since.
    await laptop.run('forget', { id: plan, yes: true });
    const [memory] = await laptop.store.memory.list({ page: 'projects/app/overview.md' });
    await laptop.run('memory forget', { name: memory?.id ?? '', yes: true });
    await laptop.sync();
    await laptop.run('hub forget', { id: leak, yes: true });
    await server.sync();
    await bobs.sync();
    await restore(database, 'b', files);
    expect(await entriesInHub(database)).toContain(`${plan}-0`);

    for (const machine of [server, bobs, server]) await machine.sync();
    expect(await entriesInHub(database)).toEqual(['bobs-1-0', 'laptop-1-0', 'server-1-0']);
    const rows = JSON.stringify(await cluster.query('SELECT line FROM holdfast.rows', [], database));
    expect(rows).not.toContain('mirror');
    const newcomer = await newMachine('desk');
    await newcomer.run('hub join', { url: addressIn((await server.run('hub invite')).command), machine: 'desk' });
    await newcomer.sync();
    for (const machine of [server, newcomer]) expect(await textsOf(machine, plan), machine.name).toEqual([]);
    expect(await textsOf(bobs, leak)).toEqual([]);
  });

  it('forgets again what a machine only heard to be forgotten, which has pushed nothing since', async () => {
    const { database, laptop, server, exchange } = await threeMachines('e');
    await exchange(3);
    const draft = await laptop.session(['a draft that no other machine took']);
    await laptop.sync();
    const files = backup(database, laptop.home);
    await laptop.run('forget', { id: draft, yes: true });
    await laptop.sync();
    for (const machine of [server, server]) await machine.sync();
    await restore(database, 'e', files);
    expect(await entriesInHub(database)).toContain(`${draft}-0`);
    await server.sync();
    expect(await entriesInHub(database)).not.toContain(`${draft}-0`);
  });

  it('invites a person who joined since the backup again, under the same name', async () => {
    const { database, laptop, exchange } = await threeMachines('c');
    await exchange();
    const files = backup(database, laptop.home);
    const invite = async () => addressIn((await laptop.run('hub invite', { name: 'carl_c' })).command);
    const carls = await newMachine('carls');
    await carls.run('hub join', { url: await invite(), machine: 'carls' });
    // The roles are still there: only the database was lost.
    await cluster.query(`DROP DATABASE ${database} WITH (FORCE)`);
    command('psql', '--quiet', '--command', `CREATE DATABASE ${database}`, cluster.url());
    command('pg_restore', '--exit-on-error', '--dbname', cluster.url(database), files.dump);
    await expect(carls.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    const again = await invite();
    await carls.run('hub leave', { yes: true });
    await carls.run('hub join', { url: again, machine: 'carls' });
    expect(await carls.sync()).toMatchObject({ done: true });
  });

  it('is replaced by a new one, under the same names, if there is no backup', async () => {
    const { database, laptop, server, bobs, exchange } = await threeMachines('d');
    await exchange(2);
    const held = await entriesInHub(database);
    const all = { laptop: await laptop.texts('laptop-1'), server: await server.texts('laptop-1') };
    await cluster.query(`DROP DATABASE ${database} WITH (FORCE)`);
    command('psql', '--quiet', '--command', `CREATE DATABASE ${database}`, cluster.url());
    await expect(laptop.sync()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const machine of [laptop, server, bobs]) await machine.run('hub leave', { force: true, yes: true });
    await laptop.run('hub init', { url: cluster.url(database), as: 'anna_d', machine: 'laptop' });
    await server.run('hub join', { url: addressIn((await laptop.run('hub invite')).command), machine: 'server' });
    const invitation = addressIn((await laptop.run('hub invite', { name: 'bob_d' })).command);
    await bobs.run('hub join', { url: invitation, machine: 'bobs' });
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.run('hub share', { project: 'app', with: 'team' });
    await exchange(2);
    expect(await entriesInHub(database)).toEqual(held);
    expect({ laptop: await laptop.texts('laptop-1'), server: await server.texts('laptop-1') }).toEqual(all);
    expect(await teamTexts(bobs, 'laptop-1')).toEqual(['laptop begins']);
    expect((await server.store.entries.counts()).entries).toBe(2);
  });
});
