// What a teammate sees, hides and loses, and what the commands say about it. A real PostgreSQL.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { prompt } from '../contracts/transcript-builder.ts';
import {
  addressIn,
  type Cluster,
  type Machine,
  newMachine,
  noPostgres,
  openCluster,
  twoMembers,
} from '../hub-stand.ts';

/** The first page is whole, all others are not. */
const torn = (pages: Buffer): Buffer => pages.fill(7, 4096);

describe.skipIf(noPostgres)(because('a teammate', noPostgres), () => {
  let cluster: Cluster;
  let hubs = 0;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  const members = () => twoMembers(cluster, { anna: `anna${++hubs}`, bob: `bob${hubs}` });
  const teamTexts = (machine: Machine, id: string) =>
    machine.team(async (store) => (await store.entries.transcript('claude-code', id)).map(({ text }) => text));
  const found = async (machine: Machine, query: string) =>
    ((await machine.run('search', { query, scope: 'team' })) as { hits: unknown[] }).hits.length;

  it('loses what is no longer shared with the team, and gets it back when it is', async () => {
    const { annas, bobs } = await members();
    await bobs.session(['mine']);
    const id = await annas.session(['the lighthouse']);
    const seen = [];
    for (const audience of ['team', 'me', 'team']) {
      await annas.run('hub share', { project: 'app', with: audience });
      await bobs.sync();
      seen.push([await teamTexts(bobs, id), await found(bobs, 'lighthouse')]);
    }
    expect(seen).toEqual([
      [['the lighthouse'], 1],
      [[], 0],
      [['the lighthouse'], 1],
    ]);
  });

  it('hides a session that is only in the hub, because its repository is not on this machine', async () => {
    const { annas, database } = await members();
    const id = await annas.session(['the noisy foghorn', 'the foghorn again']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    const carls = await newMachine('carls', 'git@github.com:acme/other.git');
    const invitation = addressIn((await annas.run('hub invite', { name: `carl_${database}` })).command);
    await carls.run('hub join', { url: invitation, machine: 'carls' });
    expect(await found(carls, 'foghorn')).toBe(2);
    expect(await carls.run('hub hide', { id })).toMatchObject({ session: id });
    expect([await found(carls, 'foghorn'), await found(annas, 'foghorn')]).toEqual([0, 2]);
    // Hiding it again changes nothing. One's own session, and one that no one shares, are refused.
    expect(await carls.run('hub hide', { id })).toMatchObject({ session: id });
    await expect(annas.run('hub hide', { id })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      hint: expect.stringContaining('holdfast forget'),
    });
    await expect(carls.run('hub hide', { id: 'nothing' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('who forgets what they said in a session of another person takes away what they shared, and nothing of the other', async () => {
    const { annas, bobs, database } = await members();
    const carls = await newMachine('carls');
    const invitation = addressIn((await annas.run('hub invite', { name: `carl_${database}` })).command);
    await carls.run('hub join', { url: invitation, machine: 'carls' });
    await carls.session(['mine']);
    const id = await annas.session(['the lighthouse', 'its lamp']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    // Bob has continued it on his machine: his transcript repeats what Anna said.
    const said = (text: string, at: number) => prompt(`${id}-${at}`, text, at, { sessionId: id, cwd: bobs.folder });
    bobs.write(`p/${id}.jsonl`, [said('the lighthouse', 0), said('its lamp', 1), said('a quiet foghorn', 2)]);
    await bobs.take(`p/${id}.jsonl`);
    await bobs.run('hub share', { project: 'app', with: 'team' });
    await carls.sync();
    expect(await teamTexts(carls, id)).toEqual(['the lighthouse', 'its lamp', 'a quiet foghorn']);
    await bobs.run('forget', { id: `${id}-1`, yes: true });
    await bobs.sync();
    await carls.sync();
    expect(await teamTexts(carls, id)).toEqual(['the lighthouse', 'its lamp', 'a quiet foghorn']);
    await bobs.run('forget', { id, yes: true });
    await bobs.sync();
    await carls.sync();
    expect(await teamTexts(carls, id)).toEqual(['the lighthouse', 'its lamp']);
    expect([await found(carls, 'lighthouse'), await found(carls, 'foghorn')]).toEqual([1, 0]);
    const stored = fs.readFileSync(path.join(carls.config.home, 'team', 'holdfast.db'), 'latin1');
    expect([stored.includes('its lamp'), stored.includes('quiet foghorn')]).toEqual([true, false]);
    await annas.append(id, ['its mirrors'], 5);
    await annas.sync();
    await carls.sync();
    expect(await teamTexts(carls, id)).toEqual(['the lighthouse', 'its lamp', 'its mirrors']);
    expect(await annas.texts(id)).toEqual(['the lighthouse', 'its lamp', 'its mirrors']);
  });

  it('keeps a session that another person shares too when the administrator forgets that of one', async () => {
    const { annas, bobs, database } = await members();
    const id = await annas.session(['the lighthouse']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    bobs.write(`p/${id}.jsonl`, [prompt(`${id}-0`, 'the lighthouse', 0, { sessionId: id, cwd: bobs.folder })]);
    await bobs.take(`p/${id}.jsonl`);
    await bobs.run('hub share', { project: 'app', with: 'team' });
    const { person: bob } = (await bobs.run('hub status')) as { person: string };
    await expect(annas.run('hub forget', { id, yes: true })).rejects.toMatchObject({
      code: 'AMBIGUOUS',
      hint: expect.stringContaining(`${id} ${bob}: `),
    });
    expect(await annas.run('hub forget', { id, person: bob, yes: true })).toMatchObject({ person: bob });
    await bobs.sync();
    await annas.sync();
    expect([await annas.texts(id), await bobs.texts(id)]).toEqual([['the lighthouse'], []]);
    expect(await cluster.query('SELECT count(*)::int AS n FROM holdfast.entries', [], database)).toEqual([{ n: 1 }]);
  });

  it("cannot put a session outside of the repository's folder here", async () => {
    const { annas, bobs, database } = await members();
    await bobs.session(['mine']);
    const id = await annas.session(['from afar']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    await cluster.query(
      `UPDATE holdfast.sessions SET line = jsonb_set(line::jsonb, '{cwd}', to_jsonb((line::jsonb ->> 'project') || '/../../elsewhere'))::text`,
      [],
      database,
    );
    await bobs.sync();
    const folders = await bobs.team(async (store) => (await store.sessions.find(id)).map(({ cwd }) => cwd));
    expect(folders).toEqual([bobs.folder]);
  });

  it.each([
    ['is gone', (file: string) => fs.rmSync(file)],
    ['is no database', (file: string) => fs.writeFileSync(file, 'not a database '.repeat(1000))],
    ['has torn pages', (file: string) => fs.writeFileSync(file, torn(fs.readFileSync(file)))],
  ])(
    'sends everything again when the store with what teammates share %s; what was hidden stays hidden',
    async (_, harm) => {
      const { annas, bobs } = await members();
      const mine = await bobs.session(['mine']);
      const [id, noisy] = [await annas.session(['the lighthouse']), await annas.session(['the noisy foghorn'])];
      await annas.run('hub share', { project: 'app', with: 'team' });
      await bobs.sync();
      await bobs.run('hub hide', { id: noisy });
      const file = path.join(bobs.config.home, 'team', 'holdfast.db');
      for (const side of ['-wal', '-shm']) fs.rmSync(file + side, { force: true });
      harm(file);
      const later = await annas.session(['the harbour']);
      await annas.sync();
      expect(await found(bobs, 'harbour')).toBe(1);
      await bobs.sync();
      expect([await teamTexts(bobs, id), await teamTexts(bobs, later), await teamTexts(bobs, noisy)]).toEqual([
        ['the lighthouse'],
        ['the harbour'],
        [],
      ]);
      expect([await found(bobs, 'foghorn'), await bobs.texts(mine)]).toEqual([0, ['mine']]);
      expect(await bobs.sync()).toMatchObject({ done: true, pulled: { entries: 0, taken: 0 } });
    },
  );

  it('is told by `unshare` and `leave` what is removed, and what stays', async () => {
    const { annas, bobs } = await members();
    const mine = await bobs.session(['mine']);
    const id = await annas.session(['the lighthouse']);
    await annas.run('hub share', { project: 'app', with: 'team' });
    await bobs.run('hub share', { project: 'app', with: 'team' });
    expect(await teamTexts(bobs, id)).toEqual(['the lighthouse']);
    const team = path.join(bobs.config.home, 'team');
    expect(await bobs.run('hub leave', { yes: true })).toMatchObject({
      left: true,
      removed: expect.stringMatching(/what teammates shared with you, are removed from this machine/),
      stays: expect.stringMatching(/Your own memory stays here.*What you shared stays in the hub/),
    });
    expect([fs.existsSync(team), await bobs.texts(mine)]).toEqual([false, ['mine']]);
    expect(await found(annas, 'mine')).toBe(1);
    expect(await annas.run('hub unshare', { project: 'app', yes: true })).toMatchObject({
      ...{ unshared: true, entries: 1 },
      stays: expect.stringMatching(/stored on this machine stays here.*cannot reach copies/),
    });
    expect([await annas.texts(id), await found(annas, 'mine')]).toEqual([['the lighthouse'], 1]);
  });

  it('that leaves and comes back, or is revoked and invited again, sends everything once', async () => {
    const { annas, bobs, database } = await members();
    await bobs.session(['mine']);
    const id = await annas.session(['the lighthouse', 'and the harbour']);
    await annas.run('remember', { text: 'the port is 8080', key: 'port', project: 'app' });
    await annas.run('hub share', { project: 'app', with: 'team' });
    await bobs.run('hub share', { project: 'app', with: 'team' });
    const held = async () =>
      (
        await cluster.query(
          `SELECT 'entry' AS what, uuid AS name FROM holdfast.entries UNION ALL SELECT 'transcript', key FROM holdfast.transcripts
           UNION ALL SELECT kind, key FROM holdfast.rows WHERE line IS NOT NULL UNION ALL SELECT 'share', entries::text FROM holdfast.shares ORDER BY 1, 2`,
          [],
          database,
        )
      ).map(({ what, name }) => `${what} ${name}`);
    await annas.sync();
    const before = await held();
    expect(before).toContain(`entry ${id}-0`);
    const { person: bob } = (await bobs.run('hub status')) as { person: string };
    for (const [machine, name] of [
      [bobs, bob],
      [annas, undefined],
    ] as const) {
      const inviting = machine === bobs ? annas : bobs;
      if (name !== undefined) await inviting.run('hub revoke', { name, yes: true });
      const invited = name === undefined ? machine : inviting;
      const url = name === undefined ? addressIn((await invited.run('hub invite')).command) : undefined;
      await machine.run('hub leave', { yes: true });
      const invitation = url ?? addressIn((await inviting.run('hub invite', { name })).command);
      await machine.run('hub join', { url: invitation, machine: machine.name });
      await machine.sync();
      expect(await held(), machine.name).toEqual(before);
    }
    await bobs.append('bobs-1', ['and more of mine'], 1);
    await bobs.sync();
    await annas.sync();
    expect(await teamTexts(annas, 'bobs-1')).toEqual(['mine', 'and more of mine']);
    expect(await teamTexts(bobs, id)).toEqual(['the lighthouse', 'and the harbour']);
    expect(await found(annas, 'mine')).toBe(2);
  });

  it('becomes the administrator with the address of one, when the machine of the first is lost', async () => {
    const { annas, bobs, database } = await members();
    const invite = () => bobs.run('hub invite', { name: `carl_${database}` });
    await expect(invite()).rejects.toMatchObject({
      code: 'NO_PERMISSION',
      hint: expect.stringContaining('hub init'),
    });
    const known = () => fs.readFileSync(path.join(bobs.config.home, 'hub.json'), 'utf8');
    const before = known();
    const { url } = JSON.parse(before) as { url: string };
    await expect(bobs.run('hub init', { url })).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    expect(known()).toBe(before);
    expect(await bobs.run('hub init', { url: cluster.url(database) })).toMatchObject({ made: false, machine: 'bobs' });
    expect(await invite()).toMatchObject({ isNew: true });
    expect(fs.statSync(path.join(bobs.config.home, 'hub.json')).mode & 0o777).toBe(0o600);
    const { person } = (await annas.run('hub status')) as { person: string };
    expect(await bobs.run('hub revoke', { name: person, yes: true })).toMatchObject({ machines: 1 });
    await expect(annas.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  });
});
