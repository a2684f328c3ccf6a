// ① What of a transcript is kept: nothing of a pause, nothing of an ignored folder, and nothing of a turn that a wholly private prompt began.
import path from 'node:path';
import type { ParsedEntry, ParsedHeader, ParsedItem, ReaderState } from '../agents/agent.ts';
import type { Pause } from '../store/pauses/port.ts';
import { isWhollyPrivate } from './redaction/redact.ts';

export interface Limits {
  readonly pauses: readonly Pause[];
  /** Folders, globs of folders, and names of projects. */
  readonly ignore: readonly string[];
  /** Tools whose uses are not kept; that they were used is. */
  readonly skipTools: readonly string[];
}

export const noLimits: Limits = { pauses: [], ignore: [], skipTools: [] };

/** In the reader's state, so that a turn stays private across pieces and restarts. */
const own = {
  /** The session whose last prompt was wholly private. */
  private: '@private',
  /** The session that lines speak of, and the folder it began in. */
  session: '@of',
  folder: '@folder',
  ignored: '@ignored',
  /** When wholly private turns of the file began and ended, as `from-until` with spaces between; the last may be open. */
  turns: '@turns',
  /** Ids of tool uses in private turns: a task that one of them began may report much later. */
  uses: '@private-uses',
  /** The session that this one works for, where its header says so. */
  parent: '@parent',
} as const;

/** The session that the file's own works for as a subagent. */
export const parentOf = (state: ReaderState): string | undefined => {
  const parent = state[own.parent];
  return typeof parent === 'string' ? parent : undefined;
};

/** Whether a file's state is that of a session's own transcript. */
export const isStateOf = (state: ReaderState, session: string): boolean =>
  state['@session'] === session && parentOf(state) === undefined;

/** A header that names the session that started this one as a subagent. */
export function noteParent({ parent, subagent }: ParsedHeader, state: ReaderState): void {
  if (parent !== undefined && subagent !== undefined) state[own.parent] = parent;
}

const rememberedTurns = 100;
const rememberedUses = 64;

export interface Keeper {
  /** Contract: called once for each entry, in order. */
  entry(item: ParsedEntry, session: string, cwd: string | undefined, at: number): boolean;
  /** For what belongs to the session without being an entry: results of tools, titles. */
  other(session: string, at: number | undefined): boolean;
  /** A name that the agent made up after a private turn may tell of it. `given` is the name that the session has. */
  title(item: ParsedTitle, session: string, at: number | undefined, given: unknown): boolean;
  /** Whether a text is the report of a task that a private turn began, or may be. */
  hidesTask(text: string): boolean;
}

type ParsedTitle = Extract<ParsedItem, { kind: 'title' }>;

export function keeper(
  limits: Limits,
  state: ReaderState,
  deps: {
    readonly projectOf: (folder: string) => string;
    readonly subagent: boolean;
    /** What is known of the transcript of a subagent's session. */
    readonly sessionState: (session: string) => ReaderState | undefined;
    /** When the file was begun and last written, as far as the system knows: for lines that say no time. */
    readonly fileTimes?: (() => readonly number[]) | undefined;
  },
): Keeper {
  const ignores = ignoring(limits.ignore, deps.projectOf);
  const pausedAt = (at: number | undefined) =>
    limits.pauses.length > 0 &&
    // Before the first time that a file says, any of its lines may be of a pause in which the file was begun or written.
    (at === undefined || at === 0 ? (deps.fileTimes?.() ?? []) : [at]).some((time) => isPaused(limits.pauses, time));
  const hidesTask = (text: string): boolean => {
    if (!hasPrivateTurns(state) || !text.includes('<task-notification>')) return false;
    const use = /<tool-use-id>\s*([\w-]{1,80})/.exec(text)?.[1];
    return use === undefined || usesOf(state).includes(use);
  };
  const other = (session: string, at: number | undefined): boolean =>
    state[own.ignored] !== true && state[own.private] !== session && !pausedAt(at);

  return {
    entry(item, session, cwd, at) {
      // To a subagent its prompt comes from the machine. In a session, what the machine says does not end a turn.
      const subagent = deps.subagent || parentOf(state) !== undefined;
      if (item.role === 'user' && (item.author === 'person' || subagent)) {
        const inherited = subagent && isPrivateTurn(deps.sessionState(parentOf(state) ?? session), at);
        const before = state[own.private];
        if (inherited || isWhollyPrivate(item.text)) state[own.private] = session;
        // What is typed while the agent works does not end the turn it works on.
        else if (before === session && item.queued === undefined) delete state[own.private];
        if (!subagent && state[own.private] !== before) noteTurn(state, at);
      } else if (item.role === 'user' && state[own.private] !== session && hidesTask(item.text)) {
        // The agent answers to the report: until the next prompt all is of the private turn again.
        state[own.private] = session;
        noteTurn(state, at);
      }
      if (state[own.private] === session) noteUses(state, item);
      // A summary of all that was said has the private turns in it, in other words.
      const sumsUp = item.form === 'compaction' && hasPrivateTurns(state);
      if (state[own.session] !== session) {
        state[own.session] = session;
        delete state[own.folder];
      }
      if (cwd !== undefined) state[own.folder] ??= cwd;
      const folder = state[own.folder] as string | undefined;
      // A line of the queue does not say where the session works.
      if (item.queued === 'waiting' && folder === undefined && limits.ignore.length > 0) return false;
      const ignored = (folder !== undefined && ignores(folder)) || (cwd !== undefined && ignores(cwd));
      if (ignored) state[own.ignored] = true;
      else delete state[own.ignored];
      return !ignored && !sumsUp && state[own.private] !== session && !pausedAt(at);
    },
    other,
    title: ({ by, title }, session, at, given) =>
      other(session, at) && (by === 'person' || !hasPrivateTurns(state) || title === given),
    hidesTask,
  };
}

const usesOf = (state: ReaderState): string[] =>
  typeof state[own.uses] === 'string' ? (state[own.uses] as string).split(' ') : [];

function noteUses(state: ReaderState, { toolUses }: ParsedEntry): void {
  if (toolUses.length === 0) return;
  const ids = toolUses.map(({ id }) => id).filter((id) => /^[\w-]{1,80}$/.test(id));
  state[own.uses] = [...usesOf(state), ...ids].slice(-rememberedUses).join(' ');
}

/** Begins a private turn, or ends the one that is open. */
function noteTurn(state: ReaderState, at: number): void {
  const turns = turnsOf(state);
  const open = turns.at(-1)?.endsWith('-') ? turns.pop() : undefined;
  if (open !== undefined) turns.push(`${open}${at}`);
  if (state[own.private] !== undefined) turns.push(`${at}-`);
  state[own.turns] = turns.slice(-rememberedTurns).join(' ');
}

const turnsOf = (state: ReaderState): string[] =>
  typeof state[own.turns] === 'string' ? (state[own.turns] as string).split(' ') : [];

/** What a private prompt made a subagent do is as private, although it stands in a file of its own. */
const isPrivateTurn = (state: ReaderState | undefined, at: number): boolean =>
  state !== undefined &&
  turnsOf(state).some((turn) => {
    const [from = '', until = ''] = turn.split('-');
    return Number(from) <= at && (until === '' || at < Number(until));
  });

/** Whether the last prompt of the session was wholly private. */
export const isInPrivateTurn = (state: ReaderState, session: string): boolean => state[own.private] === session;

/** Whether subagents may have to ask for this state. */
export const hasPrivateTurns = (state: ReaderState): boolean => state[own.turns] !== undefined;

export const isPaused = (pauses: readonly Pause[], at: number): boolean =>
  pauses.some(({ from, until }) => from <= at && (until === undefined || at < until));

/** When a file was begun and last written. */
export const timesOf = ({ birthtimeMs, mtimeMs }: { birthtimeMs: number; mtimeMs: number }): number[] =>
  [birthtimeMs, mtimeMs].filter((time) => time > 0);

/** Whether a folder is on the list: as or below one of the folders, or as part of one of the projects. Remembers its answers. */
export function ignoring(list: readonly string[], projectOf: (folder: string) => string): (folder: string) => boolean {
  if (list.length === 0) return () => false;
  const isPath = (pattern: string) => /[/\\]/.test(pattern);
  const folders = list.filter(isPath).map((pattern) => globOf(pattern.replace(/(?<=.)[/\\]+$/, ''), '(?:/.*)?'));
  const names = list.filter((pattern) => !isPath(pattern)).map((pattern) => globOf(pattern, ''));
  const known = new Map<string, boolean>();
  return (folder) => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const project = projectOf(folder);
    const places = [folder, project].map((place) => path.normalize(place).replaceAll('\\', '/'));
    const found =
      places.some((place) => folders.some((glob) => glob.test(place))) ||
      names.some((glob) => glob.test(path.basename(project)));
    known.set(folder, found);
    return found;
  };
}

/** `*` and `?` stay within one folder, `**` does not. */
function globOf(pattern: string, end: string): RegExp {
  const source = pattern
    .replaceAll('\\', '/')
    .replace(/[.+^${}()|[\]]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (wild) => (wild.startsWith('**') ? '.*' : wild === '*' ? '[^/]*' : '[^/]'));
  return new RegExp(`^${source}${end}$`);
}
