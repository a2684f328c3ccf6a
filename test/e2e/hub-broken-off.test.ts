// Commands of the hub that are killed right before, or right after, the server does what they ask for. Run again, each ends as if nothing had
// happened. And two machines that do the same at the same moment.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { addressIn, type Cluster, type Machine, newMachine, noPostgres, openCluster } from '../hub-stand.ts';
import { launch, ownPort, until } from './holdfast.ts';

interface Members {
  readonly database: string;
  readonly laptop: Machine;
  readonly server: Machine;
  readonly bobs: Machine;
  readonly bob: string;
  readonly session: string;
}

interface Command {
  /** Which machine runs the command, and its words. */
  readonly from: 'laptop' | 'bobs';
  readonly words: (all: Members) => string[];
  /** Part of the statement at which it is killed. */
  readonly at: string;
  /** The project is shared with the team before. */
  readonly isShared?: boolean;
  /** Run again, the command may find that everything is done. */
  readonly mayBeDone?: boolean;
  readonly ends: (all: Members, hub: (sql: string) => Promise<Record<string, unknown>[]>) => Promise<void>;
}

const count = (table: string) => `SELECT count(*)::int AS n FROM holdfast.${table}`;
const refused = { code: 'NO_PERMISSION' };

async function isRevoked({ bobs, bob, laptop }: Members, hub: (sql: string) => Promise<Record<string, unknown>[]>) {
  await expect(bobs.sync()).rejects.toMatchObject(refused);
  expect(await hub(`SELECT rolcanlogin AS login FROM pg_roles WHERE rolname = 'holdfast_${bob}'`)).toEqual([
    { login: false },
  ]);
  await laptop.sync();
  // The person can be invited again, and nothing of the former membership opens anything.
  await laptop.run('hub invite', { name: bob });
  await expect(bobs.sync()).rejects.toMatchObject(refused);
}

const commands: Record<string, Command> = {
  share: {
    from: 'laptop',
    words: () => ['hub', 'share', 'app', '--with', 'team'],
    at: 'holdfast.share(',
    async ends({ bobs, session }, hub) {
      expect([await hub(count('shares')), await hub(count('entries'))]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
      await bobs.sync();
      expect(await bobs.team((store) => store.entries.counts())).toMatchObject({ entries: 2 });
      expect(session).not.toBe('');
    },
  },
  unshare: {
    from: 'laptop',
    words: () => ['hub', 'unshare', 'app', '--yes'],
    at: 'holdfast.unshare(',
    isShared: true,
    mayBeDone: true,
    async ends({ bobs, server, session }, hub) {
      for (const table of ['shares', 'transcripts', 'sessions', 'entries', 'postings', 'unindexed', 'vectors'])
        expect(await hub(count(table)), table).toEqual([{ n: 0 }]);
      await bobs.sync();
      await server.sync();
      expect(await bobs.team((store) => store.entries.counts())).toMatchObject({ entries: 0 });
      expect(await server.texts(session)).toEqual([]);
    },
  },
  leave: {
    from: 'bobs',
    words: () => ['hub', 'leave', '--yes'],
    at: 'holdfast.leave_hub(',
    isShared: true,
    async ends({ bobs }, hub) {
      expect(fs.readdirSync(bobs.config.home)).not.toContain('hub.json');
      expect(fs.readdirSync(bobs.config.home)).not.toContain('team');
      expect(await hub("SELECT left_at IS NOT NULL AS gone FROM holdfast.machines WHERE name = 'bobs'")).toEqual([
        { gone: true },
      ]);
    },
  },
  'revoke of a person, at its first change': {
    from: 'laptop',
    words: ({ bob }) => ['hub', 'revoke', bob, '--yes'],
    at: 'UPDATE holdfast.people',
    ends: isRevoked,
  },
  'revoke of a person, in the middle': {
    from: 'laptop',
    words: ({ bob }) => ['hub', 'revoke', bob, '--yes'],
    at: 'UPDATE holdfast.machines',
    ends: isRevoked,
  },
  'revoke of a person, at its last change': {
    from: 'laptop',
    words: ({ bob }) => ['hub', 'revoke', bob, '--yes'],
    at: 'ALTER ROLE',
    ends: isRevoked,
  },
  'revoke of a machine': {
    from: 'laptop',
    words: () => ['hub', 'revoke', '--machine', 'server', '--yes'],
    at: 'holdfast.leave_hub(',
    mayBeDone: true,
    async ends({ laptop, server }) {
      await expect(server.sync()).rejects.toMatchObject(refused);
      await laptop.sync();
    },
  },
  'forget for everybody': {
    from: 'laptop',
    words: ({ session }) => ['hub', 'forget', session, '--yes'],
    at: 'holdfast.forget_for_all(',
    isShared: true,
    mayBeDone: true,
    async ends({ laptop, bobs, server, session }, hub) {
      expect(await hub(count('entries'))).toEqual([{ n: 0 }]);
      for (const machine of [laptop, bobs, server]) await machine.sync();
      for (const machine of [laptop, server]) expect(await machine.texts(session), machine.name).toEqual([]);
      expect(await bobs.team((store) => store.entries.counts())).toMatchObject({ entries: 0 });
    },
  },
  'invite of a person': {
    from: 'laptop',
    words: ({ bob }) => ['hub', 'invite', `${bob}_too`],
    at: 'CREATE ROLE',
    async ends({ laptop, bob }) {
      // Two invitations before the person joined: the last one counts.
      const invitation = addressIn((await laptop.run('hub invite', { name: `${bob}_too` })).command);
      const desk = await newMachine('desk');
      expect(await desk.run('hub join', { url: invitation, machine: 'desk' })).toMatchObject({ person: `${bob}_too` });
      expect(await desk.sync()).toMatchObject({ done: true });
    },
  },
};

describe.skipIf(noPostgres)(because('broken off', noPostgres), () => {
  let cluster: Cluster;
  let hubs = 0;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  async function members(isShared: boolean): Promise<Members> {
    const database = await cluster.newDatabase();
    const [anna, bob] = [`anna${++hubs}`, `bob${hubs}`];
    const [laptop, server, bobs] = [await newMachine('laptop'), await newMachine('server'), await newMachine('bobs')];
    await laptop.run('hub init', { url: cluster.url(database), as: anna, machine: 'laptop' });
    await server.run('hub join', { url: addressIn((await laptop.run('hub invite')).command), machine: 'server' });
    const invitation = addressIn((await laptop.run('hub invite', { name: bob })).command);
    await bobs.run('hub join', { url: invitation, machine: 'bobs' });
    const session = await laptop.session(['the lighthouse', 'and the harbour']);
    if (isShared) await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.session(['of Bob']);
    for (const machine of [server, bobs]) await machine.sync();
    return { database, laptop, server, bobs, bob, session };
  }

  const membership = (machine: Machine) => path.join(machine.config.home, 'hub.json');
  const reach = (machine: Machine, port: number) => {
    const known = JSON.parse(fs.readFileSync(membership(machine), 'utf8')) as { url: string; adminUrl?: string };
    for (const which of ['url', 'adminUrl'] as const) {
      const at = known[which];
      if (at !== undefined) known[which] = Object.assign(new URL(at), { port: String(port) }).href;
    }
    fs.writeFileSync(membership(machine), JSON.stringify(known));
  };

  /** Forwards everything to the server. `hit` is called when the statement comes, before or after the server has run it. */
  async function proxy(statement: string, when: 'before' | 'after', hit: () => void): Promise<number> {
    const sockets = new Set<net.Socket>();
    const proxied = net.createServer((socket) => {
      const to = net.connect(cluster.port, '127.0.0.1');
      let [said, isRun] = ['', false];
      for (const one of [socket, to]) sockets.add(one.on('error', () => {}));
      socket.on('data', (bytes) => {
        said += bytes.toString('latin1');
        const isIt = !isRun && said.includes(statement);
        if (isIt && when === 'before') return hit();
        isRun ||= isIt;
        to.write(bytes);
      });
      to.on('data', (bytes) => {
        if (isRun) hit();
        else socket.write(bytes);
      });
      socket.on('close', () => to.destroy());
      to.on('close', () => socket.destroy());
    });
    await new Promise<void>((resolve) => proxied.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxied.close();
    });
    return (proxied.address() as net.AddressInfo).port;
  }

  it.each(Object.keys(commands).flatMap((name) => [[name, 'before'] as const, [name, 'after'] as const]))(
    '%s, killed %s the server did it, is done when it runs again',
    async (name, when) => {
      const { from, words, at, isShared = false, mayBeDone = false, ends } = commands[name] as Command;
      const all = await members(isShared);
      const machine = all[from];
      const env = {
        ...{ PATH: process.env.PATH, HOME: machine.home, HOLDFAST_HOME: machine.config.home, TZ: 'UTC' },
        ...{ HOLDFAST_PORT: String(ownPort()), HOLDFAST_DISTILL_AUTO: 'false' },
      };
      let kill = () => {};
      reach(machine, await proxy(at, when, () => kill()));
      const { child, ended } = launch(env, [...words(all), '--json']);
      kill = () => void child.kill('SIGKILL');
      const { signal, stderr } = await ended;
      expect([signal, stderr]).toEqual(['SIGKILL', '']);
      reach(machine, cluster.port);
      const again = await launch(env, [...words(all), '--json']).ended;
      const done = mayBeDone && when === 'after' ? 3 : 0;
      expect([again.code, again.stderr.includes('bug')]).toEqual([done, false]);
      await ends(all, (sql) => cluster.query(sql, [], all.database));
    },
  );

  it('of two machines that join under one name at the same moment, the second is told that the name is taken, and can take another', async () => {
    const { database, laptop } = await members(false);
    const desk = await newMachine('desk');
    const url = addressIn((await laptop.run('hub invite')).command);
    const other = new pg.Client({ connectionString: cluster.url(database) });
    await other.connect();
    await other.query('BEGIN');
    await other.query("INSERT INTO holdfast.machines (person, name, secret) VALUES (1, 'desk', 'another secret')");
    const joining = desk.run('hub join', { url, machine: 'desk' }).catch((error: unknown) => error);
    await until(async () => {
      const waiting = await cluster.query('SELECT 1 FROM pg_locks WHERE NOT granted', [], database);
      return waiting.length > 0;
    });
    await other.query('COMMIT');
    await other.end();
    expect(await joining).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('has this name') });
    expect(fs.existsSync(membership(desk))).toBe(false);
    expect(await desk.run('hub join', { url, machine: 'desk-2' })).toMatchObject({ machine: 'desk-2' });
  });
});
