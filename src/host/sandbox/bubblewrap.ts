// bubblewrap: separate namespaces, a read-only system, and of this machine's files only what is mounted. Works for an ordinary user and for
// root. Either is an ordinary user inside, without capabilities and without a way to get them.
import { execFile } from 'node:child_process';
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../package.ts';
import { kernel } from './kernel.ts';
import { keyFilter } from './key-filter.ts';
import { insidePaths } from './mounts.ts';
import type { Limits, Sandbox } from './sandbox.ts';
import { asksForScope, hasScopes, scopeCommand } from './scope.ts';

const run = promisify(execFile);

/** Programs are looked up here, whatever the host's environment says: that might name a folder that agents write in. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const namespaces = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--disable-userns'],
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'holdfast', '--cap-drop', 'ALL'],
  ...['--new-session', '--die-with-parent'],
];

/** Of /etc only what programs need to run, to speak TLS and to resolve names. There is no private key below these. */
const etc = [
  ...[
    'ssl/certs',
    'ssl/openssl.cnf',
    'ca-certificates.conf',
    'pki/tls/certs',
    'pki/ca-trust/extracted',
    'alternatives',
  ],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'timezone', 'mime.types', 'protocols', 'services'],
  ...['resolv.conf', 'host.conf', 'gai.conf', 'nsswitch.conf'],
];

export const bubblewrap: Sandbox = {
  name: 'bubblewrap',
  bringsSdk: false,
  trouble: () => {
    probe ??= tryOut();
    return probe;
  },
  inside: ({ program }) => ({
    ...insidePaths,
    path: `${insidePaths.bin}:${systemPath}`,
    program: program === undefined ? undefined : insidePaths.program,
  }),
  async command({ argv, cwd, environment, mounts, network, limits }, { home, managerEnvironment: manager }) {
    const args = [
      ...namespaces,
      ...['--seccomp', '3'],
      ...(network ? [] : ['--unshare-net']),
      ...system(),
      ...['--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run', '--tmpfs', '/var/tmp'],
      // A data folder inside the system's own folders would be visible with them.
      ...(home.startsWith('/usr/') ? ['--tmpfs', home] : []),
      ...mounts.flatMap(({ from, to, write }) => [write ? '--bind' : '--ro-bind', from, to]),
      ...['--remount-ro', '/', '--chdir', cwd],
      ...['--', ...rlimits(limits), ...argv],
    ];
    const isScoped = asksForScope(limits) && (await hasScopes({ PATH: systemPath, ...manager }, isRoot()));
    const [file = 'bwrap', ...before] = isScoped ? [...scopeCommand(limits, isRoot()), 'bwrap'] : ['bwrap'];
    return {
      file,
      args: [...before, ...args],
      // bwrap needs a clean environment too: a program inside can read the environment of bwrap's first process.
      environment: { PATH: systemPath, ...(isScoped ? manager : {}), ...environment },
      cwd: '/',
      input: keyFilter(),
    };
  },
  async unheld({ memoryMb, cpus, processes }, { managerEnvironment: manager }) {
    if (asksForScope({ memoryMb, cpus, processes }) && (await hasScopes({ PATH: systemPath, ...manager }, isRoot())))
      return [];
    return [
      ...(memoryMb > 0 ? ['memoryMb'] : []),
      ...(cpus > 0 ? ['cpus'] : []),
      // The kernel does not apply the process limit to root.
      ...(processes > 0 && isRoot() ? ['processes'] : []),
    ];
  },
};

const isRoot = (): boolean => process.getuid?.() === 0;

/** Once per process: what works does not change while it runs. */
let probe: Promise<string | undefined> | undefined;

async function tryOut(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'bubblewrap exists on Linux only';
  const args = [...namespaces, ...system(), '--dev', '/dev', '--', 'true'];
  try {
    await run('bwrap', args, { env: { PATH: systemPath }, timeout: 10_000 });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'bwrap is not installed (package bubblewrap)';
    const said = String((error as { stderr?: unknown }).stderr ?? '')
      .trim()
      .split('\n')[0];
    return said || (error as Error).message;
  }
}

/** An empty file, mounted over files that must not be read. */
const nothing = path.join(packageRoot, 'sandbox', 'nothing');

function system(): string[] {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const folder of ['/bin', '/sbin', '/lib', '/lib64', '/lib32']) {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) args.push('--symlink', readlinkSync(folder), folder);
    else if (stat?.isDirectory()) args.push('--ro-bind', folder, folder);
  }
  for (const name of etc) {
    const file = path.join('/etc', name);
    // The target of a link may not exist inside.
    if (exists(file)) args.push('--ro-bind', realpathSync(file), file);
  }
  for (const name of ['passwd', 'group', 'hosts'])
    args.push('--ro-bind', path.join(packageRoot, 'sandbox', 'etc', name), `/etc/${name}`);
  args.push('--proc', '/proc');
  for (const name of kernel.readOnly)
    if (exists(`/proc/${name}`)) args.push('--ro-bind', `/proc/${name}`, `/proc/${name}`);
  for (const name of kernel.hidden) if (exists(`/proc/${name}`)) args.push('--ro-bind', nothing, `/proc/${name}`);
  return args;
}

const exists = (file: string): boolean => {
  try {
    realpathSync(file);
    return true;
  } catch {
    // Missing, or a dangling link: either way there is nothing to mount.
    return false;
  }
};

/** Set inside, where processes are counted for this sandbox alone. */
function rlimits({ processes, fileMb }: Limits): string[] {
  const limits = [
    ...(processes > 0 ? [`--nproc=${processes}`] : []),
    ...(fileMb > 0 ? [`--fsize=${fileMb * 1024 * 1024}`] : []),
    '--core=0',
  ];
  return ['prlimit', ...limits, '--'];
}
