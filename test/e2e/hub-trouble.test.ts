// A hub that is unreachable, slow, full, or not what it should be: each gets a clear error, nothing is changed or lost, and no local
// command waits.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hubVersion } from '../../src/hub/schema/steps.ts';
import type { HoldfastError } from '../../src/system/errors.ts';
import { because } from '../because.ts';
import { addressIn, type Cluster, type Machine, newMachine, noPostgres, openCluster, run } from '../hub-stand.ts';

describe.skipIf(noPostgres)(because('a hub in trouble', noPostgres), () => {
  let cluster: Cluster;
  let people = 0;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  const joined = async () => {
    const database = await cluster.newDatabase();
    const machine = await newMachine('laptop');
    const person = `person${++people}`;
    await machine.run('hub init', { url: cluster.url(database), as: person, machine: 'laptop' });
    return { machine, database, person };
  };
  const membership = (machine: Machine) => path.join(machine.config.home, 'hub.json');
  const reach = (machine: Machine, change: (url: URL) => void) => {
    const known = JSON.parse(fs.readFileSync(membership(machine), 'utf8')) as { url: string };
    const url = new URL(known.url);
    change(url);
    fs.writeFileSync(membership(machine), JSON.stringify({ ...known, url: url.href }));
    return url;
  };
  const failure = async (work: Promise<unknown>): Promise<HoldfastError> => {
    try {
      await work;
    } catch (error) {
      return error as HoldfastError;
    }
    throw new Error('it worked');
  };
  const hubCheck = async (machine: Machine) => {
    const { checks } = (await machine.run('status')) as { checks: { name: string; ok: boolean; message: string }[] };
    return checks.find(({ name }) => name === 'hub');
  };

  /** Accepts connections and stays silent, or forwards the server's answers with a delay. */
  async function proxy(delayMs: number) {
    const sockets = new Set<net.Socket>();
    const seen = { connections: 0 };
    const server = net.createServer((socket) => {
      seen.connections++;
      sockets.add(socket);
      socket.on('error', () => {});
      if (delayMs === Number.POSITIVE_INFINITY) return;
      const to = net.connect(cluster.port, '127.0.0.1');
      sockets.add(to);
      to.on('error', () => socket.destroy());
      socket.on('close', () => to.destroy());
      socket.pipe(to);
      to.on('data', (bytes) => setTimeout(() => socket.writable && socket.write(bytes), delayMs));
      to.on('close', () => setTimeout(() => socket.destroy(), delayMs));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port: (server.address() as net.AddressInfo).port, seen };
  }

  it('that is unreachable: the exchange and status say so, local commands do not ask it, and nothing is lost', async () => {
    const { machine, database } = await joined();
    await machine.session(['before']);
    await machine.run('hub share', { project: 'app' });
    const { port, seen } = await proxy(Number.POSITIVE_INFINITY);
    const real = new URL((JSON.parse(fs.readFileSync(membership(machine), 'utf8')) as { url: string }).url).port;
    reach(machine, (url) => {
      url.port = '9';
    });
    expect(await failure(machine.sync())).toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('cannot be reached'),
    });
    expect(await hubCheck(machine)).toMatchObject({ ok: false, message: expect.stringContaining('cannot be reached') });
    expect(await machine.run('hub status')).toMatchObject({ joined: true, reachable: false });

    reach(machine, (url) => {
      url.port = String(port);
    });
    await machine.session(['while it was away']);
    expect(((await machine.run('search', { query: 'away' })) as { hits: unknown[] }).hits).toHaveLength(1);
    await machine.run('briefing', { project: machine.folder });
    await machine.run('sessions');
    await machine.run('stats');
    await hubCheck(machine);
    await machine.run('forget', { id: 'laptop-1', yes: true });
    // None of these even opened a connection.
    expect(seen.connections).toBe(0);

    reach(machine, (url) => {
      url.port = real;
    });
    await machine.sync();
    expect(await hubCheck(machine)).toMatchObject({ ok: true });
    const rows = await cluster.query('SELECT line FROM holdfast.entries', [], database);
    expect(rows.map(({ line }) => (JSON.parse(String(line)) as { text: string }).text)).toEqual(['while it was away']);
  });

  it('that is slow: a search gives up on it and answers with local results', async () => {
    const { machine } = await joined();
    await machine.session(['the lighthouse']);
    const { port } = await proxy(10_000);
    reach(machine, (url) => {
      url.port = String(port);
    });
    const answer = (await machine.run('search', { query: 'lighthouse', scope: 'team' })) as {
      hits: unknown[];
      note: string;
    };
    expect(answer.hits).toHaveLength(1);
    expect(answer.note).toContain('did not answer in time');
    expect(await machine.run('hub status')).toMatchObject({
      reachable: false,
      problem: expect.stringContaining('did not answer in time'),
    });
  });

  it('that is full says so; when there is space again everything arrives once', async () => {
    const { machine, database } = await joined();
    await machine.session(['one', 'two', 'three']);
    await cluster.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON holdfast.unindexed EXECUTE FUNCTION full_disk()`,
      undefined,
      database,
    );
    expect(await failure(machine.run('hub share', { project: 'app' }))).toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringContaining('no space left'),
    });
    expect(await hubCheck(machine)).toMatchObject({ ok: false, message: expect.stringContaining('no space left') });
    expect(await cluster.query('SELECT count(*)::int AS n FROM holdfast.entries', [], database)).toEqual([{ n: 0 }]);
    await cluster.query('DROP TRIGGER full_disk ON holdfast.unindexed', [], database);
    expect(await machine.sync()).toMatchObject({ pushed: { entries: 3 } });
    expect(await cluster.query('SELECT count(*)::int AS n FROM holdfast.entries', [], database)).toEqual([{ n: 3 }]);
  });

  it('that is read-only says so, answers searches, and gets everything once it takes changes again', async () => {
    const { machine, database, person } = await joined();
    await machine.session(['the lighthouse']);
    await machine.run('hub share', { project: 'app', with: 'team' });
    const other = await newMachine('other');
    const invitation = addressIn((await machine.run('hub invite')).command);
    await machine.session(['the harbour']);
    await cluster.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const refused = { code: 'UNREACHABLE', message: expect.stringContaining('accepts no changes at the moment') };
    expect(await failure(machine.sync())).toMatchObject(refused);
    expect(await hubCheck(machine)).toMatchObject({
      ok: false,
      message: expect.stringContaining('accepts no changes'),
    });
    expect(await failure(other.run('hub join', { url: invitation, machine: 'other' }))).toMatchObject(refused);
    expect(fs.existsSync(membership(other))).toBe(false);
    expect(await machine.run('search', { query: 'lighthouse', scope: 'team' })).toMatchObject({
      hits: [{ session: 'laptop-1' }],
      note: 'The hub was searched by words alone.',
    });
    await cluster.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
    expect(await machine.sync()).toMatchObject({ pushed: { entries: 1 } });
    expect(await other.run('hub join', { url: invitation, machine: 'other' })).toMatchObject({ person });
    await other.sync();
    expect((await other.store.entries.counts()).entries).toBe(2);
  });

  it.each([
    ['no URL at all', 'hub.example.com', 'is not a URL'],
    ['another scheme', 'https://db.example.com/holdfast', 'not with postgres://'],
    ['no database', 'postgres://anna@127.0.0.1/', 'names no database'],
    ['no user', 'postgres://127.0.0.1/holdfast', 'names no user'],
    ['no TLS to another machine', 'postgres://anna:pw@db.example.com/holdfast?sslmode=disable', 'TLS'],
    ['an unknown sslmode', 'postgres://anna:pw@db.example.com/holdfast?sslmode=maybe', 'sslmode=maybe'],
    ['no invitation', 'postgres://anna:topsecret@127.0.0.1:9/holdfast', 'no invitation'],
    ['nobody there', 'postgres://anna:topsecret@127.0.0.1:9/holdfast#code', 'cannot be reached'],
  ])('with %s is refused, and nothing changes', async (_, url, says) => {
    const machine = await newMachine('laptop');
    const before = fs.readdirSync(machine.config.home).sort();
    const { message, hint } = await failure(machine.run('hub join', { url }));
    expect(`${message} ${hint}`).toContain(says);
    expect(`${message} ${hint}`).not.toContain('topsecret');
    expect(fs.readdirSync(machine.config.home).sort()).toEqual(before);
  });

  it('refuses a wrong password, a used invitation, a second machine of the same name, and a clock that is hours off', async () => {
    const { machine } = await joined();
    const invitation = addressIn((await machine.run('hub invite')).command);
    const other = await newMachine('other');
    const wrong = new URL(invitation);
    wrong.password = 'wrongpassword';
    const refused = await failure(other.run('hub join', { url: wrong.href, machine: 'other' }));
    expect(refused).toMatchObject({ code: 'NO_PERMISSION', message: expect.stringContaining('refuses the user') });
    expect(refused.message).not.toContain('wrongpassword');
    expect(await failure(other.run('hub join', { url: invitation, machine: 'laptop' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has this name'),
      cause: expect.objectContaining({ code: 'ZH003' }),
    });
    const early = { ...other.context, clock: () => Date.now() - 5 * 3_600_000 };
    expect(await failure(run(early, 'hub join', { url: invitation, machine: 'other' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('5.0 hours behind'),
    });
    expect(fs.existsSync(membership(other))).toBe(false);
    // The invitation is still valid after all of this.
    await other.run('hub join', { url: invitation, machine: 'other' });
    const third = await newMachine('third');
    expect(await failure(third.run('hub join', { url: invitation, machine: 'third' }))).toMatchObject({
      code: 'NO_PERMISSION',
      message: expect.stringContaining('was used already'),
      cause: expect.objectContaining({ code: 'ZH002' }),
    });
    expect(await failure(other.run('hub join', { url: invitation }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('joined the hub'),
    });
  });

  it('is not made with a clock that is hours off, and is made after that is mended', async () => {
    const database = await cluster.newDatabase();
    const machine = await newMachine('laptop');
    const input = { url: cluster.url(database), as: `person${++people}`, machine: 'laptop' };
    const late = { ...machine.context, clock: () => Date.now() + 3 * 3_600_000 };
    expect(await failure(run(late, 'hub init', input))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('3.0 hours ahead'),
    });
    expect(await cluster.query("SELECT to_regnamespace('holdfast') AS made", [], database)).toEqual([{ made: null }]);
    expect(await machine.run('hub init', input)).toMatchObject({ made: true });
  });

  it('says in `status` that the clock is hours off since the machine joined, and exchanges nevertheless', async () => {
    const { machine } = await joined();
    await machine.session(['the lighthouse']);
    await machine.run('hub share', { project: 'app' });
    expect(await hubCheck(machine)).toMatchObject({ ok: true });
    await machine.session(['the harbour']);
    const late = { ...machine.context, clock: () => Date.now() + 3 * 3_600_000 };
    expect(await run(late, 'hub sync')).toMatchObject({ done: true, pushed: { entries: 1 } });
    expect(await hubCheck(machine)).toMatchObject({
      ...{ ok: false, message: expect.stringContaining('3.0 hours ahead of that of the hub') },
      hint: expect.stringContaining('Set the clock'),
    });
    await machine.sync();
    expect(await hubCheck(machine)).toMatchObject({ ok: true });
  });

  it('invites a person again whose first invitation was lost, and the first one ends', async () => {
    const { machine } = await joined();
    const name = `person${++people}`;
    const [first, second] = [
      addressIn((await machine.run('hub invite', { name })).command),
      addressIn((await machine.run('hub invite', { name })).command),
    ];
    const other = await newMachine('other');
    expect(await failure(other.run('hub join', { url: first, machine: 'other' }))).toMatchObject({
      code: 'NO_PERMISSION',
    });
    expect(await other.run('hub join', { url: second, machine: 'other' })).toMatchObject({ person: name });
    expect(await failure(machine.run('hub invite', { name }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is a member'),
    });
  });

  it('of a newer or older version, of another program, or replaced by another hub is refused', async () => {
    const { machine, database } = await joined();
    const change = (sql: string) => cluster.query(sql, [], database);
    await change('UPDATE holdfast.hub SET version = 99');
    expect(await failure(machine.sync())).toMatchObject({
      code: 'STORE_NEWER',
      hint: expect.stringContaining('Update Holdfast'),
    });
    expect(await failure(machine.run('hub init', { url: cluster.url(database) }))).toMatchObject({
      code: 'STORE_NEWER',
    });
    await change('UPDATE holdfast.hub SET version = 0');
    expect(await failure(machine.sync())).toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('hub init'),
    });
    await change(`UPDATE holdfast.hub SET version = ${hubVersion}, id = gen_random_uuid()`);
    expect(await failure(machine.sync())).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('another hub'),
    });

    const foreign = await cluster.newDatabase();
    await cluster.query('CREATE SCHEMA holdfast; CREATE TABLE holdfast.hub (something text)', undefined, foreign);
    const other = await newMachine('other');
    expect(await failure(other.run('hub init', { url: cluster.url(foreign), as: 'zoe' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('another program'),
    });
    expect(await cluster.query("SELECT count(*)::int AS n FROM pg_roles WHERE rolname = 'holdfast_zoe'")).toEqual([
      { n: 0 },
    ]);
    expect(await failure(other.run('hub join', { url: `${cluster.url('postgres')}#x` }))).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no hub'),
    });
    expect(
      await failure(other.run('hub init', { url: cluster.url(await cluster.newDatabase()), as: 'Not a name' })),
    ).toMatchObject({ code: 'BAD_INPUT' });
    expect(await failure(other.sync())).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('has not joined a hub'),
    });
  });

  it('that was restored from an older backup is complete again after an exchange', async () => {
    const { machine, database } = await joined();
    await machine.session(['first']);
    await machine.run('hub share', { project: 'app' });
    await machine.session(['second']);
    await machine.session(['third']);
    await machine.sync();
    // The hub as it was before the last two pushes.
    await cluster.query(
      `DELETE FROM holdfast.entries WHERE seq > 1; DELETE FROM holdfast.batches WHERE seq > 2;
       UPDATE holdfast.hub SET seq = 2; UPDATE holdfast.machines SET pushed = 1, mark = gen_random_uuid()`,
      undefined,
      database,
    );
    await machine.sync();
    const count = async () =>
      (await cluster.query('SELECT count(*)::int AS n FROM holdfast.entries', [], database))[0]?.n;
    expect(await count()).toBe(3);
    const other = await newMachine('other');
    await other.run('hub join', { url: addressIn((await machine.run('hub invite')).command), machine: 'other' });
    await other.sync();
    expect((await other.store.entries.counts()).entries).toBe(3);
  });
});
