// Several machines of one person change one memory at once: all machines end with the same pages, and every version is in the history. A
// real PostgreSQL. The test prints its seed, and HUB_SEED repeats a run.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryVersion } from '../../src/schema/memory.ts';
import { because } from '../because.ts';
import { addressIn, type Cluster, type Machine, newMachine, noPostgres, openCluster } from '../hub-stand.ts';

const steps = Number(process.env.HUB_STEPS ?? 60);
const page = 'projects/app/overview.md';

describe.skipIf(noPostgres)(because('memory on several machines', noPostgres), () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await openCluster();
  });
  afterAll(() => cluster.close());

  /** Machines of one person that share the project with each other. */
  async function machinesOf(...names: string[]) {
    const database = await cluster.newDatabase();
    const machines: Machine[] = [];
    for (const name of names) {
      const machine = await newMachine(name);
      await machine.session([`work on ${name}`]);
      const [first] = machines;
      if (first === undefined)
        await machine.run('hub init', { url: cluster.url(database), as: `anna_${database}`, machine: name });
      else await machine.run('hub join', { url: addressIn((await first.run('hub invite')).command), machine: name });
      machines.push(machine);
    }
    await machines[0]?.run('hub share', { project: 'app' });
    return { machines, database };
  }

  const file = (machine: Machine) => path.join(machine.config.memoryPath, page);
  const text = (machine: Machine) => (fs.existsSync(file(machine)) ? fs.readFileSync(file(machine), 'utf8') : '');
  const look = (machine: Machine) => machine.run('memory list', { limit: 200 });
  const remember = (machine: Machine, key: string, said: string) =>
    machine.run('remember', { text: said, key, project: 'app' });
  const idOf = async (machine: Machine, part: string) => {
    const memories = await machine.store.memory.list({ page });
    const found = memories.find((one) => one.text.includes(part));
    if (found === undefined) throw new Error(`${machine.name} has no memory with ${part}: ${text(machine)}`);
    return found.id;
  };
  async function settle(machines: readonly Machine[], rounds = 3) {
    for (const machine of machines) await look(machine);
    for (let round = 0; round < rounds; round++)
      for (const machine of machines) {
        await machine.sync();
        await look(machine);
      }
  }
  const versions = async (machine: Machine, part: string) => {
    const { memories } = (await machine.run('memory history', { name: await idOf(machine, part) })) as unknown as {
      memories: { versions: MemoryVersion[] }[];
    };
    return memories.flatMap(({ versions: all }) => all.map((one) => one.text));
  };

  it('of two edits of one line the later one wins everywhere, and both are in its history', async () => {
    const { machines } = await machinesOf('laptop', 'server');
    const [laptop, server] = machines as [Machine, Machine];
    await remember(laptop, 'port', 'the port is 8080');
    await settle(machines);
    await laptop.run('memory edit', { name: await idOf(laptop, '8080'), text: 'the port is 9090' });
    await server.run('memory edit', { name: await idOf(server, '8080'), text: 'the port is 7070' });
    // The laptop exchanges first and last: the order of exchanges decides nothing.
    await settle([laptop, server, laptop]);
    for (const machine of machines) {
      expect(text(machine), machine.name).toContain('7070');
      expect(text(machine), machine.name).not.toContain('9090');
      expect((await versions(machine, '7070')).join('\n')).toMatch(/8080[\s\S]*9090[\s\S]*7070/);
    }
    expect(text(laptop)).toBe(text(server));
  });

  it('keeps the lines that a person added on both machines, which had no id in common', async () => {
    const { machines } = await machinesOf('laptop', 'server');
    const [laptop, server] = machines as [Machine, Machine];
    await remember(laptop, 'port', 'the port is 8080');
    await settle(machines);
    fs.appendFileSync(file(laptop), '- a line of the laptop\n');
    fs.appendFileSync(file(server), '- a line of the server\n');
    await settle(machines);
    for (const machine of machines) {
      expect(text(machine), machine.name).toContain('a line of the laptop');
      expect(text(machine), machine.name).toContain('a line of the server');
    }
    expect(text(laptop)).toBe(text(server));
  });

  it('a memory forgotten on one machine is forgotten on all and in the hub, and can be remembered again later', async () => {
    const { machines, database } = await machinesOf('laptop', 'server');
    const [laptop, server] = machines as [Machine, Machine];
    await remember(laptop, 'port', 'the port is 8080');
    await remember(laptop, 'day', 'deploys happen on Tuesdays');
    await settle(machines);
    fs.appendFileSync(file(server), '- the harbour is closed\n');
    await settle(machines);
    await laptop.run('memory forget', { name: await idOf(laptop, '8080'), yes: true });
    await laptop.run('memory forget', { name: await idOf(laptop, 'harbour'), yes: true });
    await laptop.sync();
    const inHub = JSON.stringify(await cluster.query('SELECT line FROM holdfast.rows', [], database));
    expect(inHub).not.toContain('8080');
    expect(inHub).not.toContain('harbour');
    await settle(machines);
    for (const machine of machines) {
      expect(text(machine), machine.name).not.toMatch(/8080|harbour/);
      expect(text(machine), machine.name).toContain('Tuesdays');
    }
    await remember(server, 'port', 'the port is 8080');
    await settle(machines);
    for (const machine of machines) expect(text(machine), machine.name).toContain('8080');
  });

  it('whatever happens in whatever order, with clocks that are hours apart, all machines end with one text', async () => {
    let seed = Number(process.env.HUB_SEED ?? Date.now() % 1_000_000);
    console.log(`HUB_SEED=${seed}`);
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return Math.floor((seed / 0x80000000) * below);
    };
    const { machines } = await machinesOf('laptop', 'server', 'home');
    const hour = 3_600_000;
    for (const [i, machine] of machines.entries())
      Object.assign(machine.context, { clock: () => Date.now() + (i - 1) * 2 * hour });
    const keys = ['port', 'day', 'host name', 'name of the host', 'owner'];
    const done: Record<string, number> = {};
    for (let step = 0; step < steps; step++) {
      const machine = machines[random(machines.length)] as Machine;
      const memories = await machine.store.memory.list({ page });
      const one = memories[random(Math.max(1, memories.length))];
      const act = [
        'remember',
        'sync',
        'edit',
        'add',
        'sync',
        'remove',
        'revert',
        'sync',
        'merge',
        'part',
        'forget',
        'sync',
      ][random(12)] as string;
      done[act] = (done[act] ?? 0) + 1;
      const tolerated = (error: unknown) => {
        const { code } = error as { code?: string };
        if (!['NOT_FOUND', 'CONFLICT', 'BAD_INPUT'].includes(code ?? '')) throw error;
      };
      if (act === 'remember')
        await remember(machine, keys[random(keys.length)] as string, `value ${random(20)} of ${step}`);
      else if (act === 'sync') await machine.sync();
      else if (act === 'add') {
        if (text(machine) !== '') fs.appendFileSync(file(machine), `- line ${step} of ${machine.name}\n`);
        await look(machine);
      } else if (act === 'remove') {
        const lines = text(machine).split('\n');
        const items = lines.flatMap((line, at) => (line.startsWith('- ') ? [at] : []));
        const at = items[random(Math.max(1, items.length))];
        if (at !== undefined) fs.writeFileSync(file(machine), lines.filter((_, i) => i !== at).join('\n'));
        await look(machine);
      } else if (act === 'merge') await machine.run('memory consolidate', { apply: true });
      else if (one === undefined) continue;
      else if (act === 'edit')
        await machine.run('memory edit', { name: one.id, text: `edited in step ${step}` }).catch(tolerated);
      else if (act === 'revert') await machine.run('memory revert', { memory: one.id }).catch(tolerated);
      else if (act === 'part') await machine.run('memory consolidate', { undo: one.id }).catch(tolerated);
      else if (act === 'forget' && random(2) === 0)
        await machine.run('memory forget', { name: one.id, yes: true }).catch(tolerated);
    }
    await settle(machines, 4);
    console.log(JSON.stringify(done));
    const rows = async (machine: Machine) => {
      const { edits, statements, merged } = await machine.store.pages.get(page);
      return {
        edits,
        statements: statements.map(({ target, at, text: said }) => [target, at, said]).sort(),
        merged: [...merged].sort(),
      };
    };
    const [first, ...others] = machines as [Machine, ...Machine[]];
    const expected = await rows(first);
    for (const machine of others) {
      expect(await rows(machine), machine.name).toEqual(expected);
      expect(text(machine), machine.name).toBe(text(first));
    }
    for (const machine of machines)
      expect(await machine.sync()).toMatchObject({ pushed: { entries: 0, forgotten: 0 } });
  });
});
