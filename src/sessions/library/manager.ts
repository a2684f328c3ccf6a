// The session library for your own agents: save, list, continue. Needs nothing but Node.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDraft, readIfThere, realFileSystem, removeIfThere, replaceFile, type SessionFileSystem } from './files.ts';
import { folderLock } from './lock.ts';
import { checkId, idOfName, newId, SessionError } from './names.ts';
import {
  parseIndex,
  parseSession,
  problemWithMessages,
  type SessionIndex,
  type SessionMetadata,
  type StoredMessage,
  type StoredSession,
} from './shape.ts';
import { contextSummaryOf, firstMessageOf } from './summary.ts';

export interface SessionManagerOptions {
  /** Default: `~/.agent/sessions`. */
  sessionDir?: string;
  /** A save deletes the oldest sessions beyond this number. Default: 50. */
  maxSessions?: number;
  fileSystem?: SessionFileSystem;
  onDebug?: (message: string, data?: unknown) => void;
}

export interface SaveOptions {
  /** The id of an existing session, or a name for a new one. Default: an id made from the time. */
  name?: string;
  description?: string;
  provider?: string;
  model?: string;
}

type Sessions = Map<string, SessionMetadata>;

/** Contract: every method is safe to use from several processes at once. Once its promise resolves, the change is on disk. */
export class SessionManager {
  readonly #folder: string;
  readonly #most: number;
  readonly #files: SessionFileSystem;
  readonly #debug: (message: string, data?: unknown) => void;
  readonly #lock: ReturnType<typeof folderLock>;

  constructor(options: SessionManagerOptions = {}) {
    this.#folder = folderOf(options.sessionDir ?? '~/.agent/sessions');
    this.#most = options.maxSessions ?? 50;
    if (!Number.isInteger(this.#most) || this.#most < 1)
      throw new SessionError('BAD_OPTION', `maxSessions is ${this.#most}; it must be a whole number, at least 1`);
    this.#files = options.fileSystem ?? realFileSystem;
    this.#debug = options.onDebug ?? (() => undefined);
    this.#lock = folderLock(this.#files, join(this.#folder, '.lock'));
  }

  async saveSession(messages: StoredMessage[], options: SaveOptions = {}): Promise<SessionMetadata> {
    const problem = problemWithMessages(messages);
    if (problem !== undefined) throw new SessionError('BAD_MESSAGES', `The session was not saved: ${problem}`);
    // Make the text first, so that messages that cannot become JSON leave nothing behind.
    const body = toJson(messages);
    const wanted = options.name === undefined ? undefined : { name: options.name, id: idOfName(options.name) };
    return this.#write(async (sessions) => {
      // Use an existing id unchanged, even one from another program that no name would become.
      const id = wanted === undefined ? freshId(sessions) : sessions.has(wanted.name) ? wanted.name : wanted.id;
      const before = sessions.get(id) ?? (await this.#unlisted(id));
      if (wanted && before && wanted.name !== id && wanted.name !== before.name)
        throw new SessionError(
          'NAME_TAKEN',
          `The name ${JSON.stringify(wanted.name)} would be the session "${id}", which is named ${JSON.stringify(before.name)}. Pass "${id}" to go on with that one, or another name.`,
        );
      const now = momentAfter(sessions);
      const description = options.description ?? before?.description;
      const metadata: SessionMetadata = {
        id,
        name: before?.name ?? wanted?.name ?? id,
        ...(description === undefined ? {} : { description }),
        createdAt: before?.createdAt ?? now,
        lastActivityAt: before !== undefined && before.lastActivityAt > now ? before.lastActivityAt : now,
        messageCount: messages.length,
        firstMessage: firstMessageOf(messages),
        provider: options.provider ?? before?.provider ?? 'unknown',
        model: options.model ?? before?.model ?? 'unknown',
      };
      const contextSummary = contextSummaryOf(metadata, messages);
      const head = JSON.stringify({ metadata, contextSummary }, null, 2).slice(0, -2);
      await replaceFile(this.#files, this.#fileOf(id), `${head},\n  "messages": ${body}\n}\n`);
      sessions.delete(id); // the newest comes last
      sessions.set(id, metadata);
      const others = newestFirst(sessions).filter((one) => one.id !== id);
      for (const old of others.slice(this.#most - 1)) await this.#remove(sessions, old.id);
      await this.#pointTo(id);
      return metadata;
    });
  }

  /** Null if there is no session with this id, or its file holds no session. */
  async loadSession(sessionId: string): Promise<StoredSession | null> {
    const id = checkId(sessionId);
    const text = await readIfThere(this.#files, this.#fileOf(id));
    if (text === undefined) return null;
    const session = parseSession(text, id);
    if (session === undefined) this.#debug('The file holds no session', { id });
    return session ?? null;
  }

  /** Newest first. Opens the index only. */
  async listSessions(): Promise<SessionMetadata[]> {
    return newestFirst((await this.#index()) ?? (await this.#write(async (sessions) => sessions)));
  }

  /** False if there is no such session. */
  async deleteSession(sessionId: string): Promise<boolean> {
    const id = checkId(sessionId);
    return this.#write(async (sessions) => {
      const removed = await this.#remove(sessions, id);
      if (removed && (await this.#pointer()) === id) await this.#pointTo(newestFirst(sessions)[0]?.id);
      return removed;
    });
  }

  /** For `--continue`: null if there is no last session, or it was deleted. */
  async getLastSession(): Promise<string | null> {
    const id = await this.#pointer();
    return id !== undefined && (await this.sessionExists(id)) ? id : null;
  }

  /** Deletes all but the newest. Returns how many it deleted. */
  async purgeSessions(keepCount: number = this.#most): Promise<number> {
    if (!Number.isInteger(keepCount) || keepCount < 0)
      throw new SessionError(
        'BAD_OPTION',
        `${keepCount} sessions cannot be kept: it must be a whole number, at least 0`,
      );
    return this.#write(async (sessions) => {
      const old = newestFirst(sessions).slice(keepCount);
      for (let i = 0; i < old.length; i += 64)
        await Promise.all(old.slice(i, i + 64).map(({ id }) => this.#remove(sessions, id)));
      const last = await this.#pointer();
      if (last !== undefined && !sessions.has(last)) await this.#pointTo(newestFirst(sessions)[0]?.id);
      return old.length;
    });
  }

  /** The messages to continue with, and a summary to show to the person. */
  async restoreSession(
    sessionId: string,
  ): Promise<{ messages: StoredMessage[]; contextSummary: string | null } | null> {
    const session = await this.loadSession(sessionId);
    if (session === null) return null;
    return { messages: session.messages, contextSummary: session.contextSummary ?? null };
  }

  async sessionExists(sessionId: string): Promise<boolean> {
    return this.#files.exists(this.#fileOf(checkId(sessionId)));
  }

  /** The index, if it is valid and no process died while changing it. */
  async #index(): Promise<Sessions | undefined> {
    if (await this.#lock.isBroken()) return undefined;
    const text = await readIfThere(this.#files, join(this.#folder, 'index.json'));
    const index = text === undefined ? undefined : parseIndex(text);
    return index && new Map(Object.entries(index.sessions));
  }

  /** One change at a time: `work` gets the sessions and may change the map, which then becomes the index. */
  async #write<T>(work: (sessions: Sessions) => Promise<T>): Promise<T> {
    await this.#files.mkdir(this.#folder);
    const done = await this.#lock.hold(async ({ afterFailure }) => {
      const text = afterFailure ? undefined : await readIfThere(this.#files, join(this.#folder, 'index.json'));
      const index = text === undefined ? undefined : parseIndex(text);
      const sessions: Sessions = index ? new Map(Object.entries(index.sessions)) : await this.#rebuild();
      const result = await work(sessions).catch(refusal);
      if (result instanceof SessionError) return result;
      const next: SessionIndex = {
        version: '1.0',
        sessions: Object.fromEntries(sessions),
        updatedAt: new Date().toISOString(),
      };
      await replaceFile(this.#files, join(this.#folder, 'index.json'), `${JSON.stringify(next, null, 2)}\n`);
      await this.#files.syncFolder(this.#folder);
      return result;
    });
    if (done instanceof SessionError) throw done;
    return done;
  }

  /** Reads the session files. Leaves invalid files alone, and removes drafts of interrupted writes. */
  async #rebuild(): Promise<Sessions> {
    this.#debug('The index is rebuilt from the session files');
    const found: SessionMetadata[] = [];
    for (const name of await this.#files.readdir(this.#folder)) {
      if (isDraft(name)) await removeIfThere(this.#files, join(this.#folder, name));
      else if (name.endsWith('.json') && name !== 'index.json') {
        const id = name.slice(0, -'.json'.length);
        const text = await readIfThere(this.#files, join(this.#folder, name));
        const session = text === undefined ? undefined : parseSession(text, id);
        if (session) found.push(session.metadata);
        else this.#debug('Left out: the file holds no session', { name });
      }
    }
    found.sort((a, b) => compare(a.lastActivityAt, b.lastActivityAt));
    return new Map(found.map((metadata) => [metadata.id, metadata]));
  }

  /** Reads a file that the index does not list. Renames a file that holds no session, to keep it. */
  async #unlisted(id: string): Promise<SessionMetadata | undefined> {
    const file = this.#fileOf(id);
    const text = await readIfThere(this.#files, file);
    if (text === undefined) return undefined;
    const session = parseSession(text, id);
    if (session === undefined) {
      this.#debug('Kept aside: the file holds no session', { id });
      await this.#files.rename(file, `${file}.damaged-${Date.now()}`);
    }
    return session?.metadata;
  }

  async #remove(sessions: Sessions, id: string): Promise<boolean> {
    const removed = await removeIfThere(this.#files, this.#fileOf(id));
    return sessions.delete(id) || removed;
  }

  async #pointer(): Promise<string | undefined> {
    const id = (await readIfThere(this.#files, join(this.#folder, 'last_session')))?.trim();
    try {
      return id === undefined ? undefined : checkId(id);
    } catch {
      return undefined; // another program's text in the file points nowhere
    }
  }

  async #pointTo(id: string | undefined): Promise<void> {
    const file = join(this.#folder, 'last_session');
    if (id === undefined) await removeIfThere(this.#files, file);
    else await replaceFile(this.#files, file, `${id}\n`);
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** A refusal changed nothing, so the lock need not make the next holder rebuild the index. */
function refusal(error: unknown): SessionError {
  if (error instanceof SessionError) return error;
  throw error;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** For equal times, the later save comes first. It is later in the index. */
const newestFirst = (sessions: Sessions): SessionMetadata[] =>
  [...sessions.values()].reverse().sort((a, b) => compare(b.lastActivityAt, a.lastActivityAt));

const folderOf = (path: string): string => resolve(path.replace(/^~(?=$|[/\\])/, () => homedir()));

/**
 * The current time, or just after the newest session if that is as new: objects do not keep the order of numeric ids. If the
 * clock went back by more than a second, trust it.
 */
function momentAfter(sessions: Sessions): string {
  const now = Date.now();
  const last = Date.parse(newestFirst(sessions)[0]?.lastActivityAt ?? '');
  return new Date(last >= now && last < now + 1000 ? last + 1 : now).toISOString();
}

function freshId(sessions: Sessions): string {
  for (;;) {
    const id = newId(new Date());
    if (!sessions.has(id)) return id;
  }
}

function toJson(messages: StoredMessage[]): string {
  try {
    const lines = messages.map((message) => `    ${JSON.stringify(message)}`);
    return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  } catch (error) {
    throw new SessionError('BAD_MESSAGES', `The session was not saved: ${(error as Error).message}`);
  }
}
