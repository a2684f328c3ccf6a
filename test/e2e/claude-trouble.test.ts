// Whatever is wrong with Holdfast, the real client does its work, with -p and at a terminal, and shows no sign of the trouble.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { clientCases, eventually, isMissing, type Machine, machine, workerPid } from './claude.ts';
import { ask, isAlive, temporaryFolder, until } from './holdfast.ts';
import type { Step } from './mock-anthropic.ts';
import { itOnSmallDisk, noMount, type SmallDisk, smallDisk } from './small-disk.ts';
import { noTerminal } from './terminal.ts';

const script: Step[] = [
  { tool: 'Bash', input: { command: 'echo one' } },
  { tool: 'Bash', input: { command: 'echo two' } },
  { text: 'The tide is in.' },
];
const allowed = ['--allowedTools', 'Bash'];

async function listen(server: net.Server, port: number): Promise<void> {
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    if (server instanceof http.Server) server.closeAllConnections();
  });
}

/** Writes a line for the program that reads the pipe, if there is one. */
function feed(pipe: string): void {
  try {
    const end = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(end, 'one\n');
    closeSync(end);
  } catch {
    // The pipe has no reader.
  }
}

/** Everything that the client has written into its transcripts. */
function written({ env }: Machine): string {
  const folder = path.join(String(env.HOME), '.claude', 'projects');
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('');
}

/** Each entry leaves the machine in trouble. */
const troubles: Readonly<Record<string, (own: Machine) => Promise<void>>> = {
  'a data folder that is gone': async (own) => rmSync(own.home, { recursive: true }),
  'a worker that cannot start': async (own) =>
    writeFileSync(`${own.home}/holdfast.db`, 'this is no database'.repeat(500)),
  'a silent stranger on the port': (own) => listen(net.createServer(), own.port),
  'a stranger who answers 500': (own) =>
    listen(
      http.createServer((_, response) => response.writeHead(500).end('boom')),
      own.port,
    ),
  'a stranger who talks nonsense': (own) =>
    listen(
      http.createServer((_, response) => response.end('<html>')),
      own.port,
    ),
  'a frozen worker': async (own) => {
    await ask(own.env, 'worker', 'start');
    await eventually(own, ['worker', 'status'], ({ http: { open } }) => open);
    const pid = workerPid(own) as number;
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  },
};

/** Troubles that need a separate disk for the data folder. */
const diskTroubles: Readonly<Record<string, (disk: SmallDisk) => void>> = {
  'a full disk': (disk) => disk.fill(),
  'a data folder that cannot be written': (disk) => disk.protect(true),
};

describe.each(clientCases())('Claude Code %s%s', (version) => {
  describe.skipIf(isMissing(version) || noTerminal)(because('on a separate disk', noTerminal), () => {
    itOnSmallDisk.each(Object.entries(diskTroubles))(
      because('2. continues in silence with %s, with -p and at a terminal', noMount),
      async (_, make) => {
        const disk = smallDisk(temporaryFolder(), 40);
        const own = await machine(version, { home: `${disk.path}/data` });
        await ask(own.env, 'install', 'claude-code');
        make(disk);
        const session = await own.claude('And the springtide', script, allowed);
        expect(session).toMatchObject({ code: 0, result: 'The tide is in.', stderr: '' });
        const seat = await own.sit('And the neap tide', script, allowed);
        expect(seat.screen()).not.toMatch(/hook|holdfast:|no space/i);
        await seat.leave();
        disk.protect(false);
      },
    );
  });

  it.skipIf(isMissing(version) || noTerminal).each([
    ['a worker that runs', async (own: Machine) => void (await ask(own.env, 'worker', 'start'))],
    ['a dead worker', async () => {}],
    ['a stranger on the port', (own: Machine) => listen(net.createServer(), own.port)],
    ['a data folder that is gone', async (own: Machine) => rmSync(own.home, { recursive: true })],
  ])(because('2. shows nothing at a terminal with %s', noTerminal), async (_, make) => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    await make(own);
    const seat = await own.sit('And the neap tide', script, allowed);
    expect(seat.screen()).not.toMatch(/hook|holdfast:|error/i);
    await seat.leave();
  });

  it.skipIf(isMissing(version) || noTerminal)(
    because(
      '2 and 3. shows nothing at a terminal when the worker is killed in the middle of a turn, and loses nothing',
      noTerminal,
    ),
    async () => {
      const own = await machine(version);
      await ask(own.env, 'install', 'claude-code');
      await ask(own.env, 'worker', 'start');
      await eventually(own, ['worker', 'status'], ({ http: { open } }) => open);
      const pid = workerPid(own) as number;
      // A tool call that waits for a line, which it gets after the worker is dead.
      const gate = path.join(own.project, 'gate');
      execFileSync('mkfifo', [gate]);
      const wait: Step = { tool: 'Bash', input: { command: 'cat gate' } };
      const sitting = own.sit('And the springtide', [wait, ...script.slice(1)], allowed);
      await Promise.race([sitting, until(() => written(own).includes('cat gate"}'), 'the tool call')]);
      process.kill(pid, 'SIGKILL');
      await until(() => !isAlive(pid), 'the end of the worker');
      // The client looks into a project's files by itself, so the first reader may not be the tool.
      const feeding = setInterval(() => feed(gate), 50);
      const seat = await sitting.finally(() => clearInterval(feeding));
      expect(seat.screen()).not.toMatch(/hook|holdfast:|error/i);
      await seat.leave();
      await ask(own.env, 'worker', 'start');
      await eventually(own, ['search', 'springtide'], ({ hits }) => hits.length > 0);
      const { sessions } = await ask(own.env, 'sessions');
      expect(sessions).toHaveLength(1);
      const stored = () => ask(own.env, 'show', sessions[0].id);
      await until(async () => JSON.stringify((await stored()).entries).includes('The tide is in.'), 'the answer');
      const { entries } = await stored();
      expect(entries.filter(({ text }: { text: string }) => text.includes('springtide'))).toHaveLength(1);
      expect(entries.flatMap(({ toolUses = [] }: { toolUses?: object[] }) => toolUses)).toHaveLength(2);
    },
  );

  it.skipIf(isMissing(version)).each(Object.entries(troubles))('2 and 3. continues with %s', async (name, make) => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    await make(own);
    const session = await own.claude('And the springtide', script, allowed);
    expect(session).toMatchObject({ code: 0, result: 'The tide is in.', stderr: '' });
    expect(session.asked.filter(({ kind }) => kind === 'main')).toHaveLength(script.length);
    if (name === 'a frozen worker') process.kill(workerPid(own) as number, 'SIGCONT');
    if (!name.includes('worker that cannot') && !name.includes('data folder')) {
      // Do not leave this to the hook: on a busy machine the client may end before the hook has begun.
      await ask(own.env, 'worker', 'start');
      // Nothing is lost, neither the transcript nor what only the hook knew.
      await eventually(own, ['search', 'springtide'], ({ hits }) => hits.length > 0);
      const { hits } = await ask(own.env, 'search', 'springtide');
      const ids: string[] = hits.map(({ id }: { id: string }) => id);
      expect(hits[0]).toMatchObject({
        session: session.id,
        role: 'user',
        snippet: expect.stringContaining('springtide'),
      });
      // The rest of the turn may also match, but nothing appears twice.
      expect(new Set(ids).size).toBe(ids.length);
      const { entries } = await ask(own.env, 'show', session.id);
      expect(entries.filter(({ text }: { text: string }) => text.includes('springtide'))).toHaveLength(1);
      await until(async () => {
        const { sessions } = await ask(own.env, 'sessions');
        return sessions.some(({ id }: { id: string }) => id === session.id);
      });
    }
  });
});
