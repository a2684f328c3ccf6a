// Installs the worker or the host with the user's service manager, and removes it. Optional: hooks start a worker
// without it.
import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agents } from '../agents/index.ts';
import { type Config, keyVariables, loadConfig } from '../config/config.ts';
import { settingList } from '../schema/settings.ts';
import { explain, HoldfastError, systemCode } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';
import {
  launchd,
  markOf,
  type ServiceKind,
  type ServiceManager,
  type ServicePlan,
  type Step,
  systemd,
  workerKind,
} from './service-file.ts';
import { program, stopWorker, workerStatus } from './worker-process.ts';

/** A service, and how to tell that it runs. */
export interface Service {
  readonly kind: ServiceKind;
  /** Variables besides the settings that the service depends on. */
  readonly variables: RegExp | undefined;
  isRunning(config: Config): Promise<boolean>;
  /** Whether it does its work: it may run without being able to. */
  isUp(config: Config): Promise<boolean>;
  /** Stops one that was started by itself. Absent if only the person can. */
  stop?(config: Config): Promise<unknown>;
  logFile(config: Config): string;
  /** What to do without a service manager. */
  readonly instead: string;
  /** How long a new one may take to start. */
  readonly patienceMs: number;
}

const workerRuns = async (config: Config): Promise<boolean> => (await workerStatus(config)).running;

export const workerService: Service = {
  kind: workerKind,
  variables: undefined,
  isRunning: workerRuns,
  isUp: workerRuns,
  stop: stopWorker,
  logFile: ({ logPath }) => logPath,
  instead: 'Hooks start the worker when they need it; or let your login run: holdfast worker start',
  patienceMs: 15_000,
};

export interface ServiceDeps {
  readonly service: Service;
  readonly config: Config;
  readonly platform: NodeJS.Platform;
  /** Runs a program to its end. Never rejects; a missing program ends with 127. */
  readonly run: (command: readonly string[]) => Promise<{ code: number; output: string }>;
  readonly patienceMs?: number;
}

export interface Installed {
  readonly manager: ServiceManager['name'];
  readonly file: string;
  /** Without secrets. */
  readonly text: string;
  /** Whether the file did not exist, or had other content. */
  readonly changed: boolean;
  /** Whether the manager runs it now; false if the manager cannot be reached. */
  readonly running: boolean;
  /** The commands that were or would be run; if the manager cannot be reached, the commands for the person to run. */
  readonly commands: readonly string[];
}

export async function installService(deps: ServiceDeps, dryRun: boolean): Promise<Installed> {
  const { config, service } = deps;
  const { name } = service.kind;
  const manager = await managerOf(deps);
  const { file } = manager;
  const text = manager.text(planOf(config, service));
  const old = readOwn(file, service.kind);
  const isRunning = await service.isRunning(config);
  const reachable = (await deps.run(manager.reach)).code === 0;
  const result = { manager: manager.name, file, text: withoutSecrets(text, config), changed: old !== text };
  const active = reachable && (await deps.run(manager.active)).code === 0;
  if (!result.changed && active && isRunning) return { ...result, running: true, commands: [] };
  // A running one would make the service's own process end at once.
  if (isRunning && !active && service.stop === undefined)
    throw new HoldfastError('CONFLICT', `A ${name} is already running, but not as a service`, {
      hint: `End it first: see holdfast ${name} status`,
    });
  const ends = isRunning && service.stop !== undefined ? [`holdfast ${name} stop`] : [];
  const commands = [...ends, ...linesOf(manager.load)];
  if (dryRun) return { ...result, running: false, commands };

  write(file, text);
  if (!reachable) return { ...result, running: false, commands };
  await service.stop?.(config);
  await perform(deps, manager.load);
  await comesUp(deps, manager);
  return { ...result, running: true, commands };
}

export interface Uninstalled {
  readonly manager: ServiceManager['name'];
  readonly file: string;
  /** Whether there was anything to remove. */
  readonly found: boolean;
  readonly commands: readonly string[];
}

export async function uninstallService(deps: ServiceDeps, dryRun: boolean): Promise<Uninstalled> {
  const manager = await managerOf(deps);
  const { file } = manager;
  const found = readOwn(file, deps.service.kind) !== undefined;
  const reachable = found && (await deps.run(manager.reach)).code === 0;
  const commands = reachable ? linesOf([...manager.unload, ...manager.forget]) : [];
  if (found && !dryRun) {
    if (reachable) await perform(deps, manager.unload);
    try {
      rmSync(file);
    } catch (error) {
      throw explain(error, file);
    }
    for (const trace of manager.traces) removeTrace(trace);
    if (reachable) await perform(deps, manager.forget);
  }
  return { manager: manager.name, file, found, commands };
}

/** Contract: never rejects. */
export const runProgram =
  (environment: NodeJS.ProcessEnv): ServiceDeps['run'] =>
  ([file = '', ...args]) =>
    new Promise((resolve) => {
      const options = { env: environment, timeout: 30_000 };
      execFile(file, args, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127;
        resolve({ code, output: `${stdout}${stderr}`.trim() });
      });
    });

async function managerOf({ service, config, platform, run }: ServiceDeps): Promise<ServiceManager> {
  const user = config.userHome;
  if (platform === 'darwin') return launchd(service.kind, { user, uid: process.getuid?.() ?? 0 });
  if (platform === 'linux' && (await run(['systemctl', '--version'])).code === 0)
    return systemd(service.kind, { user, configFolder: config.environment.XDG_CONFIG_HOME });
  throw new HoldfastError('NOT_FOUND', 'There is no service manager here that Holdfast knows (systemd, launchd)', {
    hint: service.instead,
  });
}

/** The service needs the configuration of the shell that installs it, whatever the manager's own environment is. */
export function planOf(config: Config, { kind, variables }: Service): ServicePlan {
  const bare = loadConfig({ HOME: config.environment.HOME, HOLDFAST_HOME: config.home });
  const environment: Record<string, string> = { HOLDFAST_HOME: config.home };
  for (const { key, variable } of settingList) {
    const given = config.environment[variable];
    const agent = agents.find(({ name }) => key === `agents.${name}.watchPath`);
    if (agent && config.watchPath(agent) !== bare.watchPath(agent)) environment[variable] = config.watchPath(agent);
    else if (config.origin[key] === 'environment' && given !== undefined) environment[variable] = given;
  }
  for (const [variable, given] of Object.entries(config.environment))
    if (variables?.test(variable) && given) environment[variable] = given;
  return { command: [process.execPath, program, kind.name, 'run'], environment };
}

const secrets = [...settingList.flatMap(({ secret, variable }) => (secret ? variable : [])), ...keyVariables];

function withoutSecrets(text: string, { environment }: Config): string {
  const values = secrets.flatMap((variable) => environment[variable] || []);
  return values.reduce((shown, value) => shown.replaceAll(value, '(hidden)'), text);
}

/** What we wrote there before, if anything; throws if the file is not ours. */
function readOwn(file: string, kind: ServiceKind): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw explain(error, file);
  }
  if (text.includes(markOf(kind))) return text;
  throw new HoldfastError('CONFLICT', `${file} already exists, and Holdfast did not write it`, {
    hint: 'Move it away first.',
  });
}

function write(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, text, 0o600);
  } catch (error) {
    throw explain(error, file);
  }
}

function removeTrace(trace: string): void {
  try {
    if (lstatSync(trace).isDirectory()) rmdirSync(trace);
    else rmSync(trace);
  } catch (error) {
    // It does not exist, or others have files in it: both are fine.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw explain(error, trace);
  }
}

const linesOf = (steps: readonly Step[]): string[] => steps.map(({ command }) => command.join(' '));

async function perform({ run }: ServiceDeps, steps: readonly Step[]): Promise<void> {
  for (const { command, mayFail } of steps) {
    const { code, output } = await run(command);
    if (code !== 0 && !mayFail)
      throw new HoldfastError('CONFLICT', `\`${command.join(' ')}\` failed: ${output || `exit code ${code}`}`, {
        hint: 'Fix the cause, then run the same command again.',
      });
  }
}

async function comesUp({ config, service, patienceMs }: ServiceDeps, { name: manager }: ServiceManager): Promise<void> {
  const { name, unit } = service.kind;
  const deadline = Date.now() + (patienceMs ?? service.patienceMs);
  while (!(await service.isUp(config))) {
    if (Date.now() > deadline)
      throw new HoldfastError('INTERNAL', `The service is installed, but its ${name} does not run`, {
        hint: manager === 'systemd' ? `See: journalctl --user -u ${unit}` : `See: ${service.logFile(config)}`,
      });
    await sleep(50);
  }
}
