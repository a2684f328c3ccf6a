import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Config, ensureHome, loadConfig } from '../../config/config.ts';
import { openTokens } from '../../processes/access/tokens.ts';
import { securityChecks } from './security-checks.ts';

let folder: string;
let config: Config;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'holdfast-security-'));
  const free = 20_000 + Math.floor(Math.random() * 10_000);
  config = loadConfig({ HOME: folder, HOLDFAST_PORT: String(free) });
  ensureHome(config);
  openTokens(config.home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const failing = async () => (await securityChecks(config, Date.now())).filter(({ ok }) => !ok);
const settings = (text: string, mode: number) => {
  mkdirSync(path.join(folder, '.claude'), { recursive: true });
  const file = path.join(folder, '.claude', 'settings.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
};

it('finds nothing wrong in a data folder that Holdfast created', async () => {
  settings('{}', 0o644);
  expect(await failing()).toEqual([]);
});

it('finds a token that another user may know, or that is a link', async () => {
  chmodSync(path.join(config.home, 'token'), 0o644);
  expect(await failing()).toMatchObject([{ name: 'token', hint: expect.stringContaining('rm ') }]);
  rmSync(path.join(config.home, 'token'));
  symlinkSync('/etc/hostname', path.join(config.home, 'token'));
  expect(await failing()).toMatchObject([{ name: 'token', message: expect.stringContaining('not a plain file') }]);
});

it('finds a folder above the data folder that others can change', async () => {
  chmodSync(folder, 0o777);
  expect(await failing()).toMatchObject([{ name: 'data folder', message: expect.stringContaining(folder) }]);
  chmodSync(folder, 0o1777);
  expect((await failing()).map(({ name }) => name)).not.toContain('data folder');
});

it('finds settings of an agent that others can change, or that hold a token', async () => {
  const report = 'c0'.repeat(32);
  writeFileSync(path.join(config.home, 'hook-token'), report, { mode: 0o600 });
  const file = settings('{}', 0o666);
  expect(await failing()).toMatchObject([{ name: 'claude-code settings', message: `Other users can change ${file}` }]);
  settings(JSON.stringify({ hooks: { Stop: [{ headers: { Authorization: `Bearer ${report}` } }] } }), 0o600);
  expect(await failing()).toMatchObject([{ hint: 'holdfast repair' }]);
  chmodSync(folder, 0o755);
  chmodSync(path.join(folder, '.claude'), 0o755);
  chmodSync(file, 0o644);
  expect(await failing()).toMatchObject([{ message: expect.stringContaining('other users can read it') }]);
});

it('finds transcripts and memory files that others can read, if the folders above them are open', async () => {
  const transcripts = path.join(folder, '.claude', 'projects');
  mkdirSync(transcripts, { recursive: true });
  for (const one of [path.join(folder, '.claude'), transcripts]) chmodSync(one, 0o755);
  expect(await failing(), 'a closed home closes all below').toEqual([]);
  chmodSync(folder, 0o755);
  expect(await failing()).toMatchObject([{ name: 'transcripts', hint: `chmod go= '${transcripts}'` }]);
});

it.skipIf(process.platform !== 'linux')('finds another program on the port, even under ::1', async () => {
  for (const address of ['127.0.0.1', '::1', '0.0.0.0']) {
    const server = createServer();
    const isThere = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(config.settings.port, address, () => resolve(true));
    });
    onTestFinished(() => void server.close());
    // A machine may have no IPv6.
    if (isThere) expect(await failing()).toMatchObject([{ name: 'port', message: expect.stringContaining(address) }]);
    await new Promise((resolve) => server.close(resolve));
  }
});

it('says that agents run without a sandbox, or with the network of this machine', async () => {
  const environment = config.environment;
  config = loadConfig({ ...environment, HOLDFAST_HOST_NETWORK_VIA: 'machine' });
  expect(await failing()).toMatchObject([{ name: 'sandbox', hint: expect.stringContaining('proxy') }]);
  config = loadConfig(environment);
  config = loadConfig({ ...config.environment, HOLDFAST_HOST_SANDBOX: 'none' });
  expect(await failing()).toMatchObject([{ name: 'sandbox' }]);
});
