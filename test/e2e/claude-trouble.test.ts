// Whatever is wrong with Holdfast, the real client does its work, with -p and at a terminal, and shows no sign of the trouble.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
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
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { isLong } from '../rounds.ts';
import { clientCases, clientVersions, eventually, isMissing, type Machine, machine, workerPid } from './claude.ts';
import { ask, holdfast, isAlive, temporaryFolder, until } from './holdfast.ts';
import type { Step } from './mock-anthropic.ts';
import { itOnSmallDisk, noMount, type SmallDisk, smallDisk } from './small-disk.ts';
import { noTerminal } from './terminal.ts';

const script: Step[] = [
  { tool: 'Bash', input: { command: 'echo one' } },
  { tool: 'Bash', input: { command: 'echo two' } },
  { text: 'The tide is in.' },
];
const allowed = ['--allowedTools', 'Bash'];
/** What a person must never see. Tools and paths in the screen do not match it. */
const trouble = /hook|holdfast:|error|no space/i;

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

/** Leaves the machine in trouble. Resolves with what ends the trouble. */
type Trouble = (own: Machine) => Promise<() => unknown>;

const stranger =
  (server: () => net.Server): Trouble =>
  async (own) => {
    await listen(server(), own.port);
    // The port stays taken: the worker does without it.
    return () => {};
  };

const troubles: Readonly<Record<string, Trouble>> = {
  'a worker that runs': async (own) => {
    await ask(own.env, 'worker', 'start');
    return () => {};
  },
  'a dead worker': async () => () => {},
  'a data folder that is gone': async (own) => {
    const file = path.join(own.home, 'config.json');
    const config = readFileSync(file);
    rmSync(own.home, { recursive: true });
    return () => {
      mkdirSync(own.home, { recursive: true, mode: 0o700 });
      writeFileSync(file, config, { mode: 0o600 });
    };
  },
  'a worker that cannot start': async (own) => {
    writeFileSync(`${own.home}/holdfast.db`, 'this is no database'.repeat(500));
    // A worker that the hook has started may still be looking at the file.
    return () => until(async () => (await holdfast(own.env, 'recover', '--json')).code === 0, 'the recovery');
  },
  'a silent stranger on the port': stranger(() => net.createServer()),
  'a stranger who answers 500': stranger(() => http.createServer((_, response) => response.writeHead(500).end('boom'))),
  'a stranger who talks nonsense': stranger(() => http.createServer((_, response) => response.end('<html>'))),
  'a frozen worker': async (own) => {
    await ask(own.env, 'worker', 'start');
    await eventually(own, ['worker', 'status'], ({ http: { open } }) => open);
    const pid = workerPid(own) as number;
    process.kill(pid, 'SIGSTOP');
    const thaw = () => process.kill(pid, 'SIGCONT');
    onTestFinished(() => void thaw());
    return thaw;
  },
};

/** Troubles that need a separate disk for the data folder. */
const diskTroubles: Readonly<Record<string, (disk: SmallDisk) => () => unknown>> = {
  'a full disk': (disk) => {
    disk.fill();
    return disk.grow;
  },
  'a data folder that cannot be written': (disk) => {
    disk.protect(true);
    return () => disk.protect(false);
  },
};

/** With -p: one turn with two tool calls. Resolves with the session's id. */
async function print(own: Machine, prompt: string): Promise<string> {
  const session = await own.claude(prompt, script, allowed);
  expect(session).toMatchObject({ code: 0, result: 'The tide is in.', stderr: '' });
  expect(session.asked.filter(({ kind }) => kind === 'main')).toHaveLength(script.length);
  for (const { event, outcome, output } of session.hooks)
    expect({ event, outcome, output: output.startsWith('{') ? '' : output }).toEqual({
      ...{ event, outcome: 'success', output: '' },
    });
  return session.id;
}

/** The same at a terminal, until the client has left. */
async function sitDown(own: Machine, prompt: string): Promise<void> {
  const seat = await own.sit(prompt, script, allowed);
  expect(seat.screen()).not.toMatch(trouble);
  expect(await seat.leave()).not.toMatch(trouble);
}

/** Whether the prompt and its answer are stored. To poll the store takes less than a command. */
function isAnswered(own: Machine, prompt: string): boolean {
  let db: Database.Database | undefined;
  try {
    db = new Database(path.join(own.home, 'holdfast.db'), { readonly: true, fileMustExist: true });
    const sql = `SELECT 1 FROM entries p JOIN entries a ON a.session_id = p.session_id
      WHERE p.role = 'user' AND instr(p.text, ?) > 0 AND a.role = 'assistant' AND a.text = 'The tide is in.'`;
    return db.prepare(sql).get(prompt) !== undefined;
  } catch {
    // There is no store yet, or it is being written.
    return false;
  } finally {
    db?.close();
  }
}

/** Each of these prompts is stored once, with both tool calls and the answer, in a session of its own. Resolves with those. */
async function stored(own: Machine, prompts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const prompt of prompts) {
    await until(async () => {
      // Do not leave this to the hook: on a busy machine the client may end before the hook has begun. A worker that
      // the trouble has ended is started again.
      if (workerPid(own) === undefined) await holdfast(own.env, 'worker', 'start');
      return isAnswered(own, prompt);
    }, `the answer to ${prompt}`);
    const { hits } = await eventually(
      own,
      ['search', `"${prompt}"`, '--role', 'user'],
      (answer) => answer.hits.length > 0,
    );
    const [{ session }] = hits;
    const { entries } = (await ask(own.env, 'show', session)) as { entries: { text: string; toolUses?: object[] }[] };
    expect(entries.filter(({ text }) => text.includes(prompt))).toHaveLength(1);
    expect(entries.flatMap(({ toolUses = [] }) => toolUses)).toHaveLength(2);
    found.push(session);
  }
  expect((await ask(own.env, 'sessions')).sessions).toHaveLength(prompts.length);
  return found;
}

type Mode = 'with -p' | 'at a terminal';
const modes: readonly Mode[] = ['with -p', 'at a terminal'];

/** The first client that runs ends these troubles, so each mode needs its own machine. */
const passing = ['a dead worker', 'a data folder that is gone'];

/**
 * The newest client meets each trouble in both modes. `npm test` tries each older one in every trouble and in both modes, but not in every
 * pair of them.
 */
function cases(version: string): [trouble: string, modes: readonly Mode[], make: Trouble][] {
  return Object.entries(troubles).flatMap(([name, make], i): [string, readonly Mode[], Trouble][] => {
    if (version !== clientVersions[0] && !isLong) return [[name, modes.slice(i % 2, (i % 2) + 1), make]];
    return passing.includes(name) ? modes.map((mode) => [name, [mode], make]) : [[name, modes, make]];
  });
}

describe.each(clientCases())('Claude Code %s%s', (version) => {
  describe.skipIf(isMissing(version) || noTerminal)(because('on a separate disk', noTerminal), () => {
    itOnSmallDisk.each(Object.entries(diskTroubles))(
      because('2 and 3. shows nothing with %s, with -p and at a terminal, and loses nothing', noMount),
      async (_, make) => {
        const disk = smallDisk(temporaryFolder(), 40);
        const own = await machine(version, { home: `${disk.path}/data` });
        await ask(own.env, 'install', 'claude-code');
        const end = make(disk);
        await print(own, 'And the springtide');
        await sitDown(own, 'And the neap tide');
        end();
        await stored(own, ['And the springtide', 'And the neap tide']);
      },
    );
  });

  it
    .skipIf(isMissing(version) || noTerminal)
    .each(cases(version).map(([name, some, make]) => [`${name}, ${some.join(' and ')}`, some, make] as const))(
    because('2 and 3. shows nothing with %s, and loses nothing', noTerminal),
    async (_, some, make) => {
      const own = await machine(version);
      await ask(own.env, 'install', 'claude-code');
      const end = await make(own);
      const prompts = some.map((mode) => (mode === 'with -p' ? 'And the springtide' : 'And the neap tide'));
      let printed: string | undefined;
      for (const [i, mode] of some.entries()) {
        const prompt = prompts[i] as string;
        if (mode === 'with -p') printed = await print(own, prompt);
        else await sitDown(own, prompt);
      }
      await end();
      // Neither the transcript nor what only the hook knew is lost.
      const sessions = await stored(own, prompts);
      if (printed !== undefined) expect(sessions).toContain(printed);
    },
  );

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
      expect(seat.screen()).not.toMatch(trouble);
      expect(await seat.leave()).not.toMatch(trouble);
      await stored(own, ['And the springtide']);
    },
  );
});
