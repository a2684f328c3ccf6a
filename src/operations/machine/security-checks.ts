// The checks of `doctor --security`: what other users of this machine could read, change or reach.
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agents } from '../../agents/index.ts';
import type { Config } from '../../config/config.ts';
import { inspectMcp } from '../../install/mcp.ts';
import { plural } from '../../language/plural.ts';
import type { Check } from './doctor.ts';

/** Every check says what it found, or that this system cannot tell. */
export async function securityChecks(config: Config, now: number): Promise<Check[]> {
  if (process.platform === 'win32')
    return [{ name: 'other users', ok: true, message: 'permissions are not checked on Windows' }];
  return [
    checkWay(config.home),
    ...['token', 'hook-token'].flatMap((name) => checkToken(join(config.home, name))),
    await checkBrowsers(config, now),
    await checkPort(config),
    ...checkSettings(config),
    checkTranscripts(config),
    checkMemory(config),
    checkSandbox(config),
  ];
}

const octal = (mode: number): string => (mode & 0o777).toString(8);
const own = (): number => process.getuid?.() ?? 0;
const belongsToUs = (uid: number): boolean => uid === own() || uid === 0;

/** A user who may write to a folder above ours can replace ours. */
function checkWay(home: string): Check {
  const name = 'data folder';
  const unsafe = ancestors(home).filter((folder) => {
    const { mode, uid } = statSync(folder);
    const isSticky = (mode & 0o1000) !== 0;
    return !belongsToUs(uid) || ((mode & 0o022) !== 0 && !isSticky);
  });
  const [first] = unsafe;
  if (first === undefined) return { name, ok: true, message: `no other user can replace ${home}` };
  return {
    name,
    ok: false,
    message: `Other users can change ${first} (${octal(statSync(first).mode)}), and so could replace ${home}`,
    hint: `chmod go-w '${first}', or choose another place with HOLDFAST_HOME.`,
  };
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return [...(existsSync(path) ? [path] : []), ...(above === path ? [] : ancestors(above))];
}

/** A token that others can read gives them access to everything; a token that others can write is theirs. */
function checkToken(file: string): Check[] {
  const name = file.endsWith('hook-token') ? 'hook token' : 'token';
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return name === 'token' ? [{ name, ok: true, message: 'not created yet' }] : [];
  const isClosed = found.isFile() && (found.mode & 0o077) === 0 && found.uid === own();
  if (isClosed) return [{ name, ok: true, message: 'only you can read it' }];
  const what = found.isFile() ? `has mode ${octal(found.mode)} and owner ${found.uid}` : 'is not a plain file';
  const hint = `rm '${file}' && holdfast worker stop && holdfast repair: that makes a new one.`;
  return [{ name, ok: false, message: `${file} ${what}; another user may know it`, hint }];
}

async function checkBrowsers({ home }: Config, now: number): Promise<Check> {
  const { listBrowsers } = await import('../../processes/access/browsers.ts');
  const known = listBrowsers(home, now);
  const message = known.length === 0 ? 'no browser has access' : `${plural(known.length, 'browser')} with access`;
  return { name: 'browsers', ok: true, message: `${message}; see: holdfast open --list` };
}

/** The port must be ours, on 127.0.0.1 only. A program on ::1 could be mistaken for us. */
async function checkPort(config: Config): Promise<Check> {
  const name = 'port';
  const { port } = config.settings;
  const [{ listenersOn }, { workerStatus }] = await Promise.all([
    import('../../processes/access/port-holder.ts'),
    import('../../processes/worker-process.ts'),
  ]);
  const listeners = await listenersOn(port);
  if (listeners === undefined) return { name, ok: true, message: 'this system does not show which program listens' };
  const status = await workerStatus(config);
  const isOurs = (pid: number | undefined) => status.running && pid === status.pid;
  const wide = listeners.find(({ address }) => address !== '127.0.0.1' && address !== '::1');
  const foreign = listeners.find(({ pid }) => !isOurs(pid));
  if (wide !== undefined && isOurs(wide.pid))
    return { name, ok: false, message: `The worker listens on ${wide.address}, which other machines may reach` };
  if (foreign !== undefined)
    return {
      name,
      ok: false,
      message: `Another program${foreign.pid === undefined ? '' : ` (process ${foreign.pid})`} listens on ${foreign.address}, port ${port}`,
      hint: 'Stop it, or move Holdfast: holdfast config set port … && holdfast repair. Browsers then need access again.',
    };
  const message = listeners.length === 0 ? 'no program listens' : `the worker listens on 127.0.0.1:${port} only`;
  return { name, ok: true, message };
}

/** An agent's settings name programs that it runs: a user who can change them runs programs as the person. */
function checkSettings(config: Config): Check[] {
  const secrets = ['token', 'hook-token'].flatMap((name) => textOf(join(config.home, name))?.trim() || []);
  return agents.flatMap((agent) => {
    const files = [config.agentSettings(agent), agent.mcp && inspectMcp(config, agent)?.file];
    return files.flatMap((file): Check[] => {
      const name = `${agent.name} settings`;
      const text = file === undefined ? undefined : textOf(file);
      if (file === undefined || text === undefined) return [];
      const { mode } = statSync(file);
      if (mode & 0o022)
        return [{ name, ok: false, message: `Other users can change ${file}`, hint: `chmod go-w '${file}'` }];
      const isIn = secrets.some((secret) => text.includes(secret)) || /Bearer [0-9a-f]{64}/.test(text);
      if (isIn && isOpen(file))
        return [
          {
            name,
            ok: false,
            message: `${file} holds a token of an older version of Holdfast, and other users can read it`,
            hint: `holdfast repair && rm '${join(config.home, 'hook-token')}' && holdfast worker stop`,
          },
        ];
      if (isIn) return [{ name, ok: false, message: `${file} holds a token of Holdfast`, hint: 'holdfast repair' }];
      return [{ name, ok: true, message: `${file} holds no token, and only you can change it` }];
    });
  });
}

/** Agents' transcripts are as secret as our copies of them. */
function checkTranscripts(config: Config): Check {
  const name = 'transcripts';
  const open = agents.map((agent) => config.watchPath(agent)).filter((folder) => existsSync(folder) && isOpen(folder));
  if (open.length === 0) return { name, ok: true, message: 'other users cannot read the folders of agents' };
  return {
    name,
    ok: false,
    message: `Other users can read ${open.join(', ')}`,
    hint: `chmod go= ${open.map((folder) => `'${folder}'`).join(' ')}`,
  };
}

function checkMemory({ memoryPath }: Config): Check {
  const name = 'memory files';
  if (!existsSync(memoryPath) || !isOpen(memoryPath))
    return { name, ok: true, message: 'other users cannot read them' };
  const hint = `chmod -R go= '${memoryPath}'`;
  return { name, ok: false, message: `Other users can read ${memoryPath}`, hint };
}

function checkSandbox({ settings: { host } }: Config): Check {
  const name = 'sandbox';
  if (host.sandbox !== 'none' && host.network && host.networkVia === 'machine')
    return {
      name,
      ok: false,
      message:
        'Agents of groups use the network of this machine, and can reach every program that listens on its loopback',
      hint: 'holdfast config set host.networkVia proxy',
    };
  if (host.sandbox !== 'none') return { name, ok: true, message: `agents of groups run in: ${host.sandbox}` };
  return {
    name,
    ok: false,
    message: 'Agents of groups run without a sandbox, as you',
    hint: 'holdfast config set host.sandbox auto',
  };
}

/** Whether every folder on the way lets other users pass, and the last one lets them read. */
function isOpen(path: string): boolean {
  if ((statSync(path).mode & 0o044) === 0) return false;
  return ancestors(dirname(path)).every((folder) => (statSync(folder).mode & 0o011) !== 0);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It does not exist, or we may not read it.
    return undefined;
  }
}
