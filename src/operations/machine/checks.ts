// The checks of `doctor`, one function per concern.
import { readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { staleTranscripts } from '../../capture/reread.ts';
import type { Config } from '../../config/config.ts';
import { inspectMcp } from '../../install/mcp.ts';
import { plural } from '../../language/plural.ts';
import { version } from '../../package.ts';
import { agentTitles } from '../../schema/agent-titles.ts';
import { toMoment } from '../../schema/time.ts';
import { withCommas } from '../../schema/with-commas.ts';
import { automaticBackups, backupFolder } from '../../store/sqlite/backup-files.ts';
import type { Store } from '../../store/store.ts';
import type { FileState } from '../../store/transcripts/port.ts';
import { systemCode } from '../../system/errors.ts';
import { damageHint, damageMessage } from '../data/backups.ts';
import type { Check } from './doctor.ts';

const listed = 10;

/** Only the owner may read the data folder and the files in it. */
export function checkPermissions(config: Config): Check {
  const name = 'permissions';
  if (process.platform === 'win32') return { name, ok: true, message: 'not checked on Windows' };
  // Files in models/ are public packages, and npm sets their permissions. Agents of groups set those of the files in their folders; the
  // folders themselves keep other users out.
  const isGroups = (folder: string) => [config.groupsPath, config.agentHomesPath].includes(dirname(folder));
  const ours = allBelow(config.home, (folder) => !isGroups(folder) && folder !== join(config.home, 'models'));
  const open = [config.home, ...ours].filter((path) => modeOf(path) & 0o077);
  if (open.length === 0) return { name, ok: true, message: `${config.home} is not readable by other users` };
  const named = open.slice(0, listed).map((path) => `${path} (${(modeOf(path) & 0o777).toString(8)})`);
  return {
    name,
    ok: false,
    message: `Other users can read ${named.join(', ')}${open.length > listed ? ' and more' : ''}`,
    hint: `chmod -R go= '${config.home}'`,
  };
}

export async function checkStore(store: Pick<Store, 'admin' | 'location'>): Promise<Check> {
  const problems = await store.admin.integrity();
  return problems.length === 0
    ? { name: 'store', ok: true, message: `${store.location} is sound` }
    : { name: 'store', ok: false, message: damageMessage(store.location, problems.length), hint: damageHint };
}

/** Automatic backups. */
export function checkBackups(config: Config): Check {
  const name = 'backups';
  if (!config.settings.backup.automatic) return { name, ok: true, message: 'switched off (backup.automatic)' };
  const [newest, ...older] = automaticBackups(backupFolder(config.home));
  if (newest === undefined) return { name, ok: true, message: 'none yet; the worker makes one each day' };
  return { name, ok: true, message: `${older.length + 1}, the last of ${toMoment(newest.at)}` };
}

export async function checkFiles(store: Pick<Store, 'transcripts'>): Promise<Check[]> {
  const states = await store.transcripts.states();
  const failed = states.filter((file) => file.status === 'failed');
  const malformed = states.filter((file) => file.malformed > 0);
  const lines = malformed.reduce((sum, file) => sum + file.malformed, 0);
  return [
    failed.length === 0
      ? { name: 'transcripts', ok: true, message: `${states.length} known, none stuck` }
      : {
          name: 'transcripts',
          ok: false,
          message: `${failed.length} could not be read: ${name(failed, (file) => file.error ?? 'unknown')}`,
          hint: 'Correct the cause, then: holdfast ingest',
        },
    // Killed agents leave half lines behind: worth knowing, but Holdfast works fine.
    {
      name: 'malformed lines',
      ok: true,
      message:
        lines === 0
          ? 'none'
          : `${lines} skipped in ${malformed.length} files: ${name(malformed, (f) => `${f.malformed}`)}`,
    },
    { name: 'unknown lines', ok: true, message: unknownKinds(states) },
  ];
}

/** Lines of kinds that no reader knows: a newer version of an agent writes them, and Holdfast may miss something. */
function unknownKinds(states: readonly FileState[]): string {
  const counts = new Map<string, number>();
  for (const { agent, state } of states)
    for (const [kind, lines] of Object.entries(state.capture.unknown ?? {})) {
      const named = `${agentTitles[agent]}: ${kind}`;
      counts.set(named, (counts.get(named) ?? 0) + lines);
    }
  if (counts.size === 0) return 'none';
  const most = [...counts].sort((a, b) => b[1] - a[1]);
  const more = most.length > listed ? `, and ${most.length - listed} kinds more` : '';
  return (
    most
      .slice(0, listed)
      .map(([kind, lines]) => `${kind} (${lines})`)
      .join(', ') + more
  );
}

/** After an update, Holdfast reads again what older versions could not read. */
export async function checkRereading(store: Pick<Store, 'transcripts' | 'vault'>, config: Config): Promise<Check[]> {
  const { length } = await staleTranscripts({ store, config });
  if (length === 0) return [];
  const said = length === 1 ? '1 transcript is' : `${length} transcripts are`;
  return [
    {
      name: 'reading again',
      ok: true,
      message: `${said} being read again, because an older version found less in them`,
      hint: 'The worker does this in the background. A part of it now: holdfast ingest --renew',
    },
  ];
}

/** Lists the transcripts that took too long to read, with what to do. */
export async function checkSetAside(store: Pick<Store, 'transcripts'>): Promise<Check[]> {
  const files = await store.transcripts.setAsides();
  if (files.length === 0) return [];
  const said = files.slice(0, listed).map(({ path, reason }) => `${path} (${reason})`);
  const more = files.length > listed ? `, and ${files.length - listed} more` : '';
  return [
    {
      name: 'set aside',
      ok: false,
      message: `${files.length} could not be read in time: ${said.join(', ')}${more}`,
      hint: 'All others were read. To try these again: holdfast ingest --retry. To allow more time: holdfast config set readSeconds <seconds>',
    },
  ];
}

export function checkAgents(config: Config): Check[] {
  return agents.map((agent) => {
    const path = config.watchPath(agent);
    const found = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (config.enabled(agent) && found) return { name: agent.title, ok: true, message: path };
    const message = config.enabled(agent) ? `no transcripts on this machine (${path})` : 'switched off';
    return { name: agent.title, ok: true, off: true, message };
  });
}

/** Whether an agent can query us over MCP; empty if Holdfast was never added to its MCP servers. */
export function checkMcp(config: Config, agent: Agent): Check[] {
  const found = inspectMcp(config, agent);
  const name = `${agent.title}, MCP`;
  if (found === undefined || found.state === 'none') return [];
  const { file, state } = found;
  if (state === 'elsewhere')
    return [
      { name, ok: false, message: `${file} points to another data folder`, hint: `holdfast install ${agent.name}` },
    ];
  if (state === 'outdated')
    return [{ name, ok: false, message: `${file} starts another program`, hint: 'Repair it: holdfast repair' }];
  const by = state === 'foreign' ? ', not written by Holdfast' : '';
  return [{ name, ok: true, message: `can search and read the memory (${file}${by})` }];
}

/** `status` reports an unreadable list of servers; it is not a fault of Holdfast. */
export const checkServers = (config: Config): Check[] =>
  (agents as readonly Agent[]).flatMap((agent) => {
    try {
      return checkMcp(config, agent);
    } catch {
      return [];
    }
  });

/** How much can be found by meaning, with which model, and what holds up the rest. */
export async function checkMeaning(store: Pick<Store, 'vectors'>, config: Config): Promise<Check> {
  const name = 'search by meaning';
  if (config.settings.embedding.kind === 'none')
    return { name, ok: true, message: 'switched off (embedding.kind); keywords only' };
  const [models, { embedded, pending, rough }, trouble] = await Promise.all([
    store.vectors.models(),
    store.vectors.counts(),
    store.vectors.trouble(),
  ]);
  const [done, left] = [embedded, pending].map(withCommas);
  if (trouble !== undefined && pending > 0) {
    const { message, hint, nextAt } = trouble;
    const again = `Tried again after ${toMoment(nextAt)}.`;
    return {
      name,
      ok: false,
      message: `${left} texts wait: ${message}`,
      hint: hint === undefined ? again : `${hint} ${again}`,
    };
  }
  const wanted = models.find((model) => model.wanted);
  if (wanted === undefined)
    return {
      name,
      ok: true,
      message: pending === 0 ? 'nothing to find yet' : `${left} texts wait for the worker, or: holdfast ingest`,
    };
  const old = models.find((model) => model.complete && !model.wanted);
  const meanwhile = old === undefined ? '' : `; until then by ${old.name}`;
  if (!wanted.complete)
    return { name, ok: true, message: `${done} entries by ${wanted.name}, ${left} wait${meanwhile}` };
  const closely = rough === 0 ? '' : `; ${plural(rough, 'text')} still to be read closely`;
  return {
    name,
    ok: true,
    message: `${done} entries by ${wanted.name}${pending === 0 ? '' : `, ${left} wait`}${closely}`,
  };
}

export async function checkWorker(config: Config): Promise<Check> {
  const { workerStatus } = await import('../../processes/worker-process.ts');
  const status = await workerStatus(config);
  const message = status.running
    ? `running as process ${status.pid} since ${status.since}`
    : 'not running; start it with: holdfast worker start';
  return { name: 'worker', ok: true, message };
}

export function checkVersions(store: Pick<Store, 'engine'> | undefined): Check {
  const engine = store === undefined ? '' : `, ${store.engine}`;
  return { name: 'versions', ok: true, message: `Holdfast ${version()}, Node ${process.versions.node}${engine}` };
}

/** Bytes of the files in a folder; 0 if it does not exist. */
export const folderSize = (path: string): number =>
  allBelow(path).reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0);

/** Leaves out what cannot be examined. Agents write in some of these folders: files vanish, and paths may be longer than the system takes. */
function allBelow(path: string, enters: (folder: string) => boolean = () => true): string[] {
  if (!statOf(path)?.isDirectory()) return [];
  return (quietly(() => readdirSync(path, { withFileTypes: true })) ?? [])
    .filter((item) => !item.isSymbolicLink())
    .flatMap((item) => {
      const at = join(path, item.name);
      return [at, ...(item.isDirectory() && enters(at) ? allBelow(at, enters) : [])];
    });
}

const modeOf = (path: string): number => statOf(path)?.mode ?? 0;
const statOf = (path: string): Stats | undefined => quietly(() => statSync(path, { throwIfNoEntry: false }));

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function name(files: readonly FileState[], say: (file: FileState) => string): string {
  const named = files.slice(0, listed).map((file) => `${file.agent} ${file.key} (${say(file)})`);
  return named.join(', ') + (files.length > listed ? `, and ${files.length - listed} more` : '');
}
