import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../config.ts';
import { bubblewrap } from './bubblewrap.ts';
import { docker } from './docker.ts';
import { extraMounts } from './extra-mounts.ts';
import { chooseSandbox, nothingIsolated } from './index.ts';
import { mountsOf } from './mounts.ts';
import { none } from './none.ts';
import type { Confined, Sandbox } from './sandbox.ts';

function place(env: NodeJS.ProcessEnv = {}): { folder: string; config: Config } {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-sandbox-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const user = path.join(folder, 'user');
  for (const one of [user, path.join(folder, 'data')]) mkdirSync(one);
  return { folder, config: loadConfig({ HOME: user, HOLDFAST_HOME: path.join(folder, 'data'), ...env }) };
}

const here = {
  run: '/tmp/run',
  runner: '/lib/runner.js',
  node: '/usr/bin/node',
  sdk: '/lib/sdk',
  program: '/lib/claude',
};

describe('what a group sees', () => {
  const config = loadConfig({ HOME: '/home/dev', HOLDFAST_HOME: '/data' });
  const seen = (group: string) =>
    mountsOf(config, group, here, [{ name: 'src', from: '/srv/src', write: false }]).map(
      ({ from, to, write }) => `${from} ${write ? 'write' : 'read'} ${to}`,
    );
  const programs = [
    '/srv/src read /workspace/extra/src',
    '/tmp/run read /run/holdfast',
    '/lib/runner.js read /opt/holdfast/runner.js',
    '/usr/bin/node read /opt/holdfast/bin/node',
    '/lib/sdk read /opt/holdfast/sdk',
    '/lib/claude read /opt/holdfast/bin/claude',
  ];

  it('is its own folders, what all are told, and the programs', () => {
    expect(seen('tide')).toEqual([
      '/data/groups/tide write /workspace/group',
      '/data/agent-homes/tide write /home/agent',
      '/data/groups/global read /workspace/global',
      '/data/snapshots/tide read /workspace/snapshots',
      ...programs,
    ]);
  });

  it('is for main all groups, too, and what all are told to be written', () => {
    expect(seen('main')).toEqual([
      '/data/groups/main write /workspace/group',
      '/data/agent-homes/main write /home/agent',
      '/data/groups/global write /workspace/global',
      '/data/groups read /workspace/groups',
      '/data/snapshots/main read /workspace/snapshots',
      ...programs,
    ]);
  });
});

describe('the allow-list of further mounts', () => {
  function list(rows: unknown, make: (folder: string) => void = () => {}) {
    const { folder, config } = place();
    make(folder);
    const text = typeof rows === 'string' ? rows : JSON.stringify(rows).replaceAll('$', folder);
    writeFileSync(path.join(config.home, 'mounts.json'), text);
    return { folder, mounts: (group = 'tide') => extraMounts(config, group) };
  }
  const folders =
    (...names: string[]) =>
    (folder: string) => {
      for (const name of names) mkdirSync(path.join(folder, name), { recursive: true });
    };

  it('is empty where there is none', () => expect(extraMounts(place().config, 'tide')).toEqual([]));

  it('host.md 17: gives each group what it names, read-only unless it says otherwise', () => {
    const { folder, mounts } = list(
      [
        { path: '$/shared/../src/', groups: ['tide', 'reef'] },
        { path: '$/shared', groups: ['*'], write: true, name: 'all' },
        { path: '$/other', groups: ['reef'] },
      ],
      folders('src', 'shared', 'other'),
    );
    expect(mounts()).toEqual([
      { name: 'src', from: `${folder}/src`, write: false },
      { name: 'all', from: `${folder}/shared`, write: true },
    ]);
    expect(mounts('reef').map(({ name }) => name)).toEqual(['src', 'all', 'other']);
  });

  it.each([
    ...[
      '.ssh',
      '.gnupg',
      '.aws',
      '.config/gcloud',
      '.docker',
      '.kube',
      '.holdfast',
      '.git-credentials',
      '.mozilla',
    ].map((name) => [`$/user/${name}`, 'credentials']),
    ['$/user/.ssh/keys', 'credentials'],
    ['$/srv/secrets', 'credentials'],
    ['$/srv/id_ed25519', 'credentials'],
    ['$/srv/server.pem', 'credentials'],
    ['$/user', 'the home folder'],
    ['$', 'the home folder'],
    ['/', 'the home folder'],
    ['$/data', "Holdfast's own data"],
    ['$/data/groups/reef', "Holdfast's own data"],
    ['/etc', 'belongs to the system'],
    ['/proc/1', 'belongs to the system'],
    ['/var', 'belongs to the system'],
    ['$/link', 'is a link'],
    ['$/link/inner', 'is a link'],
    ['$/nowhere', 'cannot be found'],
  ])('refuses %s', (given, reason) => {
    const { mounts } = list([{ path: given, groups: ['tide'] }], (folder) => {
      const at = given.replace('$', folder);
      folders('user/.ssh/keys', 'data/groups/reef', 'target/inner')(folder);
      symlinkSync(path.join(folder, 'target'), path.join(folder, 'link'));
      if (!/nowhere|link|^\/|^\$$/.test(given)) mkdirSync(at, { recursive: true });
    });
    expect(() => mounts()).toThrow(reason);
    // It is nobody else's trouble.
    expect(mounts('reef')).toEqual([]);
  });

  it('host.md 17: refuses what agents could exchange for something else', () => {
    const { mounts } = list(
      [
        { path: '$/src', groups: ['reef'], write: true },
        { path: '$/src/docs', groups: ['tide'] },
      ],
      folders('src/docs'),
    );
    expect(() => mounts()).toThrow('could be exchanged');
  });

  it.each([
    '{',
    '{}',
    '[{"path":"relative","groups":["a"]}]',
    '[{"path":"/srv"}]',
    '[{"path":"/srv","groups":["a"],"name":"../x"}]',
  ])('says what is wrong with %s', (text) => {
    const { mounts } = list(text);
    expect(() => mounts()).toThrow('is not a list of mounts');
  });

  it('refuses two of the same name', () => {
    const { mounts } = list(
      [
        { path: '$/a/src', groups: ['*'] },
        { path: '$/b/src', groups: ['*'] },
      ],
      folders('a/src', 'b/src'),
    );
    expect(() => mounts()).toThrow('are called src');
  });
});

const confined: Confined = {
  name: 'tide',
  argv: ['node', '/opt/holdfast/runner.js', '/run/holdfast'],
  cwd: '/workspace/group',
  environment: { HOME: '/home/agent', TZ: 'UTC' },
  mounts: [
    { from: '/data/groups/tide', to: '/workspace/group', write: true },
    { from: '/data/a,b', to: '/workspace/extra/a', write: false },
  ],
  network: true,
  limits: { memoryMb: 2048, cpus: 1.5, processes: 100, fileMb: 10 },
};

describe('the command line', () => {
  const config = loadConfig({ HOME: '/home/dev', HOLDFAST_HOME: '/data', PATH: '/bin', ANTHROPIC_API_KEY: 'k' });

  it('of docker is exactly this', () => {
    const { file, args, end, environment } = docker.command(confined, config);
    const name = args[args.indexOf('--name') + 1] as string;
    expect(name).toMatch(/^holdfast-tide-[0-9a-f]{8}$/);
    const user = `${process.getuid?.()}:${process.getgid?.()}`;
    expect([file, ...args]).toEqual([
      ...['docker', 'run', '--rm', '--init', '--name', name, '--hostname', 'holdfast', '--read-only'],
      ...['--tmpfs', '/tmp:rw,exec,nosuid,nodev', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--network', 'bridge', '--user', user, '--memory', '2048m', '--memory-swap', '2048m', '--cpus', '1.5'],
      ...['--pids-limit', '100', '--ulimit', 'fsize=10485760', '--ulimit', 'core=0', '--workdir', '/workspace/group'],
      ...['--env', 'HOME=/home/agent', '--env', 'TZ=UTC'],
      ...['--mount', 'type=bind,source=/data/groups/tide,target=/workspace/group'],
      ...['--mount', 'type=bind,"source=/data/a,b",target=/workspace/extra/a,readonly'],
      ...['holdfast-agent', 'node', '/opt/holdfast/runner.js', '/run/holdfast'],
    ]);
    expect(end).toEqual(['docker', 'kill', name]);
    // The engine's own program has this machine's environment; the container has what --env names.
    expect(environment.PATH).toBe('/bin');
  });

  it('of docker follows the settings', () => {
    const own = loadConfig({ HOME: '/home/dev', HOLDFAST_HOST_ENGINE: 'podman', HOLDFAST_HOST_IMAGE: 'mine:1' });
    const limits = { memoryMb: 0, cpus: 0, processes: 0, fileMb: 0 };
    const { file, args } = docker.command({ ...confined, network: false, limits }, own);
    expect(file).toBe('podman');
    expect(args).toContain('mine:1');
    expect(args.join(' ')).toContain('--network none');
    expect(args.join(' ')).toContain('--userns keep-id');
    expect(args.join(' ')).not.toMatch(/--memory|--cpus|--pids-limit|fsize/);
  });

  it.skipIf(process.platform !== 'linux')(
    'of bubblewrap has a clean environment, and of this machine only the system',
    () => {
      const { file, args, environment } = bubblewrap.command(confined, config);
      const line = args.join(' ');
      expect(file).toBe('bwrap');
      expect(environment).toEqual({ PATH: expect.stringContaining('/usr/bin'), HOME: '/home/agent', TZ: 'UTC' });
      for (const flag of ['user', 'pid', 'ipc', 'uts']) expect(args).toContain(`--unshare-${flag}`);
      for (const flag of ['--disable-userns', '--die-with-parent', '--new-session', '--cap-drop'])
        expect(args).toContain(flag);
      expect(args).not.toContain('--unshare-net');
      expect(line).toContain('--bind /data/groups/tide /workspace/group --ro-bind /data/a,b /workspace/extra/a');
      const writable = args.flatMap((one, i) => (one === '--bind' || one === '--dev-bind' ? [args[i + 1]] : []));
      expect(writable).toEqual(['/data/groups/tide']);
      const sources = args.flatMap((one, i) => (one === '--ro-bind' ? [args[i + 1] as string] : []));
      for (const source of sources) expect(source).not.toMatch(/^\/(?:home|root|run|srv|sys|tmp|var)?$|ssl\/private/);
      expect(args.slice(args.indexOf('--'))).toEqual([
        ...['--', 'prlimit', '--nproc=100', '--fsize=10485760', '--core=0', '--', ...confined.argv],
      ]);
      expect(bubblewrap.command({ ...confined, network: false }, config).args).toContain('--unshare-net');
    },
  );

  it.skipIf(process.platform !== 'linux')('of bubblewrap hides a data folder that lies in the system', () => {
    const own = loadConfig({ HOME: '/home/dev', HOLDFAST_HOME: '/usr/local/holdfast' });
    expect(bubblewrap.command(confined, own).args.join(' ')).toContain('--tmpfs /usr/local/holdfast');
  });
});

describe('the choice of a sandbox', () => {
  const broken = (name: Sandbox['name']): Sandbox => ({ ...none, name, trouble: async () => 'not today' });
  const working = (name: Sandbox['name']): Sandbox => ({ ...none, name, trouble: async () => undefined });

  it('is the first that works, and says why not the one before', async () => {
    const { config } = place();
    const table = [broken('bubblewrap'), working('docker'), none];
    const { sandbox, warnings } = await chooseSandbox(config, table);
    expect(sandbox.name).toBe('docker');
    expect(warnings[0]).toBe('bubblewrap: not today');
  });

  it('says loudly when nothing is isolated, and which limits are not held', async () => {
    const { config } = place();
    const { sandbox, warnings } = await chooseSandbox(config, [broken('bubblewrap'), broken('docker'), none]);
    expect(sandbox.name).toBe('none');
    expect(warnings[0]).toBe(nothingIsolated);
    expect(warnings.join('\n')).toContain('none cannot hold the limit processes here');
  });

  it('takes no other than the one that was asked for', async () => {
    const { config } = place({ HOLDFAST_HOST_SANDBOX: 'docker' });
    await expect(chooseSandbox(config, [working('bubblewrap'), broken('docker'), none])).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The sandbox docker does not work here: docker: not today',
    });
  });
});
