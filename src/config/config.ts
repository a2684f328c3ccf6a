// The only reader of process.env and of config.json. Order: environment, then file, then default.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { ZodEnum, type z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import { isPulledKey } from '../agents/pull.ts';
import { type Setting, Settings, settingList } from '../schema/settings.ts';
import { explain, HoldfastError, systemCode } from '../system/errors.ts';
import { learnOwnZone } from './own-time-zone.ts';

export type Origin = 'default' | 'file' | 'environment';

export interface Config {
  readonly home: string;
  /** The person's home folder. */
  readonly userHome: string;
  /** Where programs are looked for. */
  readonly searchPath: string;
  /** Lets systemd's programs find their manager. */
  readonly managerEnvironment: Readonly<Record<string, string>>;
  readonly databasePath: string;
  readonly logPath: string;
  /** The folder of the memory files. */
  readonly memoryPath: string;
  readonly archivePath: string;
  /** The folders that groups work in, and the home folders of their agents. */
  readonly groupsPath: string;
  readonly agentHomesPath: string;
  readonly filePath: string;
  readonly settings: Settings;
  readonly origin: Readonly<Record<string, Origin>>;
  /** The folder of an agent's transcripts, or the folder they are pulled from. */
  watchPath(agent: Agent): string;
  /** All folders that an agent's sessions are pulled from. */
  pullPaths(agent: Agent): readonly string[];
  /** The folder of the transcripts that an agent's sessions are pulled into. */
  pulledPath(agent: Agent): string;
  /** The folders whose files ingest reads: the agent's own, the folder of pulled transcripts, or both. */
  transcriptsPaths(agent: Agent): readonly string[];
  /** Which of them contains the transcript with this key. */
  transcriptsPath(agent: Agent, key: string): string;
  enabled(agent: Agent): boolean;
  /** The ignore list, with `~` expanded. */
  readonly ignore: readonly string[];
  /** The agent's own settings file, for agents that Holdfast can be installed into. */
  agentSettings(agent: Agent): string | undefined;
  /** The key of the model's service: from the settings, or from the environment if it is for that very service. */
  readonly modelKey: string | undefined;
  /** Address and key of the model for hosted agents. */
  readonly modelService: ModelService;
  /** The agent's list of MCP servers, for agents that we can add ours to. */
  agentMcpFile(agent: Agent): string | undefined;
  /** The environment in which a child process has this same configuration. */
  readonly environment: NodeJS.ProcessEnv;
  /** The worker or a hook has started this process. It creates no data folder: one that is missing was removed. */
  readonly isPart: boolean;
  /** The current configuration, from the same environment. */
  reload(): Config;
}

export interface ModelService {
  readonly url: string;
  /** The authentication header and its value. */
  readonly key: { readonly header: 'x-api-key' | 'authorization'; readonly value: string } | undefined;
}

/** `mending`: bad values in the file count as absent, for a caller that is about to change them. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, { mending = false } = {}): Config {
  learnOwnZone(process.env.TZ);
  const user = homeOf(env);
  const home = resolve(expand(env.HOLDFAST_HOME || join(user, '.holdfast'), user));
  const filePath = join(home, 'config.json');
  const origin: Record<string, Origin> = Object.fromEntries(settingList.map(({ key }) => [key, 'default']));
  const { values, faults } = readConfigFile(filePath);
  for (const [key, fault] of faults) {
    if (!mending) throw fault;
    values.delete(key);
  }
  for (const key of values.keys()) origin[key] = 'file';
  for (const setting of settingList) {
    const text = env[setting.variable];
    if (text === undefined || text === '') continue;
    values.set(setting.key, parseSetting(setting, text, `the environment variable ${setting.variable}`));
    origin[setting.key] = 'environment';
  }
  const settings = Settings.parse(nest(values, { agents: {} }));
  const watchPath = (agent: Agent) =>
    resolve(expand(settings.agents[agent.name].watchPath ?? agent.root(env, user), user));
  const pulledPath = (agent: Agent): string => join(home, 'pulled', agent.name);
  return {
    home,
    userHome: user,
    searchPath: env.PATH || '/usr/local/bin:/usr/bin:/bin',
    managerEnvironment: Object.fromEntries(
      ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'].flatMap((name) =>
        env[name] === undefined ? [] : [[name, env[name] as string]],
      ),
    ),
    databasePath: join(home, 'holdfast.db'),
    logPath: join(home, 'logs', 'worker.log'),
    archivePath: resolve(expand(settings.archivePath ?? join(home, 'archives'), user)),
    memoryPath: resolve(expand(settings.memoryPath ?? join(home, 'memory'), user)),
    groupsPath: join(home, 'groups'),
    agentHomesPath: join(home, 'agent-homes'),
    filePath,
    settings,
    origin,
    watchPath,
    pullPaths: (agent) => [
      watchPath(agent),
      ...(settings.agents[agent.name].watchPath === undefined ? (agent.pull?.also?.(env, user) ?? []) : []),
    ],
    pulledPath,
    transcriptsPaths: (agent) => [
      ...(agent.pull === undefined || agent.pull.beside !== undefined ? [watchPath(agent)] : []),
      ...(agent.pull === undefined ? [] : [pulledPath(agent)]),
    ],
    transcriptsPath: (agent, key) => (isPulledKey(agent, key) ? pulledPath(agent) : watchPath(agent)),
    enabled: (agent) => settings.agents[agent.name].enabled,
    ignore: settings.ignore.map((pattern) => expand(pattern, user)),
    agentSettings: (agent) => agent.hooks?.settingsFile(env, user),
    modelKey: settings.distill.key ?? keyFrom(env, settings),
    modelService: modelServiceOf(env, settings),
    agentMcpFile: (agent) => agent.mcp?.file(env, user),
    environment: { ...env, HOLDFAST_HOME: home },
    isPart: Boolean(env.HOLDFAST_PART),
    reload: () => loadConfig(env),
  };
}

/** Not `os.homedir()`: it returns '' if HOME is empty, which would put the data folder in the current directory. */
const homeOf = (env: NodeJS.ProcessEnv): string => env.HOME || userInfo().homedir;

/** A key is for the service that issued it: a key from the environment is not sent to another address. */
function keyFrom(env: NodeJS.ProcessEnv, { distill: { model, url } }: Settings): string | undefined {
  const host = url === undefined ? undefined : new URL(url).hostname;
  if (model === 'anthropic' && (host ?? 'api.anthropic.com') === 'api.anthropic.com')
    return env.ANTHROPIC_API_KEY || undefined;
  if (model === 'openai-compatible' && (host ?? 'api.openai.com') === 'api.openai.com')
    return env.OPENAI_API_KEY || undefined;
  return undefined;
}

/** Where keys of the model's service are found besides the settings. */
export const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY'] as const;

function modelServiceOf(env: NodeJS.ProcessEnv, { host }: Settings): ModelService {
  const anthropic = 'https://api.anthropic.com';
  const url = (host.url ?? (env.ANTHROPIC_BASE_URL || anthropic)).replace(/\/+$/, '');
  if (host.key !== undefined) return { url, key: { header: 'x-api-key', value: host.key } };
  // The environment's key is for the environment's address.
  if (url !== (env.ANTHROPIC_BASE_URL || anthropic).replace(/\/+$/, '')) return { url, key: undefined };
  if (env.ANTHROPIC_API_KEY) return { url, key: { header: 'x-api-key', value: env.ANTHROPIC_API_KEY } };
  if (env.ANTHROPIC_AUTH_TOKEN)
    return { url, key: { header: 'authorization', value: `Bearer ${env.ANTHROPIC_AUTH_TOKEN}` } };
  return { url, key: undefined };
}

/** How the person wants the terminal to be used; also needed if the configuration itself is bad. */
export function terminalWishes(env: NodeJS.ProcessEnv = process.env) {
  return {
    pager: env.PAGER || undefined,
    editor: env.VISUAL || env.EDITOR || 'vi',
    noColor: Boolean(env.NO_COLOR) || env.TERM === 'dumb',
    /** The terminal has no cursor control and no alternate screen. */
    dumb: env.TERM === 'dumb' || (!env.TERM && process.platform !== 'win32'),
    forceColor: Boolean(env.FORCE_COLOR) && env.FORCE_COLOR !== '0',
    debug: Boolean(env.HOLDFAST_DEBUG),
    locale: localeOf(env),
  };
}

/** The locale of times as a BCP 47 tag: `en_US.UTF-8` is `en-US`. Undefined for none, and for `C` and `POSIX`. */
function localeOf(env: NodeJS.ProcessEnv): string | undefined {
  const named = (env.LC_ALL || env.LC_TIME || env.LANG || '').replace(/[.@].*$/s, '');
  return ['', 'C', 'POSIX'].includes(named) ? undefined : named.replaceAll('_', '-');
}

/** The environment of the demo: a separate home unless one is given. */
export function demoEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, HOLDFAST_HOME: env.HOLDFAST_HOME || join(homeOf(env), '.holdfast-demo') };
}

/**
 * Creates the data folder, closed to other users. A child process of the worker creates none: a folder that a person
 * removed stays removed.
 */
export function ensureHome(config: Config): void {
  const logs = join(config.home, 'logs');
  try {
    if (!config.isPart) mkdirSync(logs, { recursive: true, mode: 0o700 });
    else if (!existsSync(logs)) mkdirSync(logs, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (config.isPart && code === 'EEXIST') return;
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new HoldfastError('BAD_INPUT', `The data folder ${config.home} cannot be created: a file is in the way`, {
        hint: 'Set HOLDFAST_HOME to a folder.',
        cause: error,
      });
    // An existing folder that cannot be written can still be read; a command that has to write reports it.
    if (['EROFS', 'EACCES', 'EPERM'].includes(code ?? '') && existsSync(config.databasePath)) return;
    throw explain(error, `The data folder ${config.home}`);
  }
}

export function settingNamed(key: string): Setting {
  const found = settingList.find((setting) => setting.key === key);
  if (found) return found;
  throw new HoldfastError('BAD_INPUT', `There is no setting "${key}"`, { hint: hintFor(key) });
}

/** The value of a text, as typed on the command line or found in the environment. */
export function parseSetting(setting: Setting, text: string, source: string): unknown {
  const value = fromText(setting, text.trim());
  const parsed = setting.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refusal(setting, value, source, parsed.error);
}

export interface ConfigFile {
  /** Everything in the file, by key. */
  readonly values: Map<string, unknown>;
  /** What is wrong, by key. */
  readonly faults: ReadonlyMap<string, HoldfastError>;
}

/** Reads config.json and checks every value. A file that does not exist is empty. */
export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the data folder itself is a file, which creating the folder reports.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR')
      return { values: new Map(), faults: new Map() };
    throw explain(error, path);
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = `${path} is not valid JSON: ${(error as Error).message}`;
    throw new HoldfastError('BAD_INPUT', message, { hint: 'Correct the file, or remove it.', cause: error });
  }
  if (!isObject(json))
    throw new HoldfastError('BAD_INPUT', `${path} must hold a JSON object`, {
      hint: `Example: { "timeZone": "Europe/Berlin" }. ${listing}`,
    });
  const values = flatten(json);
  const faults = new Map<string, HoldfastError>();
  for (const [key, value] of values) {
    const fault = faultOf(key, value, path);
    if (fault) faults.set(key, fault);
  }
  return { values, faults };
}

/** Flat settings → the nested object in config.json. */
export function nest(values: ReadonlyMap<string, unknown>, into: Record<string, unknown> = {}) {
  for (const [key, value] of values) {
    const path = key.split('.');
    const last = path.pop() as string;
    let at = into;
    for (const step of path) {
      at[step] ??= {};
      at = at[step] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return into;
}

/** Settings and unknown keys, by key. */
function flatten(json: Record<string, unknown>, prefix = ''): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(json)) {
    const key = prefix + name;
    if (isObject(value) && holdsSettings(key))
      for (const [inner, within] of flatten(value, `${key}.`)) values.set(inner, within);
    else values.set(key, value);
  }
  return values;
}

const holdsSettings = (key: string): boolean => settingList.some((setting) => setting.key.startsWith(`${key}.`));

function faultOf(key: string, value: unknown, file: string): HoldfastError | undefined {
  const setting = settingList.find((candidate) => candidate.key === key);
  if (!setting)
    return holdsSettings(key)
      ? new HoldfastError('BAD_INPUT', `${file}: ${key} must be an object, not ${JSON.stringify(value)}`)
      : new HoldfastError('BAD_INPUT', `${file}: there is no setting "${key}"`, { hint: hintFor(key) });
  const parsed = setting.schema.safeParse(value);
  return parsed.success ? undefined : refusal(setting, value, `${file}: ${key}`, parsed.error);
}

function refusal(setting: Setting, value: unknown, source: string, error: z.ZodError): HoldfastError {
  const shown = setting.secret ? '(hidden)' : JSON.stringify(value);
  return new HoldfastError('BAD_INPUT', `${source} is ${shown}, which is not allowed`, {
    hint: `${setting.key} ${isUnquoted(value, setting) ? `must be a text: ${JSON.stringify(String(value))}` : requirement(error, setting)}.`,
  });
}

/** `12` for `"12"` in config.json: a list of the allowed values would show the same digits. */
const isUnquoted = (value: unknown, { options }: Setting): boolean =>
  typeof value === 'number' && options?.includes(String(value)) === true;

function requirement(error: z.ZodError, setting: Setting): string {
  const issue = error.issues[0];
  if (issue?.code === 'custom') return issue.message;
  if (setting.kind === 'boolean') return 'must be true or false';
  if (setting.schema instanceof ZodEnum) return `must be one of: ${setting.schema.options.join(', ')}`;
  if (issue?.code === 'invalid_format' && issue.format === 'url')
    return 'must be an address such as http://localhost:11434/v1';
  if (setting.kind === 'string') return 'must be non-empty text';
  if (setting.kind === 'list') return 'must be a list of texts; on the command line, separated by commas';
  const { minValue, maxValue, format } = setting.schema as z.ZodNumber;
  const low = minValue === null || !setting.schema.safeParse(minValue).success ? 'above 0' : `at least ${minValue}`;
  return `must be a ${format === 'safeint' ? 'whole number' : 'number'}, ${low}, at most ${maxValue}`;
}

function fromText(setting: Setting, text: string): unknown {
  if (setting.kind === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text);
  if (setting.kind === 'list')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (setting.kind === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true;
    if (/^(false|0|no|off)$/i.test(text)) return false;
  }
  return text;
}

const listing = 'List all settings with: holdfast config list';
const mostNear = 5;

/** Names settings with a word that begins alike, has the same letters in another order, or one letter more or less; a list of all would not be read. */
function hintFor(typed: string): string {
  const words = wordsIn(typed);
  const near = settingList
    .map(({ key }) => ({ key, shared: wordsIn(key).filter((word) => words.some((one) => isNear(one, word))).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, mostNear);
  return near.length === 0 ? listing : `Did you mean: ${near.map(({ key }) => key).join(', ')}? ${listing}`;
}

const isNear = (one: string, other: string): boolean =>
  one.slice(0, 4) === other.slice(0, 4) ||
  [...one].sort().join('') === [...other].sort().join('') ||
  lacksOneLetter(one, other) ||
  lacksOneLetter(other, one);

const lacksOneLetter = (one: string, other: string): boolean =>
  one.length + 1 === other.length && [...other].some((_, i) => other.slice(0, i) + other.slice(i + 1) === one);

/** `host.idleMinutes` has three. */
const wordsIn = (key: string): string[] =>
  key
    .slice(0, 200)
    .split(/[.\-_\s]|(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const expand = (path: string, user: string): string =>
  path === '~' ? user : /^~[/\\]/.test(path) ? join(user, path.slice(2)) : path;
