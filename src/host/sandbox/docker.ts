// A container of docker or podman, from an image that contains Node and the agent's SDK.
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { packageRoot } from '../../package.ts';
import { ask, type Engine, engineEnvironment, engineOf } from './engine.ts';
import { kernel } from './kernel.ts';
import { insidePaths } from './mounts.ts';
import { realPath } from './real-path.ts';
import type { Command, Confined, Sandbox } from './sandbox.ts';

export const docker: Sandbox = {
  name: 'docker',
  bringsSdk: true,
  async trouble(config) {
    const { engine, image, network, memoryMb, cpus, processes, fileMb } = config.settings.host;
    try {
      await ask(config, ['image', 'inspect', image]);
      // Running a container the way agents run shows whatever does not work.
      const limits = { memoryMb, cpus, processes, fileMb };
      const tried = { name: 'try', argv: ['true'], cwd: '/', environment: {}, mounts: [], network, limits };
      await ask(config, commandOf(await engineOf(config), tried, config).args, 60_000);
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `${engine} is not installed`;
      const said = String((error as { stderr?: unknown }).stderr ?? '').trim();
      if (/no such image|image not known/i.test(said))
        return `there is no image ${image}; build it: ${toBuild(config)}`;
      return said.split('\n').at(-1) || (error as Error).message;
    }
  },
  inside: () => ({
    ...insidePaths,
    node: 'node',
    path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    sdk: '/opt/holdfast/node_modules/@anthropic-ai/claude-agent-sdk',
    program: undefined,
  }),
  command: async (confined, config) => commandOf(await engineOf(config), confined, config),
  async sweep(config) {
    const list = ['ps', '--all', '--quiet', '--filter', `label=${homeLabel(config)}`];
    const left = (await ask(config, list)).split('\n').filter(Boolean);
    if (left.length > 0) await ask(config, ['rm', '--force', ...left]);
    return left;
  },
  async warnings(config) {
    const { kind, rootless } = await engineOf(config);
    return kind === 'docker' && !rootless && process.getuid?.() === 0 ? [rootInside] : [];
  },
  async unheld(limits, config) {
    const { unheld } = await engineOf(config);
    return unheld.filter((limit) => limits[limit] > 0);
  },
};

export const rootInside =
  'docker: agents are root in their containers, though without capabilities, and can read some files of the kernel. Run the host as an ordinary user, or with podman.';

/** The Dockerfile needs nothing else from its folder, which is small. */
const toBuild = ({ settings: { host } }: Config): string => {
  const folder = path.join(packageRoot, 'docker');
  return `${host.engine} build -t ${host.image} -f ${path.join(folder, 'agent.Dockerfile')} ${folder}`;
};

export function commandOf(engine: Engine, confined: Confined, config: Config): Command {
  const { argv, cwd, mounts, network, limits } = confined;
  const { host } = config.settings;
  const name = `holdfast-${confined.name}-${randomBytes(4).toString('hex')}`;
  const { memoryMb, cpus, processes, fileMb } = limits;
  return {
    file: host.engine,
    args: [
      ...['run', '--rm', '--init', '--pull', 'never', '--name', name, '--label', homeLabel(config)],
      // The container needs no time to shut down, and the engine would keep a copy of everything it prints.
      ...['--stop-signal', 'SIGKILL', '--log-driver', 'none', '--hostname', 'holdfast'],
      ...['--read-only', '--tmpfs', '/tmp:rw,exec,nosuid,nodev', '--cap-drop', 'ALL'],
      ...['no-new-privileges', ...masksOf(engine), ...(engine.selinux ? ['label=disable'] : [])].flatMap((option) => [
        '--security-opt',
        option,
      ]),
      ...networkOf(engine, network),
      ...userOf(engine),
      ...(memoryMb > 0 ? ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`] : []),
      ...(cpus > 0 ? ['--cpus', String(cpus)] : []),
      // Podman has a default limit if none is named.
      ...['--pids-limit', String(processes > 0 ? processes : -1)],
      ...(fileMb > 0 ? ['--ulimit', `fsize=${fileMb * 1024 * 1024}`] : []),
      ...ceilingsOf(engine),
      ...['--ulimit', 'core=0', '--workdir', cwd],
      ...Object.entries(confined.environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...mounts.flatMap(({ from, to, write }) => [
        '--mount',
        // The fields are CSV, so a comma in a path must be quoted.
        [`type=bind`, quoted(`source=${from}`), quoted(`target=${to}`), ...(write ? [] : ['readonly'])].join(','),
      ]),
      ...[host.image, ...argv],
    ],
    // The engine's program needs some of this machine's variables. The container gets only those named above.
    environment: engineEnvironment(config),
    cwd: '/',
    // A container outlives the program that has started it.
    end: [host.engine, 'rm', '--force', name],
  };
}

/** Docker has no `mask=` option, so a process that runs as root in the container can still read these files. */
const masksOf = ({ kind }: Engine): string[] =>
  kind === 'podman' ? [`mask=${['mtrr', 'pressure', ...kernel.hidden].map((name) => `/proc/${name}`).join(':')}`] : [];

/** Docker's engine has its own limits, and an ordinary user's podman takes those of the user. */
const ceilingsOf = ({ kind, rootless, ceilings = {} }: Engine): string[] =>
  kind === 'podman' && !rootless
    ? Object.entries(ceilings).flatMap(([name, most]) => ['--ulimit', `${name}=${most}:${most}`])
    : [];

function networkOf({ kind, rootless }: Engine, network: boolean): string[] {
  if (!network) return ['--network', 'none'];
  // An ordinary user's podman has its own kind of network, which needs no bridge.
  return kind === 'podman' && rootless ? [] : ['--network', 'bridge'];
}

/** The user who runs the host has the same uid inside, and owns the files there. */
function userOf({ kind, rootless, remapped }: Engine): string[] {
  const user = ['--user', `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`];
  if (!rootless) return remapped ? ['--userns', 'host', ...user] : user;
  return kind === 'podman' ? ['--userns', 'keep-id', ...user] : ['--user', '0:0'];
}

/** The label that marks a container as belonging to the host of this data folder. */
export const homeLabel = ({ home }: Pick<Config, 'home'>): string =>
  `holdfast.home=${createHash('sha256').update(realPath(home)).digest('hex').slice(0, 32)}`;

const quoted = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
