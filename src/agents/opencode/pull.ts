// OpenCode's sessions → lines of a transcript: one for each finished part. While an answer streams, its rows change;
// what was pulled once stays as it was.
import { derivedId } from '../derived-id.ts';
import { asObject, asString } from '../json.ts';
import { type AgentPull, type PulledRecord, type PulledSession, type PullTools, pulledKey } from '../pull.ts';
import { aboutSession, pulledLine } from '../pulled-lines.ts';
import {
  databaseStorage,
  fileStorage,
  type Place,
  type Storage,
  type StoredMessage,
  type StoredSession,
} from './storage.ts';

interface Cursor extends Place {
  /** Parts of the message after this place that were pulled while it was still being written. */
  readonly open: readonly string[];
  /** A hash of the session's facts. */
  readonly about: string;
}

const beginning: Cursor = { at: -1, id: '', open: [], about: '' };

/** Parts without content: the agent's own book-keeping, and thoughts. */
const skipped = new Set(['step-start', 'step-finish', 'snapshot', 'reasoning', 'retry']);

export function openCodePull(agent: string, database: RegExp): AgentPull {
  const isDatabase = (key: string) => database.test(key.split('/').at(-1) ?? '');
  const isSessionFile = (key: string) => /(?:^|\/)storage\/session\/[^/]+\/[^/]+\.json$/.test(key);
  return {
    isSource: (key) => isDatabase(key) || isSessionFile(key),
    concerns: (key) => isDatabase(key.replace(/-wal$/, '')) || /(?:^|\/)storage\/(?:session|message|part)\//.test(key),
    leadsTo: (key) => !/(?:^|\/)(?:snapshot|log|bin|tool-output|worktree|node_modules|session_diff|\.git)$/.test(key),
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
      const about = derivedId(session.directory ?? '', session.title ?? '').slice(0, 8);
      if (cursor.about !== about) {
        const isFork = / \(fork #\d+\)$/.test(session.title ?? '') && root === undefined;
        const forkOf = isFork ? storage.origin(session.id) : undefined;
        const { directory: cwd, title } = session;
        // A subagent's transcript belongs to the session that it works for.
        const facts = root === undefined ? { cwd, title, forkOf } : { cwd };
        cursor = { ...cursor, about };
        for (const line of aboutSession(agent, root ?? session.id, facts, session.createdAt)) yield { line };
      }
      for (;;) {
        const page = storage.messages(session.id, cursor);
        for (const [i, message] of page.entries()) {
          const isLast = i + 1 === page.length && storage.messages(session.id, message).length === 0;
          const isSettled = !isLast || isFinished(message);
          const open: string[] = [...cursor.open];
          yield* partsOf(agent, storage, message, isSettled, open);
          if (!isSettled) {
            yield { cursor: { ...cursor, open } };
            return;
          }
          cursor = { ...cursor, at: message.at, id: message.id, open: [] };
          yield { cursor };
        }
        if (page.length === 0) return;
      }
    },
  };
}

/** The last message of a session may still be being written, unless it says that it is complete. */
const isFinished = ({ data }: StoredMessage): boolean =>
  data.role === 'assistant' && (asObject(data.time).completed !== undefined || data.error !== undefined);

/** Adds the parts that it yields to `open`. */
function* partsOf(
  agent: string,
  storage: Storage,
  message: StoredMessage,
  isSettled: boolean,
  open: string[],
): Generator<PulledRecord> {
  const { data } = message;
  const created = asObject(data.time).created;
  const said = {
    role: data.role,
    ...(data.summary === true ? { summary: true } : {}),
    ...(asString(asObject(data.path).cwd) ? { cwd: asObject(data.path).cwd } : {}),
  };
  for (const { id, data: part } of storage.parts(message.id)) {
    if (skipped.has(String(part.type)) || open.includes(id)) continue;
    if (!isSettled && data.role !== 'user' && !isFinal(part)) continue;
    open.push(id);
    const kept = slim(part);
    // A fork copies messages under new ids; the time, the words and the calls stay.
    const words = asString(part.callID) ?? asString(part.text) ?? JSON.stringify(kept);
    const uuid = derivedId(agent, String(created ?? message.at), String(data.role), String(part.type), words);
    yield { line: pulledLine('part', uuid, timeOf(part) ?? message.at, { ...said, part: kept }) };
  }
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
