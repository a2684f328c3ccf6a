// What docker or podman is like on this machine: which program it is, as which user it runs, and which limits the kernel lets it enforce.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.ts';
import type { Limits } from './sandbox.ts';

const run = promisify(execFile);

export interface Engine {
  /** What it says about itself: `docker` may be podman under another name. */
  readonly kind: 'docker' | 'podman';
  /** It runs as an ordinary user, who is root inside. */
  readonly rootless: boolean;
  /** Users inside map to other users outside, unless told otherwise. */
  readonly remapped: boolean;
  readonly selinux: boolean;
  /** Limits that it would accept but not enforce. */
  readonly unheld: readonly (keyof Limits)[];
  /**
   * How many files and processes this process may open at most, by the names of `--ulimit`. Root's podman asks for more, and fails if that
   * is refused.
   */
  readonly ceilings?: Readonly<Record<string, number>> | undefined;
}

/** Runs the engine's program to its end, and returns its output. */
export async function ask(config: Config, args: readonly string[], timeout = 30_000): Promise<string> {
  const { stdout } = await run(config.settings.host.engine, args, { env: engineEnvironment(config), timeout });
  return stdout;
}

const mattersToEngines =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|LANG|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(?:DOCKER|CONTAINERS?|PODMAN|STORAGE)_\w+)$/;

/** Podman passes on proxy addresses, which may hold passwords, and everything else if configured so. It gets nothing to pass on. */
export const engineEnvironment = ({ environment }: Pick<Config, 'environment'>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => mattersToEngines.test(name)));

const found = new Map<string, Promise<Engine>>();

/** Once per process: the engine does not change while it runs. */
export function engineOf(config: Config): Promise<Engine> {
  const { engine } = config.settings.host;
  let asked = found.get(engine);
  if (asked === undefined) {
    asked = ask(config, ['info', '--format', '{{json .}}']).then((text) => ({
      ...engineFrom(JSON.parse(text) as Info),
      ceilings: ceilingsIn(ownLimits()),
    }));
    found.set(engine, asked);
    // It may answer the next time.
    asked.catch(() => found.delete(engine));
  }
  return asked;
}

/** The maximum to ask for: podman itself takes no more processes than a machine has pids. */
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
    // Only Linux has it, and only there does podman run containers itself.
    return '';
  }
}

/** The fields that are read. `host` is podman's, the rest is docker's. */
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
