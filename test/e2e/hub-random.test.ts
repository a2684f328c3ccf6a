// Machines work, exchange, are killed, go away and forget in random order, against a server that is killed too. In the end all machines and
// the hub hold the same data. Real processes and a real PostgreSQL. The test prints its seed, and HUB_SEED repeats a run.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { bytesOf, prompt } from '../contracts/transcript-builder.ts';
import { addressIn, type Cluster, git, noPostgres, openCluster } from '../hub-stand.ts';
import { rounds } from '../rounds.ts';
import { launch, type Place, place } from './holdfast.ts';

const steps = Number(process.env.HUB_STEPS ?? rounds(24, 120));

interface Machine extends Place {
  readonly name: string;
  readonly person: string;
  readonly folder: string;
  readonly sessions: { readonly id: string; entries: number }[];
}

describe.skipIf(noPostgres)(because('in any order', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    // As in production: committed data is on disk when the server is killed.
    cluster = await openCluster({ fsync: 'on' });
  });
  afterAll(() => cluster.close());

  it('machines that push and pull, are killed and come back, end with equal sets', async () => {
    let seed = Number(process.env.HUB_SEED ?? Date.now() % 1_000_000);
    console.log(`HUB_SEED=${seed}`);
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return Math.floor((seed / 0x80000000) * below);
    };
    const database = await cluster.newDatabase();
    const machines = ['anna/laptop', 'anna/server', 'bob/desk', 'bob/home'].map((who) => newMachine(who));
    const holdfast = async (machine: Machine, ...words: string[]) => {
      const { code, stdout, stderr } = await launch(machine.env, [...words, '--json']).ended;
      expect(code, `${machine.name}: ${words.join(' ')}: ${stderr}`).toBe(0);
      return JSON.parse(stdout || '{}') as Record<string, unknown>;
    };
    const [laptop, server, desk, home] = machines as [Machine, Machine, Machine, Machine];
    for (const machine of machines) await work(machine, holdfast);
    await holdfast(laptop, 'hub', 'init', cluster.url(database), '--as', 'anna', '--machine', 'laptop');
    await holdfast(
      server,
      'hub',
      'join',
      addressIn((await holdfast(laptop, 'hub', 'invite')).command),
      '--machine',
      'server',
    );
    await holdfast(
      desk,
      'hub',
      'join',
      addressIn((await holdfast(laptop, 'hub', 'invite', 'bob')).command),
      '--machine',
      'desk',
    );
    await holdfast(
      home,
      'hub',
      'join',
      addressIn((await holdfast(desk, 'hub', 'invite')).command),
      '--machine',
      'home',
    );
    await holdfast(laptop, 'hub', 'share', 'app', '--with', 'team');
    await holdfast(desk, 'hub', 'share', 'app', '--with', 'team');

    const forgotten = new Set<string>();
    const done: Record<string, number> = {};
    for (let step = 0; step < steps; step++) {
      const machine = machines[random(machines.length)] as Machine;
      const act = random(100);
      const note = (what: string) => {
        done[what] = (done[what] ?? 0) + 1;
      };
      if (act < 35) {
        note('work');
        await work(machine, holdfast, random);
      } else if (act < 55) {
        note('sync');
        await holdfast(machine, 'hub', 'sync');
      } else if (act < 80) {
        note('killed');
        const { child, ended } = launch(machine.env, ['hub', 'sync']);
        await sleep(150 + random(900));
        child.kill('SIGKILL');
        await ended;
      } else if (act < 88) {
        note('both at once');
        await Promise.all(machines.map((one) => launch(one.env, ['hub', 'sync', '--json']).ended));
      } else if (act < 94) {
        note('server killed');
        const running = launch(machine.env, ['hub', 'sync']).ended;
        await sleep(random(700));
        await cluster.kill();
        await running;
        await cluster.start();
      } else {
        note('forget');
        const own = machine.sessions[random(machine.sessions.length)];
        if (own === undefined) continue;
        const id = `${own.id}-${random(own.entries)}`;
        if (forgotten.has(id)) continue;
        await holdfast(machine, 'forget', id, '--yes');
        forgotten.add(id);
      }
    }
    // Exchange the rest: each machine once to push, once to pull, and once more for what was forgotten in between.
    for (let round = 0; round < 3; round++) for (const machine of machines) await holdfast(machine, 'hub', 'sync');

    const all = (person: string) =>
      machines
        .filter((one) => one.person === person)
        .flatMap(({ sessions }) =>
          sessions.flatMap(({ id, entries }) => Array.from({ length: entries }, (_, i) => `${id}-${i}`)),
        )
        .filter((id) => !forgotten.has(id))
        .sort();
    console.log(
      JSON.stringify({ ...done, entries: all('anna').length + all('bob').length, forgotten: forgotten.size }),
    );
    for (const person of ['anna', 'bob']) {
      const inHub = await cluster.query(
        `SELECT e.uuid FROM holdfast.entries e JOIN holdfast.shares s ON s.id = e.share JOIN holdfast.people p ON p.id = s.person WHERE p.name = $1 ORDER BY e.uuid`,
        [person],
        database,
      );
      expect(inHub.map(({ uuid }) => uuid).sort(), `the hub, of ${person}`).toEqual(all(person));
    }
    for (const machine of machines) {
      const other = machine.person === 'anna' ? 'bob' : 'anna';
      expect(stored(machine.database), machine.name).toEqual(all(machine.person));
      expect(stored(path.join(machine.home, 'team/holdfast.db')), `${machine.name}, of ${other}`).toEqual(all(other));
      // Nothing is left: the next exchange moves nothing.
      expect(await holdfast(machine, 'hub', 'sync')).toMatchObject({
        pushed: { entries: 0 },
        pulled: { entries: 0, forgotten: 0 },
      });
    }
  });

  function newMachine(who: string): Machine {
    const [person = '', name = ''] = who.split('/');
    const made = place();
    const folder = path.join(made.folder, name, 'app');
    fs.mkdirSync(folder, { recursive: true });
    git(folder, 'init', '-q');
    git(
      folder,
      'remote',
      'add',
      'origin',
      person === 'anna' ? 'git@github.com:acme/app.git' : 'https://github.com/Acme/app',
    );
    return { ...made, name, person, folder, sessions: [] };
  }

  /** A new session, or more of one. */
  async function work(
    machine: Machine,
    holdfast: (machine: Machine, ...words: string[]) => Promise<unknown>,
    random = (_: number) => 0,
  ): Promise<void> {
    const { name, folder, claude, sessions } = machine;
    const known = sessions.length > 0 && random(3) > 0 ? sessions[random(sessions.length)] : undefined;
    const session = known ?? { id: `${name}-${sessions.length}`, entries: 0 };
    if (known === undefined) sessions.push(session);
    const count = 1 + random(30);
    const lines = Array.from({ length: count }, (_, i) => {
      const n = session.entries + i;
      return prompt(`${session.id}-${n}`, `${session.id} says ${n}`, n, { sessionId: session.id, cwd: folder });
    });
    session.entries += count;
    const file = path.join(claude, 'p', `${session.id}.jsonl`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, bytesOf(lines));
    await holdfast(machine, 'ingest');
  }

  function stored(database: string): string[] {
    const db = new Database(database, { readonly: true });
    try {
      return (db.prepare('SELECT uuid FROM entries').pluck().all() as string[]).sort();
    } finally {
      db.close();
    }
  }
});
