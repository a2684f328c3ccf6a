// OpenCode's sessions → lines of a transcript: one for each finished part. While an answer streams, its rows change;
// what was pulled once stays as it was.
import { derivedId } from '../derived-id.ts';
import { asObject, asString } from '../json.ts';
import {
  type AgentPull,
  type PulledLine,
  type PulledRecord,
  type PulledSession,
  type PullTools,
  pulledKey,
} from '../pull.ts';
import { aboutSession, isTitle, pulledLine } from '../pulled-lines.ts';
import {
  databaseStorage,
  fileStorage,
  isAfter,
  type MessagePosition,
  type Storage,
  type StoredMessage,
  type StoredSession,
} from './storage.ts';

interface Cursor extends MessagePosition {
  /** Parts after this place that were pulled while a message was still being written. */
  readonly open: readonly string[];
  /** A hash of the files of all messages up to this place. */
  readonly past: string;
  /** A hash of the session's facts. */
  readonly about: string;
}

const beginning: Cursor = { at: -1, id: '', open: [], past: '', about: '' };

/** Parts without content: the agent's own book-keeping, and thoughts. */
const skipped = new Set(['step-start', 'step-finish', 'snapshot', 'reasoning', 'retry']);

export function openCodePull(agent: string, database: RegExp): AgentPull {
  const isDatabase = (key: string) => database.test(key.split('/').at(-1) ?? '');
  const isSessionFile = (key: string) => /(?:^|\/)storage\/session\/[^/]+\/[^/]+\.json$/.test(key);
  return {
    isSource: (key) => isDatabase(key) || isSessionFile(key),
    concerns: (key) => isDatabase(key.replace(/-wal$/, '')) || /(?:^|\/)storage\/(?:session|message|part)\//.test(key),
    leadsTo: (key) => !/(?:^|\/)(?:snapshots?|log|bin|tool-output|worktree|node_modules|session_diff|\.git)$/.test(key),
    *sessions(file, tools) {
      const storage = isDatabase(file) ? databaseOf(file, tools) : fileStorage(file, tools);
      if (storage === undefined) return;
      const all = storage.sessions();
      const parents = new Map(all.map(({ id, parent }) => [id, parent]));
      const withRoots = all.map((session) => ({ session, root: rootOf(session, parents) }));
      for (const { session, root } of withRoots.sort(
        (a, b) => Number(a.root !== undefined) - Number(b.root !== undefined),
      ))
        yield pulledSession(agent, storage, session, root);
    },
  };
}

/** A database of another program, or one that is just being created, has no such tables. */
function databaseOf(file: string, tools: PullTools): Storage | undefined {
  const db = tools.database(file);
  return ['session', 'message', 'part'].every((table) => db.hasTable(table)) ? databaseStorage(db) : undefined;
}

/** The session that a subagent works for, through nested subagents. */
function rootOf({ id, parent }: StoredSession, parents: ReadonlyMap<string, string | undefined>): string | undefined {
  let root = parent;
  for (const passed = new Set([id]); root !== undefined && !passed.has(root); passed.add(root)) {
    const above = parents.get(root);
    if (above === undefined) return root;
    root = above;
  }
  return root;
}

/** The title of a session that has none yet. */
const placeholder = /^(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z/;

function pulledSession(
  agent: string,
  storage: Storage,
  session: StoredSession,
  root: string | undefined,
): PulledSession {
  return {
    key: pulledKey(session.id, root),
    mark: session.mark,
    *records(from) {
      let cursor: Cursor = { ...beginning, ...asObject(from) };
      // A database has no such hash: it has taken the session over, and the agent no longer writes its files.
      if (storage.stampOf !== undefined && cursor.at >= 0 && cursor.past === '') return;
      const isAgain = pastOf(storage, session.id, cursor) !== cursor.past;
      if (isAgain) {
        cursor = beginning;
        yield { restart: true };
      }
      const about = derivedId(session.directory ?? '', session.title ?? '').slice(0, 8);
      const isRenewed = cursor.about !== about;
      const lines = isRenewed ? aboutLines(agent, storage, session, root) : [];
      for (const line of lines) if (!isTitle(line)) yield { line };
      for (const record of newMessages(agent, storage, session.id, cursor, isAgain)) {
        if (record.cursor !== undefined) cursor = record.cursor as Cursor;
        yield record;
      }
      if (!isRenewed) return;
      for (const line of lines) if (isTitle(line)) yield { line };
      // Not before: a pull that was interrupted still has to write the title.
      yield { cursor: { ...cursor, about } };
    },
  };
}

function aboutLines(agent: string, storage: Storage, session: StoredSession, root: string | undefined): PulledLine[] {
  const { directory: cwd, createdAt } = session;
  // A subagent's transcript belongs to the session that it works for.
  if (root !== undefined) return aboutSession(agent, root, { cwd }, createdAt);
  const forkOf = / \(fork #\d+\)$/.test(session.title ?? '') ? storage.origin(session.id) : undefined;
  const title = placeholder.test(session.title ?? '') ? undefined : session.title;
  return aboutSession(agent, session.id, { cwd, title, forkOf }, createdAt);
}

const pastWith = (storage: Storage, session: string, past: string, message: string): string => {
  const stamp = storage.stampOf?.(session, message);
  return stamp === undefined ? past : derivedId(past, message, stamp);
};

/** What `past` of this cursor is now. It differs if a file of an earlier message arrived or changed after it was read. */
function pastOf(storage: Storage, session: string, cursor: Cursor): string {
  let past = '';
  if (cursor.at < 0 || storage.stampOf === undefined) return past;
  for (let at: MessagePosition = beginning; ; ) {
    const page = storage.messages(session, at);
    for (const message of page) {
      if (isAfter(message, cursor)) return past;
      past = pastWith(storage, session, past, message.id);
      at = message;
    }
    if (page.length === 0) return past;
  }
}

/** When it reads everything again, it says only at the end how far it came, so that an interrupted pull begins again too. */
function* newMessages(
  agent: string,
  storage: Storage,
  session: string,
  from: Cursor,
  isAgain: boolean,
): Generator<PulledRecord> {
  let cursor = from;
  const open = new Set(from.open);
  let isWaiting = false;
  for (let at: MessagePosition = from; ; ) {
    const page = storage.messages(session, at);
    for (const [i, message] of page.entries()) {
      at = message;
      const isSettled = isFinished(message) || isLeftBehind(storage, session, message, page.slice(i + 1));
      const past = pastWith(storage, session, cursor.past, message.id);
      const own = yield* partsOf(agent, storage, message, isSettled, open);
      for (const id of own) open.add(id);
      isWaiting ||= !isSettled;
      if (isWaiting) continue;
      for (const id of own) open.delete(id);
      cursor = { ...cursor, at: message.at, id: message.id, open: [...open], past };
      if (!isAgain) yield { cursor };
    }
    if (page.length === 0) break;
  }
  yield { cursor: { ...cursor, open: [...open] } };
}

const isAnswer = ({ data }: StoredMessage): boolean => data.role === 'assistant';

const isFinished = (message: StoredMessage): boolean =>
  isAnswer(message) && (asObject(message.data.time).completed !== undefined || message.data.error !== undefined);

/** A prompt that is followed by a message is complete. An answer is still being written while prompts wait behind it. */
function isLeftBehind(
  storage: Storage,
  session: string,
  message: StoredMessage,
  following: readonly StoredMessage[],
): boolean {
  const isSign = (one: StoredMessage) => !isAnswer(message) || isAnswer(one);
  return following.some(isSign) || storage.messages(session, message).some(isSign);
}

/** Returns the ids of the parts that have been pulled, now or earlier. */
function* partsOf(
  agent: string,
  storage: Storage,
  message: StoredMessage,
  isSettled: boolean,
  open: ReadonlySet<string>,
): Generator<PulledRecord, string[]> {
  const pulled: string[] = [];
  const { data } = message;
  const created = asObject(data.time).created;
  const said = {
    role: data.role,
    ...(data.summary === true ? { summary: true } : {}),
    ...(asString(asObject(data.path).cwd) ? { cwd: asObject(data.path).cwd } : {}),
  };
  for (const { id, data: part } of storage.parts(message.id)) {
    if (skipped.has(String(part.type))) continue;
    if (!isSettled && data.role !== 'user' && !isFinal(part)) continue;
    pulled.push(id);
    if (open.has(id)) continue;
    const kept = slim(part);
    // A fork copies messages under new ids; the time, the words and the calls stay.
    const words = asString(part.callID) ?? asString(part.text) ?? JSON.stringify(kept);
    const uuid = derivedId(agent, String(created ?? message.at), String(data.role), String(part.type), words);
    yield { line: pulledLine('part', uuid, timeOf(part) ?? message.at, { ...said, part: kept }) };
  }
  return pulled;
}

const timeOf = (part: Record<string, unknown>): number | undefined => {
  const { start } = asObject(part.type === 'tool' ? asObject(part.state).time : part.time);
  return typeof start === 'number' ? start : undefined;
};

function isFinal(part: Record<string, unknown>): boolean {
  if (part.type === 'tool') return ['completed', 'error'].includes(String(asObject(part.state).status));
  return part.type !== 'text' || asObject(part.time).end !== undefined;
}

/** A tool's metadata repeats its output and contains whole files: keeps only what shows the outcome. */
function slim(part: Record<string, unknown>): Record<string, unknown> {
  const { id, sessionID, messageID, snapshot, ...kept } = part;
  if (part.type !== 'tool') return kept;
  const { metadata, attachments, ...state } = asObject(part.state);
  const { exit, sessionId } = asObject(metadata);
  const outcome = { ...(exit === undefined ? {} : { exit }), ...(sessionId === undefined ? {} : { sessionId }) };
  return { ...kept, state: { ...state, metadata: outcome } };
}
