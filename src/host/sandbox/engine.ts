// What docker or podman is like on this machine: whose program it is, as whom it runs, and which limits the kernel lets it hold.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.ts';
import type { Limits } from './sandbox.ts';

const run = promisify(execFile);

export interface Engine {
  /** By what it says of itself: `docker` may be podman under another name. */
  readonly kind: 'docker' | 'podman';
  /** It runs as an ordinary user, and that user is root to what is inside. */
  readonly rootless: boolean;
  /** Who is inside is somebody else outside, unless it is told otherwise. */
  readonly remapped: boolean;
  readonly selinux: boolean;
  /** What it would take, and not hold. */
  readonly unheld: readonly (keyof Limits)[];
  /** What this process may open and start at most, by the names of `--ulimit`. Podman of root asks for more, and fails where that is refused. */
  readonly ceilings?: Readonly<Record<string, number>> | undefined;
}

/** Runs the engine's program to its end, and gives what it has printed. */
export async function ask(config: Config, args: readonly string[], timeout = 30_000): Promise<string> {
  const { stdout } = await run(config.settings.host.engine, args, { env: engineEnvironment(config), timeout });
  return stdout;
}

const mattersToEngines =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|LANG|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(?:DOCKER|CONTAINERS?|PODMAN|STORAGE)_\w+)$/;

/** Podman hands on the addresses of proxies, which may hold passwords, and all the rest where it is set up so: it gets nothing to hand on. */
export const engineEnvironment = ({ environment }: Pick<Config, 'environment'>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => mattersToEngines.test(name)));

const found = new Map<string, Promise<Engine>>();

/** Asked once for a process: it does not change while that runs. */
export function engineOf(config: Config): Promise<Engine> {
  const { engine } = config.settings.host;
  let asked = found.get(engine);
  if (asked === undefined) {
    asked = ask(config, ['info', '--format', '{{json .}}']).then((text) => ({
      ...engineFrom(JSON.parse(text) as Info),
      ceilings: ceilingsIn(ownLimits()),
    }));
    found.set(engine, asked);
    // Another time it may answer.
    asked.catch(() => found.delete(engine));
  }
  return asked;
}

/** The most that is asked for: podman itself takes no more processes than a machine has numbers for. */
const ceilings = [
  { name: 'nofile', title: 'Max open files', most: 1_048_576 },
  { name: 'nproc', title: 'Max processes', most: 32_768 },
] as const;

/** From the text of /proc/self/limits. */
export const ceilingsIn = (limits: string): Record<string, number> =>
  Object.fromEntries(
    ceilings.flatMap(({ name, title, most }) => {
      const hard = new RegExp(`^${title} +\\S+ +(\\d+|unlimited)`, 'm').exec(limits)?.[1];
      return hard === undefined ? [] : [[name, Math.min(most, hard === 'unlimited' ? most : Number(hard))]];
    }),
  );

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux says it, and only there podman runs containers itself.
    return '';
  }
}

/** As much of it as is looked at; podman's is `host`, and the rest docker's. */
interface Info {
  readonly host?: {
    readonly cgroupControllers?: readonly string[] | null;
    readonly security?: { readonly rootless?: boolean; readonly selinuxEnabled?: boolean };
  };
  readonly SecurityOptions?: readonly string[] | null;
  readonly MemoryLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
}

export function engineFrom(info: Info): Engine {
  const unheld = (held: Record<'memoryMb' | 'cpus' | 'processes', boolean>) =>
    (['memoryMb', 'cpus', 'processes'] as const).filter((limit) => !held[limit]);
  if (info.host !== undefined) {
    const has = (name: string) => info.host?.cgroupControllers?.includes(name) ?? false;
    return {
      kind: 'podman',
      rootless: info.host.security?.rootless ?? false,
      remapped: false,
      selinux: info.host.security?.selinuxEnabled ?? false,
      unheld: unheld({ memoryMb: has('memory'), cpus: has('cpu'), processes: has('pids') }),
    };
  }
  const has = (name: string) => info.SecurityOptions?.some((one) => one.split(',').includes(`name=${name}`)) ?? false;
  return {
    kind: 'docker',
    rootless: has('rootless'),
    remapped: has('userns'),
    selinux: has('selinux'),
    unheld: unheld({
      memoryMb: info.MemoryLimit === true,
      cpus: info.CpuCfsQuota === true,
      processes: info.PidsLimit === true,
    }),
  };
}
