// ① What is kept of a transcript: nothing from a pause, nothing from an ignored folder, and nothing from a turn that began with a wholly private prompt.
import path from 'node:path';
import type { ParsedEntry, ParsedItem } from '../agents/agent.ts';
import type { CaptureState, ReaderState } from '../schema/reader-state.ts';
import type { Pause } from '../store/pauses/port.ts';
import { isWhollyPrivate } from './redaction/redact.ts';

export interface Limits {
  readonly pauses: readonly Pause[];
  /** Folders, globs of folders, and project names. */
  readonly ignore: readonly string[];
  /** Tools whose uses are not kept. The entry still records that the tool was used. */
  readonly skipTools: readonly string[];
}

export const noLimits: Limits = { pauses: [], ignore: [], skipTools: [] };

/** Whether a file's state belongs to the session's own transcript, not to a subagent's. */
export const isStateOf = ({ capture }: ReaderState, session: string): boolean =>
  capture.session === session && capture.parent === undefined;

const rememberedTurns = 100;
const rememberedUses = 64;

export interface Keeper {
  /** Contract: called once for each entry, in order. */
  entry(item: ParsedEntry, session: string, cwd: string | undefined, at: number): boolean;
  /** For items of the session other than entries: tool results, titles. */
  other(session: string, at: number | undefined): boolean;
  /** A title that the agent made up after a private turn may reveal it. `given` is the title that the session has. */
  title(item: ParsedTitle, session: string, at: number | undefined, given: string | undefined): boolean;
  /** Whether a text is, or may be, the report of a task that was started in a private turn. */
  hidesTask(text: string): boolean;
  /** Whether a tool was used in a private turn: its result may arrive later. */
  hidesUse(id: string): boolean;
  /** Whether a line of a transcript names such a use. */
  namesHiddenUse(line: string): boolean;
}

type ParsedTitle = Extract<ParsedItem, { kind: 'title' }>;

export function keeper(
  limits: Limits,
  /** Remembers the private turn, so that it stays private across pieces and restarts. */
  state: CaptureState,
  deps: {
    readonly projectOf: (folder: string) => string;
    readonly subagent: boolean;
    /** The state of the transcript of the session that a subagent belongs to. */
    readonly sessionState: (session: string) => ReaderState | undefined;
    /** When the file was created and last written, if the system knows: for lines without a time. */
    readonly fileTimes?: (() => readonly number[]) | undefined;
  },
): Keeper {
  const ignores = ignoring(limits.ignore, deps.projectOf);
  const pausedAt = (at: number | undefined) =>
    limits.pauses.length > 0 &&
    // Lines before the first time in a file may fall into a pause during which the file was created or written.
    (at === undefined || at === 0 ? (deps.fileTimes?.() ?? []) : [at]).some((time) => isPaused(limits.pauses, time));
  const hidesTask = (text: string): boolean => {
    if (state.privateTurns === undefined || !text.includes('<task-notification>')) return false;
    const use = /<tool-use-id>\s*([\w-]{1,80})/.exec(text)?.[1];
    return use === undefined || (state.privateUses ?? []).includes(use);
  };
  const other = (session: string, at: number | undefined): boolean =>
    state.ignored !== true && state.privateIn !== session && !pausedAt(at);

  /** Begins or ends a private turn with this entry. */
  function followTurn(item: ParsedEntry, session: string, at: number): void {
    if (item.role !== 'user') return;
    // A subagent gets its prompt from the machine. In a session, a message from the machine does not end a turn.
    const subagent = deps.subagent || state.parent !== undefined;
    const before = state.privateIn;
    if (item.author === 'person' || subagent) {
      const inherited = subagent && isPrivateTurn(deps.sessionState(state.parent ?? session)?.capture, at);
      if (inherited || isWhollyPrivate(item.text)) state.privateIn = session;
      // A prompt typed while the agent works does not end the current turn.
      else if (before === session && item.queued === undefined) delete state.privateIn;
      if (!subagent && state.privateIn !== before) noteTurn(state, at);
    } else if (before !== session && hidesTask(item.text)) {
      // The agent answers this report, so everything until the next prompt belongs to the private turn.
      state.privateIn = session;
      noteTurn(state, at);
    }
  }

  /** Notes the session's folder. Returns whether the entry comes from an ignored one; undefined if that cannot be known. */
  function followFolder(item: ParsedEntry, session: string, cwd: string | undefined): boolean | undefined {
    if (state.folderOf !== session) {
      state.folderOf = session;
      delete state.folder;
    }
    if (cwd !== undefined) state.folder ??= cwd;
    const { folder } = state;
    // A queued line does not say which folder the session works in.
    if (item.queued === 'waiting' && folder === undefined && limits.ignore.length > 0) return undefined;
    const ignored = [folder, cwd].some((each) => each !== undefined && ignores(each));
    if (ignored) state.ignored = true;
    else delete state.ignored;
    return ignored;
  }

  return {
    entry(item, session, cwd, at) {
      followTurn(item, session, at);
      if (state.privateIn === session) noteUses(state, item);
      // A compaction summary contains the private turns in other words.
      const sumsUp = item.form === 'compaction' && state.privateTurns !== undefined;
      const ignored = followFolder(item, session, cwd);
      return ignored === false && !sumsUp && state.privateIn !== session && !pausedAt(at);
    },
    other,
    title: ({ by, title }, session, at, given) =>
      other(session, at) && (by === 'person' || state.privateTurns === undefined || title === given),
    hidesTask,
    hidesUse: (id) => state.privateUses?.includes(id) === true,
    namesHiddenUse: (line) => state.privateUses?.some((id) => line.includes(`"${id}"`)) === true,
  };
}

function noteUses(state: CaptureState, { toolUses }: ParsedEntry): void {
  if (toolUses.length === 0) return;
  const ids = toolUses.map(({ id }) => id).filter((id) => /^[\w-]{1,80}$/.test(id));
  state.privateUses = [...(state.privateUses ?? []), ...ids].slice(-rememberedUses);
}

/** Begins a private turn, or ends the one that is open. */
function noteTurn(state: CaptureState, at: number): void {
  const turns = (state.privateTurns ?? []).map((turn) => ({ ...turn, until: turn.until ?? at }));
  if (state.privateIn !== undefined) state.privateTurns = [...turns, { from: at }].slice(-rememberedTurns);
  else state.privateTurns = turns;
}

/** Work that a subagent did for a private prompt is private too, although it is in a file of its own. */
const isPrivateTurn = (state: CaptureState | undefined, at: number): boolean =>
  (state?.privateTurns ?? []).some(({ from, until }) => from <= at && (until === undefined || at < until));

/** Whether the last prompt of the session was wholly private. */
export const isInPrivateTurn = ({ capture }: ReaderState, session: string): boolean => capture.privateIn === session;

/** Whether subagents may need this state. */
export const hasPrivateTurns = ({ capture }: ReaderState): boolean => capture.privateTurns !== undefined;

export const isPaused = (pauses: readonly Pause[], at: number): boolean =>
  pauses.some(({ from, until }) => from <= at && (until === undefined || at < until));

/** When a file was created and last written. */
export const timesOf = ({ birthtimeMs, mtimeMs }: { birthtimeMs: number; mtimeMs: number }): number[] =>
  [birthtimeMs, mtimeMs].filter((time) => time > 0);

/** Whether a folder is on the list: it is one of the folders, lies below one, or belongs to one of the projects. Remembers its answers. */
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
