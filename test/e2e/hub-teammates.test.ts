// What a teammate sees, hides and loses, and what the commands say about it. A real PostgreSQL.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import {
  addressIn,
  type Cluster,
  type Machine,
  newMachine,
  noPostgres,
  openCluster,
  twoMembers,
} from '../hub-stand.ts';

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
});
