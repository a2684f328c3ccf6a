import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { because, without } from '../../test/because.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { processStart } from './claim.ts';
import { launchd, systemd, workerKind } from './service-file.ts';
import { program } from './worker-process.ts';
import {
  installService,
  planOf,
  runProgram,
  type ServiceDeps,
  uninstallService,
  workerService,
} from './worker-service.ts';

let folder: string;
let config: Config;
let ran: string[];
let worker: ChildProcess | undefined;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-service-')));
  config = loadConfig({ HOME: folder, HOLDFAST_HOME: path.join(folder, 'data') });
  fs.mkdirSync(config.home);
  ran = [];
  worker = undefined;
});

afterEach(async () => {
  await stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A process that holds the worker's claim, and does nothing else. */
async function start(): Promise<void> {
  worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { pid = 0 } = worker;
  const claim = { pid, started: await processStart(pid), since: '2026-03-01T10:00:00Z' };
  fs.writeFileSync(path.join(config.home, 'worker.pid'), JSON.stringify(claim));
}

async function stop(): Promise<void> {
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = new Promise((resolve) => worker?.once('exit', resolve));
  worker.kill('SIGKILL');
  await gone;
}

/** A systemd that does what it is told: `restart` starts a worker, `enable` creates the link. */
function manager(options: { session?: boolean; fails?: string; starts?: boolean } = {}): ServiceDeps {
  const { session = true, fails, starts = true } = options;
  const unit = path.join(folder, '.config/systemd/user/holdfast.service');
  const wants = path.join(folder, '.config/systemd/user/default.target.wants');
  let active = false;
  return {
    service: workerService,
    config,
    platform: 'linux',
    patienceMs: 100,
    async run(command) {
      const line = command.join(' ');
      ran.push(line);
      const ok = { code: 0, output: '' };
      if (line === 'systemctl --version') return ok;
      if (!session) return { code: 1, output: 'Failed to connect to bus: No medium found' };
      if (fails !== undefined && line.includes(fails)) return { code: 1, output: 'Unit is masked.' };
      if (line.includes('is-active')) return { code: active ? 0 : 3, output: '' };
      if (line.includes(' enable ')) {
        fs.mkdirSync(wants, { recursive: true });
        fs.rmSync(path.join(wants, 'holdfast.service'), { force: true });
        fs.symlinkSync(unit, path.join(wants, 'holdfast.service'));
      }
      if (line.includes(' restart ') && starts) {
        active = true;
        await start();
      }
      if (line.includes(' disable ')) {
        active = false;
        await stop();
      }
      return ok;
    },
  };
}

const changes = () => ran.filter((line) => !/--version|show|is-active/.test(line));
const everything = () =>
  fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('data/'));

describe('worker install', () => {
  it('writes the unit, loads it, and waits for its worker', async () => {
    const done = await installService(manager(), false);
    expect(done).toMatchObject({ manager: 'systemd', changed: true, running: true });
    expect(done.file).toBe(path.join(folder, '.config/systemd/user/holdfast.service'));
    expect(fs.readFileSync(done.file, 'utf8')).toBe(done.text);
    expect(fs.statSync(done.file).mode & 0o777).toBe(0o600);
    expect(changes()).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable holdfast.service',
      'systemctl --user restart holdfast.service',
    ]);
  });

  it('run twice equals once: a running service is left alone', async () => {
    const deps = manager();
    const first = await installService(deps, false);
    ran = [];
    expect(await installService(deps, false)).toEqual({ ...first, changed: false, commands: [] });
    expect(changes()).toEqual([]);
  });

  it('loads a unit that has changed', async () => {
    const { file } = await installService(manager({ session: false }), false);
    fs.appendFileSync(file, '# of an older version\n');
    expect(await installService(manager(), false)).toMatchObject({ changed: true, running: true });
    expect(changes()).toContain('systemctl --user restart holdfast.service');
  });

  it('only says what it would do, when asked', async () => {
    const { file, text, commands } = await installService(manager(), true);
    expect([file, text, commands.at(-1)]).toEqual([
      expect.stringContaining('holdfast.service'),
      expect.stringContaining('ExecStart='),
      'systemctl --user restart holdfast.service',
    ]);
    expect(changes()).toEqual([]);
    expect(everything()).toEqual(['data']);
  });

  it('without a systemd session writes the unit and says which commands remain', async () => {
    const done = await installService(manager({ session: false }), false);
    expect(done).toMatchObject({ running: false, changed: true });
    expect(done.commands).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable holdfast.service',
      'systemctl --user restart holdfast.service',
    ]);
    expect(fs.existsSync(done.file)).toBe(true);
    expect(changes()).toEqual([]);
  });

  it('replaces a worker that runs by itself', async () => {
    await start();
    const own = worker;
    expect((await installService(manager({ session: false }), true)).commands[0]).toBe('holdfast worker stop');
    expect(await installService(manager(), false)).toMatchObject({ running: true });
    expect(own?.signalCode).toBe('SIGTERM');
    expect(worker?.pid).not.toBe(own?.pid);
  });

  it('repeats the message of systemd when it refuses, and points to the log when the worker does not start', async () => {
    await expect(installService(manager({ fails: 'enable' }), false)).rejects.toThrow(/enable.*Unit is masked/);
    await expect(installService(manager({ starts: false }), false)).rejects.toMatchObject({
      hint: expect.stringContaining('journalctl --user -u holdfast.service'),
    });
  });

  it('does not touch a unit of another program', async () => {
    const file = path.join(folder, '.config/systemd/user/holdfast.service');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '[Service]\nExecStart=/bin/true\n');
    await expect(installService(manager(), false)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(uninstallService(manager(), false)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(fs.readFileSync(file, 'utf8')).toContain('/bin/true');
  });

  it.each(['win32', 'linux'] as const)('refuses without a service manager (%s)', async (platform) => {
    const run = async () => ({ code: 127, output: '' });
    await expect(installService({ service: workerService, config, platform, run }, false)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining('holdfast worker start'),
    });
    expect(everything()).toEqual(['data']);
  });

  it('is a launch agent on macOS', async () => {
    const run: ServiceDeps['run'] = async (command) => {
      ran.push(command.join(' '));
      if (command[1] === 'bootstrap') await start();
      return { code: command[1] === 'bootout' || command[2]?.includes('dev.holdfast') ? 1 : 0, output: '' };
    };
    const { file } = await installService({ service: workerService, config, platform: 'darwin', run }, false);
    expect(file).toBe(path.join(folder, 'Library/LaunchAgents/dev.holdfast.worker.plist'));
    expect(ran.at(-1)).toBe(`launchctl bootstrap gui/${process.getuid?.()} ${file}`);
    await uninstallService({ service: workerService, config, platform: 'darwin', run }, false);
    expect(fs.existsSync(file)).toBe(false);
  });
});

describe('worker uninstall', () => {
  it.each([true, false])('leaves no trace (session of systemd: %s)', async (session) => {
    await installService(manager(), false);
    const deps = manager({ session });
    expect(await uninstallService(deps, true)).toMatchObject({ found: true });
    expect(fs.existsSync(path.join(folder, '.config/systemd/user/holdfast.service'))).toBe(true);
    expect(await uninstallService(deps, false)).toMatchObject({ found: true });
    expect(everything()).toEqual(['.config', 'data']);
    expect(await uninstallService(deps, false)).toMatchObject({ found: false, commands: [] });
  });

  it('keeps folders with units of other programs', async () => {
    await installService(manager(), false);
    const other = path.join(folder, '.config/systemd/user/other.service');
    fs.writeFileSync(other, '');
    await uninstallService(manager(), false);
    expect(fs.readdirSync(path.dirname(other))).toEqual(['other.service']);
  });
});

describe('the service', () => {
  it('runs this program with this Node, in the configuration of the shell that installed it', () => {
    const env = { HOME: folder, HOLDFAST_HOME: config.home, HOLDFAST_PORT: '40123', PI_CODING_AGENT_DIR: '/srv/pi' };
    expect(planOf(loadConfig(env), workerService)).toEqual({
      command: [process.execPath, program, 'worker', 'run'],
      environment: {
        HOLDFAST_HOME: config.home,
        HOLDFAST_PORT: '40123',
        HOLDFAST_AGENTS_PI_WATCH_PATH: '/srv/pi/sessions',
      },
    });
    expect(planOf(config, workerService).environment).toEqual({ HOLDFAST_HOME: config.home });
  });

  it('is written where the person keeps settings', () => {
    expect(systemd(workerKind, { user: '/home/dev', configFolder: '/srv/config' }).file).toBe(
      '/srv/config/systemd/user/holdfast.service',
    );
    expect(systemd(workerKind, { user: '/home/dev', configFolder: 'relative' }).file).toBe(
      '/home/dev/.config/systemd/user/holdfast.service',
    );
  });

  /** In CI the setup installs every program, so a missing one is a failure there. */
  const [noSystemd, noPython] = [without('systemd-analyze'), without('python3')];
  const hostile = 'a "b" $HOME %h \\n é&<c>';

  it.skipIf(noSystemd)(because('survives any folder name, as systemd reads it', noSystemd), async () => {
    const odd = path.join(folder, hostile);
    fs.mkdirSync(odd);
    const node = path.join(odd, 'node');
    fs.symlinkSync(process.execPath, node);
    const plan = { command: [node, path.join(odd, 'holdfast'), 'worker', 'run'], environment: { HOLDFAST_HOME: odd } };
    const file = path.join(folder, 'holdfast.service');
    for (const wanted of [plan, planOf(config, workerService)]) {
      fs.writeFileSync(file, systemd(workerKind, { user: folder, configFolder: undefined }).text(wanted));
      const { code, output } = await runProgram({ ...process.env, XDG_RUNTIME_DIR: folder })([
        'systemd-analyze',
        '--user',
        'verify',
        file,
      ]);
      // systemd reports every bad unit of the machine; ours must not be among them.
      expect(output.split('\n').filter((line) => line.includes('holdfast'))).toEqual([]);
      expect(code).toBe(0);
    }
  });

  it.skipIf(noPython)(because('survives any folder name in the file of launchd too', noPython), () => {
    const plan = { command: [`/${hostile}`, 'worker', 'run'], environment: { HOLDFAST_HOME: `/${hostile}` } };
    const text = launchd(workerKind, { user: folder, uid: 501 }).text(plan);
    const read = `import plistlib, json, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))`;
    const plist = JSON.parse(execFileSync('python3', ['-c', read], { input: text, encoding: 'utf8' }));
    expect(plist).toMatchObject({
      ProgramArguments: plan.command,
      EnvironmentVariables: plan.environment,
      KeepAlive: { SuccessfulExit: false },
      Umask: 0o77,
    });
  });
});
