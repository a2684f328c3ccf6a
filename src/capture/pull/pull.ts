// ① Sources that are not line files → transcripts of ours. The lines are redacted and leave out what pauses, private turns and the ignore
// list exclude, by the rules of the vault. Forgotten entries are not pulled again.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { type AgentPull, type PulledLine, type PulledSession, pulledKey } from '../../agents/pull.ts';
import type { Config } from '../../config/config.ts';
import { copyState, emptyState, type ReaderState } from '../../schema/reader-state.ts';
import { type Tombstones, tombstone } from '../../store/removal/tombstone.ts';
import type { Store } from '../../store/store.ts';
import { systemCode } from '../../system/errors.ts';
import type { RunningTime } from '../../system/running-time.ts';
import { conversationRules } from '../conversation-rules.ts';
import type { Limits } from '../keep.ts';
import { longestLine } from '../lines.ts';
import { projectFinder } from '../project.ts';
import { type Problem, problemOf } from '../scan.ts';
import { vaultLines } from '../vault/vault-line.ts';
import { forgetInPulled } from './rewrite.ts';
import { sourceTools } from './source-tools.ts';
import { append, idsIn, lastNote, noteLine, type PullNote } from './transcript.ts';

export interface PullDeps {
  readonly store: Pick<Store, 'pauses' | 'projects' | 'removal' | 'vault'>;
  readonly config: Config;
  readonly clock: () => number;
  readonly running?: (() => RunningTime | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Pulled {
  /** Transcripts that have grown. */
  readonly grown: readonly string[];
  /** How many sources were examined. */
  readonly sources: number;
  readonly problems: readonly Problem[];
}

type Puller = Agent & { readonly pull: AgentPull };

export const pullers = (): readonly Puller[] =>
  (agents as readonly Agent[]).filter((agent): agent is Puller => agent.pull !== undefined);

/** Marks of sessions without anything new, by source and key. A process that pulls repeatedly keeps this map. */
export type KnownMarks = Map<string, string>;

/** Each batch is one write, and other processes wait for it. */
const batchBytes = 2 << 20;
const batchLines = 2000;

/** Pulls from every enabled agent of this machine. */
export async function pullAll(deps: PullDeps, known?: KnownMarks): Promise<Pulled> {
  const all: Pulled[] = [];
  for (const agent of pullers())
    for (const root of deps.config.enabled(agent) ? deps.config.pullPaths(agent) : [])
      all.push(await pullFrom(deps, agent, root, known));
  return together(all);
}

/** Pulls from the sources of all agents below a folder, such as a backup. */
export async function pullFolder(deps: PullDeps, folder: string): Promise<Pulled> {
  const all: Pulled[] = [];
  const owners = ownersBelow(folder);
  for (const agent of pullers())
    if (deps.config.enabled(agent))
      all.push(await pullFrom(deps, agent, folder, undefined, (source) => owners.get(source) === agent.name));
  return together(all);
}

/**
 * Whether the agent itself still has a session. Undefined if that cannot be said: the agent writes transcripts of its own, or a source cannot be
 * read now.
 */
export function agentHas(config: Config, agent: Agent, session: string): boolean | undefined {
  const { pull } = agent;
  if (pull === undefined || pull.beside !== undefined) return undefined;
  const key = pulledKey(session);
  const scratch = path.join(config.home, `rereading-${process.pid}`, 'looking');
  let isUnsure = false;
  for (const source of config.pullPaths(agent).flatMap((root) => sourcesBelow(root, pull))) {
    const tools = sourceTools(config.home, scratch);
    try {
      for (const one of pull.sessions(source, tools)) if (one.key === key) return true;
    } catch {
      // Damaged, or being written at this moment: the session may be in there.
      isUnsure = true;
    } finally {
      tools.close();
    }
  }
  return isUnsure ? undefined : false;
}

/** Two agents may store sessions in the same form. A folder named after one of them decides, otherwise the order of the table. */
function ownersBelow(folder: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const isNamed = (source: string, agent: string) =>
    path
      .resolve(source)
      .split(path.sep)
      .some((name) => name === agent || name === `.${agent}`);
  for (const { name, pull } of pullers())
    for (const source of sourcesBelow(folder, pull)) {
      const before = owners.get(source);
      if (before === undefined || (isNamed(source, name) && !isNamed(source, before))) owners.set(source, name);
    }
  return owners;
}

const together = (all: readonly Pulled[]): Pulled => ({
  grown: all.flatMap(({ grown }) => grown),
  sources: all.reduce((sum, { sources }) => sum + sources, 0),
  problems: all.flatMap(({ problems }) => problems),
});

/** Pulls what is new in an agent's sources below a folder. Throws only for errors that would affect every source. */
export async function pullFrom(
  deps: PullDeps,
  agent: Puller,
  root: string,
  known: KnownMarks = new Map(),
  owns: (source: string) => boolean = () => true,
): Promise<Pulled> {
  const grown: string[] = [];
  const problems: Problem[] = [];
  const sources = sourcesBelow(root, agent.pull).filter(owns);
  const scratch = path.join(deps.config.home, `rereading-${process.pid}`, 'pulled');
  for (const source of sources) {
    const tools = sourceTools(deps.config.home, scratch);
    try {
      const rules = await rulesOf(deps);
      for (const session of agent.pull.sessions(source, tools)) {
        deps.signal?.throwIfAborted();
        const id = `${source}\n${session.key}`;
        if (known.get(id) === session.mark) continue;
        const file = path.join(deps.config.pulledPath(agent), session.key);
        if (await pullSession(deps, agent, session, file, rules)) grown.push(file);
        known.set(id, session.mark);
        await new Promise(setImmediate);
      }
    } catch (error) {
      deps.signal?.throwIfAborted();
      // The agent is writing at this moment: its next change, or the next pull, leads here again.
      if (!systemCode(error)?.startsWith('SQLITE_BUSY')) problems.push(problemOf(source, error));
    } finally {
      tools.close();
    }
  }
  return { grown, sources: sources.length, problems };
}

interface Rules {
  readonly limits: Limits;
  readonly projectOf: (folder: string) => string;
  readonly forgotten: Tombstones;
}

async function rulesOf({ store, config, clock, running }: PullDeps): Promise<Rules> {
  return {
    limits: {
      pauses: await store.pauses.list({ at: clock(), running: running?.() }),
      ignore: config.reload().ignore,
      skipTools: [],
    },
    projectOf: projectFinder({
      separateWorktrees: config.settings.separateWorktrees,
      links: await store.projects.links(),
    }),
    forgotten: await forgottenBy(store),
  };
}

const forgottenBy = async (store: Pick<Store, 'removal'>): Promise<Tombstones> =>
  new Set((await store.removal.tombstones()).map(({ print }) => print));

/** Returns true if the transcript has grown. */
async function pullSession(
  deps: PullDeps,
  agent: Puller,
  session: PulledSession,
  file: string,
  rules: Rules,
): Promise<boolean> {
  let grown = false;
  // Start again if another process has written, or if something was forgotten in between.
  for (let tries = 0; tries < 5; tries++) {
    const forgotten = tries === 0 ? rules.forgotten : await forgottenBy(deps.store);
    const outcome = await pullBatches(deps, agent, session, file, { ...rules, forgotten });
    grown ||= outcome.grown;
    if (outcome.done) return grown;
  }
  return grown;
}

async function pullBatches(
  deps: PullDeps,
  agent: Puller,
  session: PulledSession,
  file: string,
  { limits, projectOf, forgotten }: Rules,
): Promise<{ grown: boolean; done: boolean }> {
  const { key, mark } = session;
  const described = agent.describe(key);
  if (forgotten.has(tombstone.session(agent.name, described.session))) return { grown: false, done: true };
  const { note, whole, ...at } = lastNote(file);
  if (note?.mark === mark && whole) return { grown: false, done: true };
  let { size } = at;
  let held: Set<string> | undefined;
  const seen = () => (held ??= idsIn(file));
  /** Ids that this pull has written. */
  const fresh = new Set<string>();
  // After an interrupted write, the file may contain lines that the cursor does not know.
  const isHeld = (id: string) => fresh.has(id) || ((held !== undefined || !whole) && seen().has(id));
  let state = copyState(note?.state ?? emptyState());
  const lineMaker = () =>
    vaultLines(agent, key, state, limits, {
      projectOf,
      sessionState: (above) => lastNote(path.join(deps.config.pulledPath(agent), pulledKey(above))).note?.state,
      forgotten,
    });
  let toLine = lineMaker();
  /** Entries that were pulled before the private prompt that they answer. */
  const revealed: string[] = [];
  /** The session is read again from its beginning: until its cursor comes, the last note still holds. */
  let isAgain = false;
  let cursor = note?.cursor;
  let lines: string[] = [];
  let bytes = 0;
  let grown = false;
  let spoken = false;
  const write = async (last: boolean): Promise<boolean> => {
    if (lines.length === 0 && (!last || size === 0)) return true;
    if (lines.length === 0 && note !== undefined && JSON.stringify(cursor) === JSON.stringify(note.cursor)) return true;
    const noted: PullNote = {
      mark: last ? mark : (note?.mark ?? ''),
      cursor,
      state: isAgain && note !== undefined ? note.state : state,
    };
    const all = [...lines, noteLine(noted)];
    let fits = false;
    const kept = await deps.store.vault.unlessForgotten(forgotten.size, () => {
      fits = append(deps.config.home, file, size, all);
    });
    if (!kept || !fits) return false;
    size = fs.statSync(file).size;
    grown ||= lines.length > 0;
    lines = [];
    bytes = 0;
    return true;
  };
  for (const { restart, line, cursor: after } of session.records(note?.cursor, seen)) {
    if (restart) {
      seen();
      state = emptyState();
      toLine = lineMaker();
      isAgain = true;
    }
    // Lines that are held tell whether a late line belongs to a private turn.
    const isNew = line !== undefined && !isHeld(line.id);
    if (line !== undefined && (isNew || isAgain)) {
      const text = toLine(JSON.stringify(line));
      revealed.push(...revealedIn(agent, key, line, isNew, state));
      const isSaid = line.type !== 'session' && line.type !== 'title';
      if (isNew && text !== undefined && text.length < longestLine) {
        lines.push(text);
        bytes += text.length;
        fresh.add(line.id);
        spoken ||= isSaid;
      }
      // For an ignored folder, write nothing, not even that there was a session.
      if (state.capture.ignored === true && size === 0 && !spoken) lines = [];
    }
    if (after !== undefined) {
      cursor = after;
      isAgain = false;
    }
    if (bytes < batchBytes && lines.length < batchLines) continue;
    if (!(await write(false))) return { grown, done: false };
    await new Promise(setImmediate);
    deps.signal?.throwIfAborted();
  }
  // Before the note says that the session was read: after a kill, the next pull finds them again.
  await hide(deps, agent, key, revealed, forgotten);
  const done = await write(true);
  return { grown, done };
}

/** The entries of a line that the transcript holds although its turn is private. */
const revealedIn = (agent: Agent, key: string, line: PulledLine, isNew: boolean, { capture }: ReaderState): string[] =>
  isNew || capture.privateIn === undefined
    ? []
    : agent.read(line, { key, state: {} }).items.flatMap((item) => (item.kind === 'entry' ? [item.uuid] : []));

/** Forgets entries that turned out to belong to a private turn, whether they are stored or only pulled. */
async function hide(
  { store, config, clock }: PullDeps,
  agent: Agent,
  key: string,
  entries: readonly string[],
  forgotten: Tombstones,
): Promise<void> {
  if (entries.length === 0) return;
  const prints = entries.map((id) => tombstone.entry(agent.name, id)).filter((print) => !forgotten.has(print));
  const [at, rules] = [clock(), conversationRules(config.settings)];
  const all = [...prints, tombstone.file(agent.name, key)].map((print) => ({ print, at }));
  if (prints.length > 0) await store.removal.takeTombstones(all, [], { rules, now: at });
  // Also if they are forgotten already: a kill may have come in between.
  await forgetInPulled({ store, config }, { agent: agent.name, key });
}

/** Sources below a folder, or the folder itself if it is a source. Links are followed once, as the agent would. */
function sourcesBelow(root: string, pull: AgentPull): string[] {
  const found: string[] = [];
  const keyOf = (file: string) => path.relative(root, file).split(path.sep).join('/');
  const walk = (folder: string, depth: number): void => {
    for (const item of itemsIn(folder)) {
      const file = path.join(folder, item.name);
      const isFolder = item.isDirectory();
      if (isFolder && depth < deepest && pull.leadsTo(keyOf(file))) walk(file, depth + 1);
      else if (!isFolder && pull.isSource(keyOf(file))) found.push(file);
    }
  };
  const stat = fs.statSync(root, { throwIfNoEntry: false });
  if (stat?.isFile()) return pull.isSource(path.basename(root)) ? [root] : [];
  if (stat?.isDirectory()) walk(root, 0);
  return found.sort();
}

/** No agent nests its folders deeper. */
const deepest = 12;

function itemsIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // The folder is gone or not readable: it has nothing for us.
    if (['ENOENT', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return [];
    throw error;
  }
}
