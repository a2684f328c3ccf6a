// Install, status and repair as commands, with a worker and with strangers on the port.
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, freePort, machine } from './claude.ts';
import { ask, expectNoTrace, holdfast } from './holdfast.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly hint?: string;
}

const check = (report: { checks: Check[] }, name: string) => report.checks.find((one) => one.name === name) as Check;

it('says that nothing is installed, and what to do', async () => {
  const own = await machine('none');
  const { code, stdout } = await holdfast(own.env, 'status', '--json');
  expect(code).toBe(1);
  expect(check(JSON.parse(stdout), 'Claude Code')).toMatchObject({ ok: false, hint: 'holdfast install claude-code' });
});

it('moves to another port without touching the settings of the agent, which name no port', async () => {
  const own = await machine('none');
  await ask(own.env, 'install', 'claude-code');
  const settings = readFileSync(own.settings, 'utf8');
  expect(settings).not.toContain(String(own.port));
  await ask(own.env, 'worker', 'start');
  await eventually(own, ['status'], ({ ok }) => ok);
  const port = await freePort();
  await ask(own.env, 'config', 'set', 'port', String(port));
  expect(await ask(own.env, 'repair')).toMatchObject({ worker: 'restarted' });
  await eventually(own, ['status'], ({ ok }) => ok);
  expect(await ask(own.env, 'repair')).toMatchObject({ worker: 'left running' });
  expect(readFileSync(own.settings, 'utf8')).toBe(settings);
});

it('names the stranger that holds the port', async () => {
  const own = await machine('none');
  const server = net.createServer();
  await new Promise<void>((ready) => server.listen(own.port, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  await ask(own.env, 'install', 'claude-code');
  const { code, stdout } = await holdfast(own.env, 'status', '--json');
  expect(code).toBe(1);
  const port = check(JSON.parse(stdout), 'port');
  expect(port.message).toContain(`process ${process.pid}`);
  expect(port.hint).toMatch(/config set port \d+ && holdfast repair/);
});

it('the worker repairs an installation of another version when it starts', async () => {
  const own = await machine('none');
  await ask(own.env, 'install', 'claude-code');
  const current = readFileSync(own.settings, 'utf8');
  writeFileSync(own.settings, current.replace(/: holdfast [^;]+;/g, ': holdfast 0.0.1;'));
  expect((await holdfast(own.env, 'status')).stdout).toContain('installed by Holdfast 0.0.1');
  await ask(own.env, 'worker', 'start');
  await eventually(own, ['status'], ({ ok }) => ok);
  expect(readFileSync(own.settings, 'utf8')).toBe(current);
});

it('prints text for people', async () => {
  const own = await machine('none');
  for (const args of [
    ['install', 'claude-code', '--dry-run'],
    ['install', 'claude-code'],
    ['install', 'claude-code'],
    ['status'],
    ['repair'],
    ['uninstall', 'claude-code'],
    ['uninstall', 'claude-code'],
  ]) {
    const result = await holdfast(own.env, ...args);
    expect({ args, code: result.code, stderr: result.stderr }).toEqual({ args, code: 0, stderr: '' });
    expectNoTrace(result);
  }
  const wrong = await holdfast(own.env, 'install', 'emacs');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('claude-code') });
});
