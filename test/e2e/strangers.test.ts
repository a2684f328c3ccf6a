// Programs of another user on this machine that have no token and many connections.
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ask, holdfast, launch, type Place, place, root, until } from './holdfast.ts';

/** Opens this many connections, sends something on each, keeps them open, and replaces each one that is closed. */
async function crowd({ env }: Place, count: number): Promise<void> {
  const tools = mkdtempSync(path.join(tmpdir(), 'holdfast-crowd-'));
  onTestFinished(() => rmSync(tools, { recursive: true, force: true }));
  chmodSync(tools, 0o755);
  copyFileSync(path.join(import.meta.dirname, 'crowd.mjs'), path.join(tools, 'crowd.mjs'));
  const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const args = [path.join(tools, 'crowd.mjs'), env.HOLDFAST_PORT as string, String(count)];
  const child = spawn(process.execPath, args, { ...who, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (part) => {
    said += part;
  });
  await until(() => said.includes('crowded'), 'the crowd');
}

const session = 'aaaaaaaa-0000-4000-8000-00000000c0de';
const line = (text: string, n: number) =>
  `${JSON.stringify({ type: 'user', uuid: `c0de${n}`, sessionId: session, timestamp: '2026-03-01T10:00:00.000Z', cwd: '/srv/shop', message: { role: 'user', content: text } })}\n`;

it('300 idle connections of another user do not shut out the owner', async () => {
  const own = place({ claude: path.join(root, 'demo/claude-code/projects') });
  onTestFinished(async () => void (await holdfast(own.env, 'worker', 'stop')));
  await ask(own.env, 'worker', 'start');
  await until(async () => (await ask(own.env, 'worker', 'status')).http.open, 'the worker');
  await crowd(own, 300);
  const token = readFileSync(path.join(own.home, 'token'), 'utf8').trim();
  for (let round = 0; round < 20; round++) {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const { status } = await fetch(`http://127.0.0.1:${own.env.HOLDFAST_PORT}/api/projects`, { headers });
    expect(status).toBe(200);
  }
  expect((await ask(own.env, 'worker', 'status')).http.open).toBe(true);
});

it('a worker with few file descriptors keeps working while strangers hold connections', async () => {
  const own = place();
  const folder = path.join(own.claude, '-srv-shop');
  const running = launch(own.env, ['worker', 'run'], ['sh', '-c', 'ulimit -n 64; exec "$0" "$@"']);
  await until(async () => (await ask(own.env, 'worker', 'status')).http.open, 'the worker');
  await crowd(own, 60);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${session}.jsonl`), line('The gate is open', 1) + line('The tide is high', 2));
  await until(async () => (await ask(own.env, 'sessions')).sessions.length === 1, 'the transcript');
  const token = readFileSync(path.join(own.home, 'token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const { status } = await fetch(`http://127.0.0.1:${own.env.HOLDFAST_PORT}/api/projects`, { headers });
  expect(status).toBe(200);
  expect(running.child.exitCode).toBeNull();
  expect(running.said()).not.toContain('bug in Holdfast');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
});
