import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { diskFolder } from '../../../test/memory-folder.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { bubblewrap } from './bubblewrap.ts';
import { commandOf, docker, homeLabel } from './docker.ts';
import { ceilingsIn, type Engine, engineFrom } from './engine.ts';
import { extraMounts } from './extra-mounts.ts';
import { chooseSandbox, nothingIsolated } from './index.ts';
import { mountsOf } from './mounts.ts';
import { none } from './none.ts';
import type { Confined, Sandbox } from './sandbox.ts';

function place(env: NodeJS.ProcessEnv = {}): { folder: string; config: Config } {
  const folder = realpathSync(mkdtempSync(path.join(diskFolder(), 'holdfast-sandbox-')));
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
    '/lib/runner.js read /opt/holdfast/runner.mjs',
    '/usr/bin/node read /opt/holdfast/bin/node',
    '/lib/sdk read /opt/holdfast/sdk',
    '/lib/claude read /opt/holdfast/bin/claude',
  ];

  it('is its own folders, what all groups are told, and the programs', () => {
    expect(seen('tide')).toEqual([
      '/data/groups/tide write /workspace/group',
      '/data/agent-homes/tide write /home/agent',
      '/data/groups/global read /workspace/global',
      '/data/snapshots/tide read /workspace/snapshots',
      ...programs,
    ]);
  });

  it('includes all groups for main, and the shared instructions as writable', () => {
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

  it('host.md 17: refuses the home folder also if HOME is a link to it', () => {
    const { folder } = place();
    mkdirSync(path.join(folder, 'disk', 'dev'), { recursive: true });
    symlinkSync(path.join(folder, 'disk', 'dev'), path.join(folder, 'dev'));
    const config = loadConfig({ HOME: path.join(folder, 'dev'), HOLDFAST_HOME: path.join(folder, 'data') });
    const rows = [{ path: path.join(folder, 'disk', 'dev'), groups: ['*'] }];
    writeFileSync(path.join(config.home, 'mounts.json'), JSON.stringify(rows));
    expect(() => extraMounts(config, 'tide')).toThrow('it would show the whole home folder');
  });

  it('is empty if there is none', () => expect(extraMounts(place().config, 'tide')).toEqual([]));

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
    ['$/user', 'the whole home folder'],
    ['$', 'the whole home folder'],
    ['/', 'the whole home folder'],
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
    // Other groups are not affected.
    expect(mounts('reef')).toEqual([]);
  });

  it('host.md 17: refuses what agents could swap for something else', () => {
    const { mounts } = list(
      [
        { path: '$/src', groups: ['reef'], write: true },
        { path: '$/src/docs', groups: ['tide'] },
      ],
      folders('src/docs'),
    );
    expect(() => mounts()).toThrow('could swap it');
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
  argv: ['node', '/opt/holdfast/runner.mjs', '/run/holdfast'],
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

  const rootful: Engine = { kind: 'docker', rootless: false, remapped: false, selinux: false, unheld: [] };
  const user = `${process.getuid?.()}:${process.getgid?.()}`;

  it('of docker is exactly this', () => {
    const { file, args, end } = commandOf(rootful, confined, config);
    const name = args[args.indexOf('--name') + 1] as string;
    expect(name).toMatch(/^holdfast-tide-[0-9a-f]{8}$/);
    const label = homeLabel(config);
    expect(label).toMatch(/^holdfast\.home=[0-9a-f]{32}$/);
    expect([file, ...args]).toEqual([
      ...['docker', 'run', '--rm', '--init', '--pull', 'never', '--name', name, '--label', label],
      ...['--stop-signal', 'SIGKILL', '--log-driver', 'none', '--hostname', 'holdfast', '--read-only'],
      ...['--tmpfs', '/tmp:rw,exec,nosuid,nodev', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--network', 'bridge', '--user', user, '--memory', '2048m', '--memory-swap', '2048m', '--cpus', '1.5'],
      ...['--pids-limit', '100', '--ulimit', 'fsize=10485760', '--ulimit', 'core=0', '--workdir', '/workspace/group'],
      ...['--env', 'HOME=/home/agent', '--env', 'TZ=UTC'],
      ...['--mount', 'type=bind,source=/data/groups/tide,target=/workspace/group'],
      ...['--mount', 'type=bind,"source=/data/a,b",target=/workspace/extra/a,readonly'],
      ...['holdfast-agent', 'node', '/opt/holdfast/runner.mjs', '/run/holdfast'],
    ]);
    expect(end).toEqual(['docker', 'rm', '--force', name]);
  });

  it('of docker follows the settings', () => {
    const own = loadConfig({ HOME: '/home/dev', HOLDFAST_HOST_ENGINE: 'podman', HOLDFAST_HOST_IMAGE: 'mine:1' });
    const limits = { memoryMb: 0, cpus: 0, processes: 0, fileMb: 0 };
    const { file, args } = commandOf(rootful, { ...confined, network: false, limits }, own);
    expect(file).toBe('podman');
    expect(args).toContain('mine:1');
    expect(args.join(' ')).toContain('--network none');
    expect(args.join(' ')).toContain('--pids-limit -1');
    expect(args.join(' ')).not.toMatch(/--memory|--cpus|fsize/);
  });

  it.each<[string, Partial<Engine>, string]>([
    ['of root', {}, `--network bridge --user ${user}`],
    ['of root, with other users inside', { remapped: true }, `--network bridge --userns host --user ${user}`],
    // Root inside is the user outside.
    ['of an ordinary user', { rootless: true }, '--network bridge --user 0:0'],
    ['that is podman, of root', { kind: 'podman' }, `--network bridge --user ${user}`],
    [
      'that is podman, of an ordinary user',
      { kind: 'podman', rootless: true },
      `:/proc/config.gz --userns keep-id --user ${user}`,
    ],
    [
      'that is podman, with more of /proc hidden',
      { kind: 'podman' },
      '--security-opt mask=/proc/mtrr:/proc/pressure:/proc/kcore:/proc/kmsg:/proc/keys:/proc/key-users:/proc/kallsyms:/proc/kpagecgroup:/proc/kpagecount:/proc/kpageflags:/proc/iomem:/proc/ioports:/proc/latency_stats:/proc/pagetypeinfo:/proc/sched_debug:/proc/slabinfo:/proc/timer_list:/proc/vmallocinfo:/proc/config.gz',
    ],
    [
      'that is podman, on a machine that allows less than it would ask for',
      { kind: 'podman', ceilings: { nofile: 20_000, nproc: 9000 } },
      '--ulimit nofile=20000:20000 --ulimit nproc=9000:9000 --ulimit core=0',
    ],
    ['under SELinux', { selinux: true }, '--security-opt label=disable --network bridge'],
  ])('of an engine %s has its own options', (_, facts, part) => {
    expect(commandOf({ ...rootful, ...facts }, confined, config).args.join(' ')).toContain(`${part} `);
  });

  it('of docker has only what the engine needs of this machine’s environment, and nothing to pass on', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/dev',
      DOCKER_HOST: 'unix:///run/d.sock',
      XDG_RUNTIME_DIR: '/run/user/1',
    };
    const kept = { ANTHROPIC_API_KEY: 'k', HOLDFAST_HOST_KEY: 'k', https_proxy: 'http://me:pw@proxy', AWS_SECRET: 's' };
    const own = loadConfig({ ...needed, ...kept });
    expect(commandOf(rootful, confined, own).environment).toEqual(needed);
  });

  it.each([
    ['docker', 'docker, of root', {}, []],
    ['docker', 'docker without cgroups', { MemoryLimit: false, CpuCfsQuota: false }, ['memoryMb', 'cpus']],
    ['podman', 'podman, of root', { host: { cgroupControllers: ['cpu', 'memory', 'pids'] } }, []],
    ['podman', 'podman, whose user was given less', { host: { cgroupControllers: ['memory', 'pids'] } }, ['cpus']],
    ['podman', 'podman, whose user was given nothing', { host: {} }, ['memoryMb', 'cpus', 'processes']],
  ])('is for %s what it says about itself: %s', (kind, _, info, unheld) => {
    const engine = engineFrom({ MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, ...info });
    expect(engine).toMatchObject({ kind, unheld });
  });

  it('knows how many files and processes this process may open at most', () => {
    const limits = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96349                unlimited            processes
Max open files            1024                 20000                files     `;
    expect(ceilingsIn(limits)).toEqual({ nofile: 20_000, nproc: 32_768 });
    expect(ceilingsIn('')).toEqual({});
  });

  it('recognises an ordinary user’s engine, one with remapped users, and SELinux', () => {
    const all = { rootless: true, remapped: true, selinux: true };
    expect(engineFrom({ SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] })).toMatchObject({
      ...{ rootless: true, remapped: false, selinux: false },
    });
    expect(engineFrom({ SecurityOptions: ['name=rootless', 'name=userns', 'name=selinux'] })).toMatchObject(all);
    expect(engineFrom({ host: { security: { rootless: true, selinuxEnabled: true } } })).toMatchObject({
      ...{ kind: 'podman', rootless: true, selinux: true },
    });
  });

  it.skipIf(process.platform !== 'linux')(
    'of bubblewrap has a clean environment, and only the system of this machine',
    async () => {
      const { file, args, environment } = await bubblewrap.command(confined, config);
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
      expect((await bubblewrap.command({ ...confined, network: false }, config)).args).toContain('--unshare-net');
    },
  );

  it.skipIf(process.platform !== 'linux')('of bubblewrap hides a data folder that lies in the system', async () => {
    const own = loadConfig({ HOME: '/home/dev', HOLDFAST_HOME: '/usr/local/holdfast' });
    expect((await bubblewrap.command(confined, own)).args.join(' ')).toContain('--tmpfs /usr/local/holdfast');
  });
});

/** A program that stands in for docker: it records its arguments, and does what its cases say. */
function engine(cases: string) {
  const { folder, config } = place();
  const notes = path.join(folder, 'notes');
  const file = path.join(folder, 'docker');
  const script = `#!/bin/sh\necho "$@" >> ${notes}\ncase $1 in ${cases} esac\n`;
  writeFileSync(file, script, { mode: 0o755 });
  const own = loadConfig({ ...config.environment, HOLDFAST_HOST_ENGINE: file });
  return { config: own, told: () => readFileSync(notes, 'utf8').trim().split('\n') };
}

describe('what prevents the use of docker', () => {
  const fails = (words: string) => `echo "${words}" >&2; exit 1;;`;

  it.each([
    [
      'there is no engine',
      `image) ${fails('Cannot connect to the Docker daemon')}`,
      'Cannot connect to the Docker daemon',
    ],
    [
      'there is no image',
      `image) ${fails('Error: No such image: holdfast-agent')}`,
      'there is no image holdfast-agent; build it: ',
    ],
    ['a container does not start', `info) echo {};; run) ${fails('first\nError: no cgroups')}`, 'Error: no cgroups'],
  ])("is reported in docker's words: %s", async (_, cases, words) => {
    expect(await docker.trouble(engine(cases).config)).toMatch(new RegExp(`^${words}`));
  });

  it('shows when a container runs with the configured limits', async () => {
    const { config, told } = engine('info) echo {};;');
    const own = loadConfig({
      ...config.environment,
      HOLDFAST_HOST_ENGINE: config.settings.host.engine,
      HOLDFAST_HOST_CPUS: '3',
    });
    expect(await docker.trouble(own)).toBeUndefined();
    expect(told().at(-1)).toMatch(/^run .* --network bridge .* --cpus 3 --pids-limit 512 .* holdfast-agent true$/);
  });
});

describe('what a killed host has left with an engine', () => {
  it('is found by the label of the data folder, and ended', async () => {
    const { config, told } = engine("ps) printf 'c1\\nc2\\n';;");
    expect(await docker.sweep?.(config)).toEqual(['c1', 'c2']);
    expect(told()).toEqual([`ps --all --quiet --filter label=${homeLabel(config)}`, 'rm --force c1 c2']);
  });

  it('is usually nothing', async () => {
    const { config, told } = engine('none) ;;');
    expect(await docker.sweep?.(config)).toEqual([]);
    expect(told()).toHaveLength(1);
  });

  it('belongs to the same folder, by whatever path', () => {
    const { folder, config } = place();
    symlinkSync(config.home, path.join(folder, 'link'));
    const linked = loadConfig({ HOME: folder, HOLDFAST_HOME: path.join(folder, 'link') });
    expect(homeLabel(linked)).toBe(homeLabel(config));
    expect(homeLabel(place().config)).not.toBe(homeLabel(config));
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

  it('says loudly when nothing is isolated, and which limits are not enforced', async () => {
    const { config } = place();
    const { sandbox, warnings } = await chooseSandbox(config, [broken('bubblewrap'), broken('docker'), none]);
    expect(sandbox.name).toBe('none');
    expect(warnings[0]).toBe(nothingIsolated);
    expect(warnings.join('\n')).toContain('none cannot enforce the limit processes here');
  });

  it('takes no other than the one that was asked for', async () => {
    const { config } = place({ HOLDFAST_HOST_SANDBOX: 'docker' });
    await expect(chooseSandbox(config, [working('bubblewrap'), broken('docker'), none])).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The sandbox docker does not work here: docker: not today',
    });
  });
});
