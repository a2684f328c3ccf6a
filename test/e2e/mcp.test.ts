// `holdfast mcp` as a client starts it: a separate process, with the official client at the other end.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, isAlive, type Place, place, program, root, until } from './holdfast.ts';

async function demo(): Promise<Place> {
  const own = place();
  await ask(own.env, 'ingest', '--dir', path.join(root, 'demo'));
  return own;
}

async function connect(own: Place, mode: 'legacy' | 'auto' = 'legacy') {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    env: own.env as Record<string, string>,
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr?.on('data', (text) => {
    complaints += text;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const text = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name, arguments: args });
    return (answer.content as { text: string }[])[0]?.text ?? '';
  };
  return { client, text, pid: transport.pid as number, complaints: () => complaints };
}

/** The bare process and lines of the protocol. */
function start(own: Place): { child: ChildProcess; out: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [program, 'mcp'], { env: own.env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout?.on('data', (text) => {
    said += text;
  });
  return { child, out: () => said, ended: new Promise((resolve) => child.once('close', resolve)) };
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const hello = line({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bare', version: '1' } },
});
const ready = line({ method: 'notifications/initialized' });
const search = line({ id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'redis' } } });

describe('holdfast mcp', () => {
  it.each(['legacy', 'auto'] as const)('serves a client that is %s, without a worker and with one', async (mode) => {
    const own = await demo();
    // A worker would read the texts closely in between, and then rank a few of them differently.
    await ask(own.env, 'embed');
    const { client, text, complaints } = await connect(own, mode);
    expect(client.getInstructions()).toContain('timeline shows what happened around');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['search', 'timeline', 'get', 'sessions', 'projects', 'briefing']),
    );
    const alone = await text('search', { query: 'in-memory queue redis' });
    expect(alone).toContain('«Redis»');
    await ask(own.env, 'worker', 'start');
    onTestFinished(async () => void (await ask(own.env, 'worker', 'stop')));
    await until(async () => (await ask(own.env, 'worker', 'status')).http.open, 'the worker to listen');
    expect(await text('search', { query: 'in-memory queue redis' })).toBe(alone);
    await ask(own.env, 'worker', 'stop');
    expect(await text('search', { query: 'in-memory queue redis' })).toBe(alone);
    expect(complaints()).toBe('');
  });

  it.skipIf(process.platform !== 'linux')(
    'lets the worker search, and opens the memory only for what the worker cannot do',
    async () => {
      const own = await demo();
      await ask(own.env, 'worker', 'start');
      onTestFinished(async () => void (await ask(own.env, 'worker', 'stop')));
      await until(async () => (await ask(own.env, 'worker', 'status')).http.open, 'the worker to listen');
      const opened = (pid: number) =>
        readdirSync(`/proc/${pid}/fd`).some((fd) => {
          try {
            return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(own.database);
          } catch {
            // The file was closed in between.
            return false;
          }
        });
      // A command does not wait for a busy worker, so let the next one ask it.
      await until(async () => {
        const { client, text, pid } = await connect(own);
        expect(await text('search', { query: 'redis' })).toContain('«Redis»');
        if (opened(pid)) return client.close().then(() => false);
        expect(await text('projects')).toContain('courier');
        expect(opened(pid)).toBe(true);
        return true;
      }, 'an answer of the worker');
    },
  );

  it('prints nothing but the protocol, and ends when its input is closed', async () => {
    const own = await demo();
    const { child, out, ended } = start(own);
    child.stdin?.write(hello + ready + search);
    await until(() => out().includes('"id":2'), 'an answer');
    child.stdin?.end();
    expect(await ended).toBe(0);
    const messages = out()
      .trimEnd()
      .split('\n')
      .map((said) => JSON.parse(said));
    expect(messages.map(({ id }) => id)).toEqual([1, 2]);
    expect(messages[1].result.isError).toBeFalsy();
  });

  it('ends on SIGTERM, even before a client has sent anything', async () => {
    const own = await demo();
    const quiet = start(own);
    const busy = start(own);
    busy.child.stdin?.write(hello);
    await until(() => busy.out().includes('"id":1'), 'an answer');
    busy.child.kill('SIGTERM');
    expect(await busy.ended).toBe(0);
    quiet.child.kill('SIGTERM');
    expect([0, null]).toContain(await quiet.ended);
  });

  it.each(['SIGTERM', 'the end of its input'])('ends on %s, even if the client does not read', async (how) => {
    const own = await demo();
    const { child, out, ended } = start(own);
    child.stdin?.write(hello + ready);
    await until(() => out().includes('"id":1'), 'an answer');
    child.stdout?.pause();
    // Far more than the pipe between the two can hold.
    for (let id = 2; id < 100; id++) child.stdin?.write(line({ id, method: 'tools/list', params: {} }));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (how === 'SIGTERM') child.kill('SIGTERM');
    else child.stdin?.end();
    await exited;
    child.stdout?.resume();
    await ended;
  });

  it('ends when its parent is killed, even if another process holds the pipe open', async () => {
    const own = await demo();
    // The parent leaves its end of the pipe to another child, which outlives it.
    const script = `
      const { spawn } = require('node:child_process');
      const server = spawn(process.execPath, [${JSON.stringify(program)}, 'mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
      const other = spawn('sleep', ['60'], { stdio: ['ignore', server.stdin, 'ignore'], detached: true });
      server.stdin.write(${JSON.stringify(hello)});
      server.stdout.once('data', () => console.log(JSON.stringify([server.pid, other.pid])));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', script], { env: own.env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    let said = '';
    parent.stdout.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes('\n'), 'the pids');
    const [server, other] = JSON.parse(said) as [number, number];
    onTestFinished(() => {
      for (const pid of [server, other]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    parent.kill('SIGKILL');
    await until(() => !isAlive(server), 'the end of the server');
    expect(isAlive(other)).toBe(true);
  });

  it('several servers work at once on one store, and none is left behind', async () => {
    const own = await demo();
    const clients = await Promise.all([connect(own), connect(own), connect(own)]);
    const found = await Promise.all(clients.map(({ text }) => text('search', { query: 'redis' })));
    expect(new Set(found).size).toBe(1);
    await Promise.all(clients.map(({ client }) => client.close()));
    await until(() => clients.every(({ pid }) => !isAlive(pid)), 'their end');
  });

  it('answers and names the problem when the store is damaged, and works once it is repaired', async () => {
    const own = place();
    await ask(own.env, 'ingest', '--dir', path.join(root, 'demo'));
    await ask(own.env, 'backup', path.join(own.folder, 'copy.db'));
    for (const side of ['-wal', '-shm']) writeFileSync(`${own.database}${side}`, '');
    writeFileSync(own.database, 'this is no database'.repeat(500));
    const { client, text } = await connect(own);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(await text('projects')).toMatch(/damaged[\s\S]*holdfast restore/);
    await ask(own.env, 'restore', path.join(own.folder, 'copy.db'));
    expect(await text('projects')).toContain('courier');
  });

  it('sees a backup that is restored while it serves', async () => {
    const own = await demo();
    await ask(own.env, 'backup', path.join(own.folder, 'copy.db'));
    const { sessions } = await ask(own.env, 'sessions', '--project', 'turnstile');
    for (const { id } of sessions) await ask(own.env, 'sessions', 'delete', id, '--yes');
    const { text } = await connect(own);
    expect(await text('projects')).not.toContain('turnstile');
    await ask(own.env, 'restore', path.join(own.folder, 'copy.db'));
    expect(await text('projects')).toContain('turnstile');
  });

  it('creates no store before the first call', async () => {
    const own = place();
    const { client, text } = await connect(own);
    await client.listTools();
    expect(existsSync(own.home)).toBe(false);
    expect(await text('projects')).toContain('No sessions are stored yet');
  });
});
