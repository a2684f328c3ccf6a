// The host under a service manager that does what it is told.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { because, without } from '../../test/because.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { type Bell, hangBell } from '../sessions/groups/bell.ts';
import { processStart } from './claim.ts';
import { hostService } from './host-service.ts';
import { hostKind, launchd, systemd } from './service-file.ts';
import { installService, planOf, runProgram, type ServiceDeps, uninstallService } from './worker-service.ts';

const key = 'sk-ant-of-this-shell';
let folder: string;
let config: Config;
let ran: string[];
let host: ChildProcess | undefined;
let bell: Bell | undefined;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-host-service-')));
  config = loadConfig({
    HOME: folder,
    HOLDFAST_HOME: path.join(folder, 'data'),
    HOLDFAST_HOST_SANDBOX: 'docker',
    PATH: '/srv/bin:/usr/bin',
    ANTHROPIC_API_KEY: key,
    DOCKER_HOST: 'unix:///srv/docker.sock',
    CONTAINER_NAME: 'toolbox',
    EDITOR: 'vi',
  });
  fs.mkdirSync(config.home);
  ran = [];
});

afterEach(async () => {
  host?.kill('SIGKILL');
  await bell?.close();
  [host, bell] = [undefined, undefined];
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A process that holds the host's claim, and answers if it can start agents. */
async function start({ isHeard = true } = {}): Promise<void> {
  host = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { pid = 0 } = host;
  const claim = { pid, started: await processStart(pid), since: '2026-03-01T10:00:00Z' };
  fs.writeFileSync(path.join(config.home, 'host.pid'), JSON.stringify(claim));
  if (isHeard) bell = await hangBell(config, { ring() {}, close() {}, log() {} });
}

function manager(isHeard = true): ServiceDeps {
  let active = false;
  return {
    service: hostService,
    config,
    platform: 'linux',
    patienceMs: 200,
    async run(command) {
      const line = command.join(' ');
      if (!/--version|show|is-active/.test(line)) ran.push(line);
      if (line.includes('is-active')) return { code: active ? 0 : 3, output: '' };
      if (line.includes(' restart ')) {
        active = true;
        await start({ isHeard });
      }
      return { code: 0, output: '' };
    },
  };
}

it('has a separate unit, which is loaded and awaited; installing twice equals once', async () => {
  const deps = manager();
  const done = await installService(deps, false);
  expect(done).toMatchObject({ manager: 'systemd', changed: true, running: true });
  expect(done.file).toBe(path.join(folder, '.config/systemd/user/holdfast-host.service'));
  expect(ran.at(-1)).toBe('systemctl --user restart holdfast-host.service');
  expect(await installService(deps, false)).toEqual({ ...done, changed: false, commands: [] });
  expect(await uninstallService(deps, false)).toMatchObject({ found: true });
  expect(fs.existsSync(done.file)).toBe(false);
  expect(ran).toContain('systemctl --user disable --now holdfast-host.service');
});

it('uses the environment of the shell that installs it, and shows no key', async () => {
  const { command, environment } = planOf(config, hostService);
  expect(command.slice(-2)).toEqual(['host', 'run']);
  expect(environment).toEqual({
    HOLDFAST_HOME: config.home,
    HOLDFAST_HOST_SANDBOX: 'docker',
    PATH: '/srv/bin:/usr/bin',
    ANTHROPIC_API_KEY: key,
    DOCKER_HOST: 'unix:///srv/docker.sock',
  });
  expect((await installService(manager(), true)).text).toContain('ANTHROPIC_API_KEY=(hidden)');
  const { file, text } = await installService(manager(), false);
  expect(text).not.toContain(key);
  expect(fs.readFileSync(file, 'utf8')).toContain(key);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it('lets agents finish their answers when it is stopped, and create their sandboxes', async () => {
  const { text } = await installService(manager(), true);
  expect(text).toMatch(/^KillMode=mixed$/m);
  expect(text).not.toMatch(/NoNewPrivileges|Restrict|SystemCall/);
});

it('does not replace a host or a chat that runs by itself', async () => {
  await start();
  for (const dryRun of [true, false])
    await expect(installService(manager(), dryRun)).rejects.toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('holdfast host status'),
    });
  expect(ran).toEqual([]);
  expect(fs.existsSync(path.join(folder, '.config'))).toBe(false);
});

it('points to the log if the host starts but can start no agent', async () => {
  await expect(installService(manager(false), false)).rejects.toMatchObject({
    hint: expect.stringContaining('journalctl --user -u holdfast-host.service'),
  });
});

it("leaves the worker's unit alone", async () => {
  const worker = path.join(folder, '.config/systemd/user/holdfast.service');
  fs.mkdirSync(path.dirname(worker), { recursive: true });
  fs.writeFileSync(worker, 'the worker');
  await installService(manager(), false);
  await uninstallService(manager(), false);
  expect(fs.readdirSync(path.dirname(worker))).toEqual(['holdfast.service']);
});

const [noSystemd, noPython] = [without('systemd-analyze'), without('python3')];

it.skipIf(noSystemd)(because('has a unit that systemd finds nothing wrong with', noSystemd), async () => {
  const file = path.join(folder, hostKind.unit);
  fs.writeFileSync(
    file,
    systemd(hostKind, { user: folder, configFolder: undefined }).text(planOf(config, hostService)),
  );
  const verify = ['systemd-analyze', '--user', 'verify', file];
  const { code, output } = await runProgram({ ...process.env, XDG_RUNTIME_DIR: folder })(verify);
  expect(output.split('\n').filter((line) => line.includes('holdfast'))).toEqual([]);
  expect(code).toBe(0);
});

it.skipIf(noPython)(because('has a property list that launchd can read', noPython), () => {
  const text = launchd(hostKind, { user: folder, uid: 501 }).text(planOf(config, hostService));
  const read = 'import plistlib, json, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout } = spawnSync('python3', ['-c', read], { input: text, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ Label: 'dev.holdfast.host', RunAtLoad: true, ExitTimeOut: 60 });
});
