// The hub on a real PostgreSQL: joining, sharing, forgetting, leaving.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { because } from '../because.ts';
import { answer, prompt } from '../contracts/transcript-builder.ts';
import { addressIn, type Cluster, type Machine, newMachine, noPostgres, openCluster } from '../hub-stand.ts';
import { extraction, fact } from '../memory-stand.ts';

describe.skipIf(noPostgres)(because('the hub', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  /** Anna's laptop, her server, and Bob's machine. */
  async function threeMachines() {
    const database = await cluster.newDatabase();
    const [laptop, server, bobs] = [await newMachine('laptop'), await newMachine('server'), await newMachine('bobs')];
    const stamp = `t${database.replace('_', '')}`;
    const [anna, bob] = [`anna_${stamp}`, `bob_${stamp}`];
    await laptop.run('hub init', { url: cluster.url(database), as: anna, machine: 'laptop' });
    await server.run('hub join', { url: addressIn((await laptop.run('hub invite')).command), machine: 'server' });
    await bobs.run('hub join', {
      url: addressIn((await laptop.run('hub invite', { name: bob })).command),
      machine: 'bobs',
    });
    return { laptop, server, bobs, database, anna, bob };
  }
  const texts = async (machine: Machine, id: string) => machine.texts(id);
  const teamTexts = (machine: Machine, id: string) =>
    machine.team(async (store) => (await store.entries.transcript('claude-code', id)).map(({ text }) => text));

  it('shares nothing until it is told to, then with my other machine alone, then with the team', async () => {
    const { laptop, server, bobs } = await threeMachines();
    const id = await laptop.session(['springtide is the port of the staging server', 'and autumn?']);
    await server.session(['unrelated']);
    await bobs.session(['also unrelated']);
    await laptop.sync();
    await server.sync();
    expect(await texts(server, id)).toEqual([]);

    expect(await laptop.run('hub share', { project: 'app' })).toMatchObject({ with: 'me', entries: 2 });
    await server.sync();
    await bobs.sync();
    expect(await texts(server, id)).toEqual(['springtide is the port of the staging server', 'and autumn?']);
    expect(await teamTexts(bobs, id)).toBeUndefined();

    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.sync();
    expect(await teamTexts(bobs, id)).toEqual(['springtide is the port of the staging server', 'and autumn?']);
    expect(await texts(bobs, id)).toEqual([]);
  });

  it('follows a session that continues, and changes nothing when it runs again', async () => {
    const { laptop, server } = await threeMachines();
    const id = await laptop.session(['one', 'two']);
    await laptop.run('hub share', { project: 'app' });
    await server.sync();
    await laptop.append(id, ['three', 'four'], 2);
    expect(await laptop.sync()).toMatchObject({ pushed: { entries: 2 } });
    expect(await server.sync()).toMatchObject({ pulled: { entries: 2 } });
    expect(await texts(server, id)).toEqual(['one', 'two', 'three', 'four']);
    const before = server.rows();
    expect(await laptop.sync()).toMatchObject({ pushed: { entries: 0, sessions: 0 } });
    expect(await server.sync()).toMatchObject({ pulled: { entries: 0 } });
    expect(server.rows().entries).toEqual(before.entries);
    // What came from the hub does not go back to it.
    await server.session(['mine']);
    expect(await server.sync()).toMatchObject({ pushed: { entries: 1 } });
  });

  it('puts the sessions of another machine into the folder of the same repository here', async () => {
    const { laptop, server } = await threeMachines();
    await server.session(['the folder is known']);
    const id = await laptop.session(['from the laptop']);
    await laptop.run('hub share', { project: laptop.folder });
    await server.sync();
    const [session] = await server.store.sessions.find(id);
    expect(session).toMatchObject({ projectPath: server.folder, cwd: server.folder });
  });

  it('forgets everywhere what one machine forgets, and does not bring it back', async () => {
    const { laptop, server, bobs } = await threeMachines();
    await bobs.session(['x']);
    const id = await laptop.session(['the secret plan', 'goes on']);
    const other = await laptop.session(['stays', 'goes']);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await server.sync();
    await bobs.sync();
    // Forget it on the machine that pulled it: the machine belongs to the same person.
    await server.run('forget', { id, yes: true });
    await server.run('forget', { id: `${other}-1`, yes: true });
    await server.sync();
    expect(
      await cluster.query('SELECT count(*)::int AS n FROM holdfast.entries', [], await laptopDatabase(laptop)),
    ).toEqual([{ n: 1 }]);
    await laptop.sync();
    await bobs.sync();
    for (const machine of [laptop, server])
      expect([await texts(machine, id), await texts(machine, other)]).toEqual([[], ['stays']]);
    expect([await teamTexts(bobs, id), await teamTexts(bobs, other)]).toEqual([[], ['stays']]);
    // The transcript still exists: reading it again and pushing again brings nothing back.
    await laptop.ingest({ reimport: true });
    await laptop.sync();
    await server.sync();
    await bobs.sync();
    expect([await texts(server, id), await teamTexts(bobs, id), await texts(laptop, id)]).toEqual([[], [], []]);
  });

  it('takes back from everybody what is no longer shared, and gives it again when it is', async () => {
    const { laptop, server, bobs } = await threeMachines();
    await bobs.session(['x']);
    const id = await laptop.session(['for a while']);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await server.sync();
    await bobs.sync();
    expect(await laptop.run('hub unshare', { project: 'app', yes: true })).toMatchObject({
      unshared: true,
      entries: 1,
    });
    await server.sync();
    await bobs.sync();
    expect([await texts(laptop, id), await texts(server, id), await teamTexts(bobs, id)]).toEqual([
      ['for a while'],
      [],
      [],
    ]);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.sync();
    expect(await teamTexts(bobs, id)).toEqual(['for a while']);
  });

  it("takes back from my other machines what a project's conversations gave when I stop sharing it", async () => {
    const { laptop, server } = await threeMachines();
    const id = await laptop.session(['the lighthouse is on port 8080']);
    const at = Date.parse('2026-03-02T09:00:00Z');
    await laptop.store.memory.saveExtractions([
      {
        row: {
          ...{ agent: 'claude-code', file: `p/${id}.jsonl`, firstPos: 0, firstAt: at, lastAt: at, session: id },
          ...{
            project: 'app',
            group: '',
            by: 'offline',
            json: JSON.stringify(extraction(fact('lighthouse', 'port 8080'))),
          },
        },
        statements: [],
      },
    ]);
    await laptop.run('hub share', { project: 'app' });
    await server.sync();
    await server.run('memory list');
    const facts = path.join(server.config.memoryPath, 'core/facts.md');
    expect([(await server.store.memory.extractions()).length, fs.readFileSync(facts, 'utf8')]).toEqual([
      1,
      expect.stringContaining('8080'),
    ]);
    await laptop.run('hub unshare', { project: 'app', yes: true });
    await server.sync();
    await server.run('memory list');
    expect([await server.store.memory.extractions(), fs.existsSync(facts)]).toEqual([[], false]);
    expect(await laptop.store.memory.extractions()).toHaveLength(1);
  });

  it("lets only the hub's administrator forget any person's session for everybody", async () => {
    const { laptop, server, bobs, bob, database } = await threeMachines();
    await laptop.session(['x']);
    const id = await bobs.session(['the leaked plan', 'goes on']);
    const other = await bobs.session(['stays']);
    await bobs.run('hub share', { project: 'app', with: 'team' });
    await laptop.sync();
    await expect(bobs.run('hub forget', { id, yes: true })).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await expect(server.run('hub forget', { id, yes: true })).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await expect(laptop.run('hub forget', { id: 'bobs-', yes: true })).rejects.toMatchObject({ code: 'AMBIGUOUS' });
    await expect(laptop.run('hub forget', { id: 'nothing', yes: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await laptop.run('hub forget', { id, yes: true })).toMatchObject({
      forgotten: true,
      session: id,
      person: bob,
    });
    expect(await cluster.query('SELECT uuid FROM holdfast.entries', [], database)).toEqual([{ uuid: `${other}-0` }]);
    await laptop.sync();
    await bobs.sync();
    expect([await teamTexts(laptop, id), await teamTexts(laptop, other)]).toEqual([[], ['stays']]);
    expect([await texts(bobs, id), await texts(bobs, other)]).toEqual([[], ['stays']]);
    // The transcript still exists: reading it again and pushing again brings nothing back.
    await bobs.ingest({ reimport: true });
    await bobs.sync();
    await laptop.sync();
    expect([await texts(bobs, id), await teamTexts(laptop, id)]).toEqual([[], []]);
  });

  it('tells in the briefing what teammates did since the last session here', async () => {
    const { laptop, bobs, anna } = await threeMachines();
    await bobs.session(['my own work on the harbour']);
    const id = await laptop.session(['rebuild the lighthouse lamp', 'with mirrors', 'and more mirrors']);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.sync();
    const { text } = (await bobs.run('briefing', { project: bobs.folder })) as { text: string };
    expect(text).toContain('## Teammates since the last session here');
    expect(text).toContain(`${anna}: rebuild the lighthouse lamp (\`${id.slice(0, 8)}\`)`);
    await bobs.session(['later than all of that', ...Array.from({ length: 5 }, (_, i) => `step ${i}`)]);
    expect(((await bobs.run('briefing', { project: bobs.folder })) as { text: string }).text).not.toContain(
      'lighthouse',
    );
    await laptop.run('hub unshare', { project: 'app', yes: true });
    await bobs.sync();
    expect(await bobs.store.hub.note('hub: teammates')).toBe('{}');
  });

  it("continues a teammate's session: the transcript comes from the hub, without forgotten entries", async () => {
    const { laptop, bobs } = await threeMachines();
    await bobs.session(['x']);
    const id = await laptop.session(['the first step', 'the second step', 'the third step']);
    await fillVault({ ...laptop.context, clock: () => Date.now() + 3_600_000 });
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.sync();
    const { command, folder, restored } = (await bobs.run('resume', { session: id, print: true })) as {
      command: string[];
      folder: string;
      restored: string[];
    };
    expect([command.includes(id), folder]).toEqual([true, bobs.folder]);
    const name = fs.realpathSync(bobs.folder).replace(/[^a-zA-Z0-9]/g, '-');
    expect(restored).toEqual([path.join(bobs.root, name, `${id}.jsonl`)]);
    expect(fs.readFileSync(restored[0] ?? '', 'utf8')).toContain('the second step');
    fs.rmSync(restored[0] ?? '');
    await laptop.run('forget', { id: `${id}-1`, yes: true });
    await laptop.sync();
    await bobs.sync();
    const again = await bobs.run('resume', { session: id, print: true }).catch((error: Error) => error.message);
    expect(JSON.stringify(again)).not.toContain('second step');
    const file = path.join(bobs.root, name, `${id}.jsonl`);
    if (fs.existsSync(file)) expect(fs.readFileSync(file, 'utf8')).not.toContain('the second step');
  });

  it("hides a teammate's session for one person alone, permanently", async () => {
    const { laptop, bobs } = await threeMachines();
    await bobs.session(['x']);
    const id = await laptop.session(['the noisy foghorn']);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    await bobs.sync();
    await bobs.run('hub hide', { id });
    await laptop.append(id, ['the foghorn again'], 1);
    await laptop.sync();
    await bobs.sync();
    expect(await teamTexts(bobs, id)).toEqual([]);
    expect(((await bobs.run('search', { query: 'foghorn', scope: 'team' })) as { hits: unknown[] }).hits).toEqual([]);
    expect(await texts(laptop, id)).toHaveLength(2);
  });

  it('never sends out sessions of groups, of ignored folders, or of folders outside a repository', async () => {
    const { laptop, database } = await threeMachines();
    const outside = path.join(laptop.home, 'plain');
    fs.mkdirSync(outside);
    await laptop.session(['shared'], { id: 'open' });
    await laptop.session(['in no repository'], { id: 'plain', cwd: outside });
    const hidden = path.join(laptop.folder, 'hidden');
    fs.mkdirSync(hidden);
    await laptop.session(['ignored since'], { id: 'hidden', cwd: hidden });
    laptop.context.config.ignore satisfies readonly string[];
    const config = { ...laptop.context.config, ignore: [hidden] };
    const { run } = await import('../hub-stand.ts');
    await run({ ...laptop.context, config }, 'hub share', { project: 'app' });
    const rows = await cluster.query('SELECT line FROM holdfast.entries', [], database);
    expect(rows.map(({ line }) => (JSON.parse(String(line)) as { text: string }).text)).toEqual(['shared']);
  });

  it('never sends out a private turn, or what was said during a pause, not in a copy of the transcript either', async () => {
    const { laptop, database } = await threeMachines();
    const place = { sessionId: 'open', cwd: laptop.folder };
    const quiet = { sessionId: 'quiet', cwd: laptop.folder };
    laptop.write('p/open.jsonl', [
      prompt('open-0', 'an open question', 0, place),
      answer('open-1', 'an open answer', 1, place),
      prompt('open-2', '<private>the canary of a turn</private>', 2, place),
      answer('open-3', 'the canary is answered', 3, place),
    ]);
    await laptop.take('p/open.jsonl');
    await laptop.run('pause');
    laptop.write('p/quiet.jsonl', [
      { ...prompt('quiet-0', 'the canary of a pause', 0, quiet), timestamp: new Date().toISOString() },
    ]);
    await laptop.take('p/quiet.jsonl');
    await laptop.run('resume-capture');
    await fillVault(laptop.deps, { quietMs: Number.NEGATIVE_INFINITY });
    await laptop.run('hub share', { project: 'app', with: 'team' });
    const tables = ['transcripts', 'sessions', 'entries', 'rows'];
    const held = await Promise.all(
      tables.map((table) => cluster.query(`SELECT line FROM holdfast.${table}`, [], database)),
    );
    const copies = await cluster.query('SELECT bytes FROM holdfast.copies ORDER BY transcript, part', [], database);
    expect(copies).toHaveLength(1);
    const all = [
      JSON.stringify(held),
      ...copies.map(({ bytes }) => zlib.gunzipSync(bytes as Buffer).toString('utf8')),
    ].join('\n');
    for (const text of ['an open question', 'an open answer']) expect(all.split(text).length).toBeGreaterThan(2);
    expect(all).not.toContain('canary');
  });

  it('redacts what leaves by the rules of the sender', async () => {
    const { laptop, database } = await threeMachines();
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const id = await laptop.session(['begin', 'end']);
    // As if an older version without this rule had stored it.
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(laptop.config.databasePath);
    db.prepare('UPDATE entries SET text = ? WHERE uuid = ?').run(`the key is ${key}`, `${id}-1`);
    db.close();
    await laptop.run('hub share', { project: 'app' });
    const rows = JSON.stringify(await cluster.query('SELECT * FROM holdfast.entries', [], database));
    expect(rows).not.toContain(key);
    expect(rows).toContain('[redacted');
  });

  it('redacts again what comes from a teammate, or from a machine with older rules', async () => {
    const { laptop, server, bobs, database } = await threeMachines();
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const id = await laptop.session(['begin', 'end']);
    await laptop.run('hub share', { project: 'app', with: 'team' });
    // As a program without this rule would have sent it.
    await cluster.query(`UPDATE holdfast.entries SET line = replace(line, 'begin', 'key ${key}')`, [], database);
    await bobs.session(['mine']);
    await bobs.sync();
    const ofBob = String(await teamTexts(bobs, id));
    await cluster.query(`UPDATE holdfast.transcripts SET line = '{"subagent":null,"bornAt":null}'`, [], database);
    await server.sync();
    const ofServer = String(await texts(server, id));
    for (const text of [ofBob, ofServer]) {
      expect(text).toContain('[redacted');
      expect(text).not.toContain(key);
    }
  });

  it('revokes one machine alone, and a person with all machines', async () => {
    const { laptop, server, bobs, bob } = await threeMachines();
    await laptop.run('hub revoke', { machine: 'server', yes: true });
    await expect(server.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await laptop.sync();
    await bobs.sync();
    // A revoked machine has the role's password, and still cannot rejoin by itself.
    const { url } = JSON.parse(fs.readFileSync(path.join(server.config.home, 'hub.json'), 'utf8')) as { url: string };
    await server.run('hub leave', { yes: true });
    await expect(server.run('hub join', { url: `${url}#guess`, machine: 'server2' })).rejects.toMatchObject({
      code: 'NO_PERMISSION',
    });
    await laptop.run('hub revoke', { name: bob, yes: true });
    await expect(bobs.sync()).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await expect(bobs.run('hub invite', { name: 'carl' })).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  });

  it('stores the address for its owner alone, and shows no password', async () => {
    const { laptop } = await threeMachines();
    const file = path.join(laptop.config.home, 'hub.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const { url, secret } = JSON.parse(fs.readFileSync(file, 'utf8')) as { url: string; secret: string };
    const shown = JSON.stringify(await laptop.run('hub status'));
    for (const hidden of [new URL(url).password, secret]) expect(shown).not.toContain(hidden);
    expect(await laptop.run('hub status')).toMatchObject({ joined: true, reachable: true, machine: 'laptop' });
  });

  async function laptopDatabase(machine: Machine): Promise<string> {
    const { url } = JSON.parse(fs.readFileSync(path.join(machine.config.home, 'hub.json'), 'utf8')) as { url: string };
    return new URL(url).pathname.slice(1);
  }
});
