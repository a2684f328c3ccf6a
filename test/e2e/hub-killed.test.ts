// A command of the hub, killed at every call that makes a change durable: its files are complete or absent.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { because } from '../because.ts';
import { addressIn, type Cluster, git, type Machine, newMachine, noPostgres, openCluster } from '../hub-stand.ts';
import { ask, type Place, place } from './holdfast.ts';
import { keepingCalls, killAtEach, noTrace } from './kill-at.ts';

const missing = noPostgres ?? noTrace;

describe.skipIf(missing)(because('killed', missing), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  async function hubOf(person: string): Promise<Machine> {
    const machine = await newMachine('laptop');
    const database = await cluster.newDatabase();
    await machine.run('hub init', { url: cluster.url(database), as: person, machine: 'laptop' });
    return machine;
  }
  const invitation = async (machine: Machine) => addressIn((await machine.run('hub invite')).command);

  it('while it joins, a machine is a member or is not', async () => {
    const laptop = await hubOf('joiner');
    const own = place();
    const file = path.join(own.home, 'hub.json');
    let members = 0;
    const rounds = await killAtEach(
      own,
      async (round) => ['hub', 'join', await invitation(laptop), '--machine', `m${round}`],
      async (round) => {
        if (!fs.existsSync(file)) return;
        members++;
        expect(fs.statSync(file).mode & 0o777).toBe(0o600);
        expect(await ask(own.env, 'hub', 'status')).toMatchObject({
          joined: true,
          reachable: true,
          machine: `m${round}`,
        });
        await ask(own.env, 'hub', 'leave', '--yes');
      },
      { calls: keepingCalls },
    );
    expect([rounds > 2, members > 0]).toEqual([true, true]);
  });

  it("while it takes a teammate's transcript, the agent finds the whole of it or none", async () => {
    const laptop = await hubOf('giver');
    const id = await laptop.session(
      Array.from({ length: 300 }, (_, i) => `step ${i} ${'of the long way '.repeat(20)}`),
    );
    await fillVault({ ...laptop.context, clock: () => Date.now() + 3_600_000 });
    await laptop.run('hub share', { project: 'app' });
    const own: Place = place();
    fs.mkdirSync(own.claude, { recursive: true });
    const folder = path.join(own.folder, 'app');
    fs.mkdirSync(folder, { recursive: true });
    git(folder, 'init', '-q');
    git(folder, 'remote', 'add', 'origin', 'git@github.com:acme/app.git');
    await ask(own.env, 'hub', 'join', await invitation(laptop), '--machine', 'desk');
    await ask(own.env, 'hub', 'sync');
    const whole = fs.readFileSync(path.join(laptop.root, 'p', `${id}.jsonl`));
    const transcripts = () =>
      fs
        .readdirSync(own.claude, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => path.join(own.claude, name));
    let found = 0;
    await killAtEach(
      own,
      () => ['resume', id, '--print'],
      async () => {
        for (const file of transcripts()) {
          found++;
          expect(fs.readFileSync(file).equals(whole)).toBe(true);
          fs.rmSync(file);
        }
      },
      { calls: keepingCalls },
    );
    expect(found).toBeGreaterThan(0);
  });
});
