// The program that a prompt waits for when recallOnPrompt is set, against everything that may answer on the port; and the hook that starts
// the worker.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { proofOf } from '../../src/processes/access/proof.ts';
import { outcomeOf, type Ran } from '../outcome-of.ts';
import { freePort } from './claude.ts';
import { ask, program as bin, holdfast, isAlive, killAll, place, root, until } from './holdfast.ts';

const program = path.join(root, 'bin/holdfast-hook.cjs');
const payload = {
  session_id: '5b0c9b3e-0000-4000-8000-000000000001',
  transcript_path: '/nowhere/5b0c9b3e.jsonl',
  cwd: '/nowhere',
  hook_event_name: 'UserPromptSubmit',
  prompt: '<private>hushhush</private>',
};

function run(home: string, input = JSON.stringify(payload), before: readonly string[] = []): Promise<Ran> {
  const env = { PATH: process.env.PATH, HOME: path.dirname(home) };
  const child = spawn(process.execPath, [...before, program, home], { env, stdio: 'pipe' });
  return outcomeOf(child, input);
}

/** The hook at a session's start, as the client runs it. */
function start(home: string): Promise<Ran> {
  const script = path.join(home, 'hooks', 'claude-code-start.sh');
  const env = { PATH: process.env.PATH, HOME: path.dirname(home), CLAUDE_PROJECT_DIR: '/nowhere' };
  const child = spawn('sh', ['-c', `. '${script}'`], { env, stdio: 'pipe' });
  return outcomeOf(child, JSON.stringify({ ...payload, hook_event_name: 'SessionStart', source: 'startup' }));
}

/** A data folder that knows its port. Its worker ends with the test. */
async function dataFolder() {
  const own = place();
  const port = await freePort();
  mkdirSync(path.join(own.home, 'spool'), { recursive: true });
  writeFileSync(path.join(own.home, 'config.json'), JSON.stringify({ port }));
  const env = { PATH: own.env.PATH, HOME: own.env.HOME, HOLDFAST_HOME: own.home };
  // Includes workers that have only just been started and hold no claim yet.
  onTestFinished(() =>
    until(() => {
      const left = workersOf(own.home);
      killAll(left);
      return left.length === 0;
    }),
  );
  return { ...own, port, env };
}

async function installed() {
  const own = await dataFolder();
  await ask(own.env, 'install', 'claude-code');
  return own;
}

const workersOf = (home: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return text.includes(`HOLDFAST_HOME=${home}\0`) && text.includes('worker\0run') && isAlive(pid);
      } catch {
        return false;
      }
    });

const tokens = { token: 'a'.repeat(64) };

async function withTokens() {
  const own = await dataFolder();
  for (const [name, text] of Object.entries(tokens)) writeFileSync(path.join(own.home, name), text);
  return own;
}

async function listen(server: net.Server, port: number): Promise<void> {
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
}

/** The worker finds the hook's note in the spool. */
async function expectKept({ env, home }: { env: NodeJS.ProcessEnv; home: string }): Promise<void> {
  await until(async () => (await holdfast(env, 'status', '--json')).stdout.includes('"lastReport"'), 'the report');
  await until(() => spooled(home).length === 0, 'an empty spool');
}

const spooled = (home: string) => readdirSync(path.join(home, 'spool'));
const silent = { code: 0, out: '', err: '' };

it('9. the hook starts the missing worker, which learns of the session', async () => {
  const own = await installed();
  expect(await start(own.home)).toEqual(silent);
  await until(async () => (await ask(own.env, 'worker', 'status')).running);
  await expectKept(own);
});

it('9. ten hooks at once start one worker', async () => {
  const own = await installed();
  const all = await Promise.all(Array.from({ length: 10 }, () => start(own.home)));
  for (const ran of all) expect(ran).toEqual(silent);
  await until(async () => (await ask(own.env, 'worker', 'status')).running);
  expect(workersOf(own.home)).toHaveLength(1);
  expect(existsSync(path.join(own.home, 'worker.starting'))).toBe(false);
});

it('9. a killed worker that stays as a zombie, because its parent never reaps it, is replaced', async () => {
  const own = await installed();
  // The shell becomes `sleep`, which never reaps a child.
  const parent = spawn('sh', ['-c', '"$0" "$1" worker run & exec sleep 600', process.execPath, bin], {
    env: own.env,
    stdio: 'ignore',
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  await until(async () => (await ask(own.env, 'worker', 'status')).running);
  const { pid } = await ask(own.env, 'worker', 'status');
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid));
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);

  expect(await ask(own.env, 'worker', 'status')).toMatchObject({ running: false });
  expect(await ask(own.env, 'worker', 'stop')).toMatchObject({ stopped: false });
  expect(await start(own.home)).toEqual(silent);
  await until(async () => (await ask(own.env, 'worker', 'status')).running, 'another worker');
  await expectKept(own);
  expect((await ask(own.env, 'worker', 'start')).alreadyRunning).toBe(true);
});

it('a stranger on the port does not learn the token', async () => {
  const own = await withTokens();
  let heard = '';
  const stranger = http.createServer((request, response) => {
    heard += `${request.method} ${request.url} ${JSON.stringify(request.headers)}`;
    response.end(JSON.stringify({ ok: true, name: 'holdfast', version: '0.1.0', pid: 1, proof: '0'.repeat(64) }));
  });
  await listen(stranger, own.port);
  expect(await run(own.home)).toEqual(silent);
  expect(heard).toContain('/api/health');
  expect(heard).not.toContain(tokens.token);
});

it('a stranger who hangs up after a correct answer does not get the token on the next connection', async () => {
  const own = await withTokens();
  let heard = '';
  const stranger = http.createServer((request, response) => {
    heard += JSON.stringify(request.headers);
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
    response.setHeader('connection', 'close');
    response.end(JSON.stringify({ proof: proofOf(tokens.token, own.port, nonce) }));
  });
  await listen(stranger, own.port);
  expect(await run(own.home)).toEqual(silent);
  expect(heard).not.toContain(tokens.token);
});

const worker = (port: number, answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) =>
  http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    if (url.pathname !== '/api/health') return answer(request, response);
    response.end(JSON.stringify({ proof: proofOf(tokens.token, port, url.searchParams.get('nonce') ?? '') }));
  });

it('answers a prompt with what the past knows, prints nothing if it knows nothing, and leaves no prompt on disk', async () => {
  const own = await withTokens();
  let hookSpecificOutput: object | undefined = {
    hookEventName: 'UserPromptSubmit',
    additionalContext: 'It was the "cache".\nünïcode',
  };
  const asked: string[] = [];
  const server = worker(own.port, (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify({ hookSpecificOutput }));
  });
  await listen(server, own.port);
  const printed = await run(own.home);
  expect(printed).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(printed.out)).toEqual({ hookSpecificOutput });
  expect(asked).toEqual([`POST /api/hooks/claude-code Bearer ${tokens.token}`]);
  hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: 'x'.repeat(50_000) };
  const long = JSON.parse((await run(own.home)).out).hookSpecificOutput.additionalContext;
  expect(long.length).toBeLessThan(10_000);
  hookSpecificOutput = undefined;
  expect(await run(own.home)).toEqual(silent);
  expect(spooled(own.home)).toEqual([]);
});

it('connects where config.json says that the worker is, and to the default port without it', async () => {
  const own = await withTokens();
  rmSync(path.join(own.home, 'config.json'));
  expect(await run(own.home)).toEqual(silent);
});

it.each([
  ['says nothing', () => net.createServer(() => {})],
  ['hangs up', () => net.createServer((socket) => socket.destroy())],
  ['is no HTTP', () => net.createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))],
  ['answers with 500', () => http.createServer((_, response) => response.writeHead(500).end('boom'))],
  ['answers with noise', () => http.createServer((_, response) => response.end('<html>'))],
  [
    'sends for ever',
    () => http.createServer((_, response) => void setInterval(() => response.write('x'.repeat(9999)), 1).unref()),
  ],
])('2. a stranger that %s on the port: the hook prints nothing and exits 0', async (_, make) => {
  const own = await withTokens();
  const server = make();
  await listen(server, own.port);
  expect(await run(own.home)).toEqual(silent);
  expect(spooled(own.home)).toEqual([]);
  if (server instanceof http.Server) server.closeAllConnections();
});

it.each([
  ['fails', (response: http.ServerResponse) => response.writeHead(500).end('{"error":{}}')],
  ['is frozen', () => {}],
])('2. a worker that %s: the hook prints nothing', async (_, answer) => {
  const own = await withTokens();
  const server = worker(own.port, (__, response) => void answer(response));
  await listen(server, own.port);
  expect(await run(own.home)).toEqual(silent);
  server.closeAllConnections();
});

it.each(['', '{', 'null', '[]', '"text"', 'xxx'])('an input that is not a payload (%j) does nothing', async (input) => {
  const own = await withTokens();
  const server = worker(own.port, (_, response) => void response.end('a briefing'));
  await listen(server, own.port);
  expect(await run(own.home, input)).toEqual(silent);
  expect(spooled(own.home)).toEqual([]);
});

it('without a data folder, and with bad arguments, it prints nothing and exits 0', async () => {
  const own = await dataFolder();
  rmSync(own.home, { recursive: true });
  writeFileSync(own.home, 'a file in the way');
  expect(await run(own.home)).toEqual(silent);
  rmSync(own.home);
  expect(await run('')).toEqual(silent);
  expect(existsSync(own.home)).toBe(false);
});

it('a worker whose data folder is removed ends', async () => {
  const own = await dataFolder();
  writeFileSync(path.join(own.home, 'config.json'), JSON.stringify({ port: own.port, pollIntervalMs: 200 }));
  await ask(own.env, 'worker', 'start');
  // The worker takes its claim before it opens the store, and opening creates a missing folder.
  const health = `http://127.0.0.1:${own.port}/api/health`;
  await until(async () => (await fetch(health).catch(() => undefined))?.ok === true, 'the worker to answer');
  rmSync(own.home, { recursive: true });
  await until(() => workersOf(own.home).length === 0, 'the worker to end');
  expect(existsSync(own.home)).toBe(false);
});

it('a part of the worker, or a worker that a hook starts late, does not bring back a removed data folder', async () => {
  const own = await dataFolder();
  rmSync(own.home, { recursive: true });
  for (const command of [['ingest'], ['backup', '--rotate'], ['worker', 'run']]) {
    const { code, stderr } = await holdfast({ ...own.env, HOLDFAST_PART: '1' }, ...command);
    expect({ command, code, named: stderr.includes(own.home) }).toEqual({ command, code: 3, named: true });
  }
  expect(existsSync(own.home)).toBe(false);
});
