// Where OpenCode stores sessions: since 1.2 in SQLite, before that as one JSON file per message and part.
import path from 'node:path';
import { derivedId } from '../derived-id.ts';
import { asObject, asString, parsedJson } from '../json.ts';
import type { PullTools, SourceDatabase } from '../pull.ts';

export interface StoredSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly directory: string | undefined;
  readonly title: string | undefined;
  readonly createdAt: number | undefined;
  readonly mark: string;
}

/** `at` and `id` order the messages of a session. */
export interface StoredMessage {
  readonly id: string;
  readonly at: number;
  readonly data: Record<string, unknown>;
}

export interface StoredPart {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

export interface MessagePosition {
  readonly at: number;
  readonly id: string;
}

export interface Storage {
  sessions(): readonly StoredSession[];
  /** The next messages after a place, in order. */
  messages(session: string, after: MessagePosition): readonly StoredMessage[];
  parts(message: string): readonly StoredPart[];
  /** Changes whenever the files of a message change. A database has none: its rows before a place are final. */
  stampOf?(session: string, message: string): string;
  /** The session that a fork copied its first message from. */
  origin(session: string): string | undefined;
}

const pageOfMessages = 50;
export const isAfter = (one: MessagePosition, place: MessagePosition): boolean =>
  one.at > place.at || (one.at === place.at && one.id > place.id);
const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function databaseStorage(db: SourceDatabase): Storage {
  const tip = db.hasTable('event_sequence') ? '(SELECT seq FROM event_sequence e WHERE e.aggregate_id = s.id)' : 'NULL';
  const last = (columns: string) =>
    `(SELECT ${columns} FROM message m WHERE m.session_id = s.id ORDER BY m.time_created DESC, m.id DESC LIMIT 1)`;
  return {
    sessions: () =>
      db
        .rows(
          `SELECT s.id, s.parent_id, s.directory, s.title, s.time_created, s.time_updated, ${tip} AS tip, ${last("m.id || ' ' || m.time_updated")} AS message,
             (SELECT p.id || ' ' || p.time_updated FROM part p WHERE p.message_id = ${last('m.id')} ORDER BY p.id DESC LIMIT 1) AS part
           FROM session s ORDER BY s.time_created, s.id`,
        )
        .map((row) => ({
          id: String(row.id),
          parent: asString(row.parent_id),
          directory: asString(row.directory),
          title: asString(row.title),
          createdAt: asNumber(row.time_created),
          mark: [row.time_updated, row.tip, row.message, row.part].map((one) => one ?? '').join(' '),
        })),
    messages: (session, { at, id }) =>
      db
        .rows(
          `SELECT id, time_created, data FROM message
           WHERE session_id = ? AND (time_created, id) > (?, ?) ORDER BY time_created, id LIMIT ${pageOfMessages}`,
          session,
          at,
          id,
        )
        .map((row) => ({
          id: String(row.id),
          at: asNumber(row.time_created) ?? 0,
          data: asObject(parsedJson(row.data)),
        })),
    parts: (message) =>
      db
        .rows('SELECT id, data FROM part WHERE message_id = ? ORDER BY id', message)
        .map((row) => ({ id: String(row.id), data: asObject(parsedJson(row.data)) })),
    origin: (session) =>
      asString(
        db.rows(
          `SELECT m.session_id AS origin FROM message m WHERE m.time_created = (SELECT min(time_created) FROM message WHERE session_id = ?)
             AND m.session_id <> ? ORDER BY m.id LIMIT 1`,
          session,
          session,
        )[0]?.origin,
      ),
  };
}

const first = /(?:^|\/)storage\/session\/info\/[^/]+$/;

/**
 * `file` is `storage/session/<project>/<session>.json`. Until 0.5 it was `project/<folder>/storage/session/info/<session>.json`, with
 * `message/<session>/` and `part/<session>/<message>/` beside `info`, and only the answers named the folder.
 */
export function fileStorage(file: string, tools: PullTools): Storage {
  const isFirst = first.test(file.split(path.sep).join('/'));
  const storage = path.resolve(path.dirname(file), isFirst ? '..' : '../..');
  const folderOf = (kind: string, id: string) =>
    path.join(storage, kind, ...(isFirst && kind === 'part' ? [path.basename(file, '.json')] : []), id);
  const namesIn = (kind: string, of: string) =>
    tools.names(folderOf(kind, of)).filter((name) => name.endsWith('.json'));
  const stamps = (kind: string, of: string): string =>
    namesIn(kind, of)
      .map((name) => `${name} ${tools.stamp(path.join(folderOf(kind, of), name))}`)
      .join('\n');
  const dataOf = (kind: string, of: string, id: string) =>
    asObject(tools.json(path.join(folderOf(kind, of), `${id}.json`)));
  const read = (kind: string, of: string): { id: string; data: Record<string, unknown> }[] =>
    namesIn(kind, of)
      .map((name) => path.basename(name, '.json'))
      .map((id) => ({ id, data: dataOf(kind, of, id) }))
      .filter(({ data }) => Object.keys(data).length > 0);
  const createdAt = (data: Record<string, unknown>) => asNumber(asObject(data.time).created) ?? 0;
  const places = new Map<string, readonly MessagePosition[]>();
  /** Read once: a message that arrives later changes the mark, and the next pull reads it. */
  const placesOf = (session: string): readonly MessagePosition[] => {
    const known =
      places.get(session) ??
      read('message', session)
        .map(({ id, data }) => ({ id, at: createdAt(data) }))
        .sort((a, b) => (isAfter(a, b) ? 1 : -1));
    places.set(session, known);
    return known;
  };
  const folderIn = (session: string): string | undefined => {
    for (const { id } of placesOf(session)) {
      const { cwd } = asObject(dataOf('message', session, id).path);
      if (asString(cwd) !== undefined) return asString(cwd);
    }
    return undefined;
  };
  return {
    sessions() {
      const session = asObject(tools.json(file));
      const id = asString(session.id);
      if (id === undefined || (isFirst && isMoved(storage, id, tools))) return [];
      // A file may arrive late or half, in any order: every message and part counts.
      const parts = namesIn('message', id).map((name) => stamps('part', path.basename(name, '.json')));
      return [
        {
          id,
          parent: asString(session.parentID),
          get directory() {
            return asString(session.directory) ?? (isFirst ? folderIn(id) : undefined);
          },
          title: asString(session.title),
          createdAt: createdAt(session),
          mark: derivedId(tools.stamp(file), stamps('message', id), ...parts),
        },
      ];
    },
    messages: (session, place) =>
      placesOf(session)
        .filter((message) => isAfter(message, place))
        .slice(0, pageOfMessages)
        .map(({ id, at }) => ({ id, at, data: dataOf('message', session, id) })),
    stampOf: (session, message) =>
      `${tools.stamp(path.join(folderOf('message', session), `${message}.json`))}\n${stamps('part', message)}`,
    parts: (message) => read('part', message),
    origin: () => undefined,
  };
}

/** OpenCode 0.6 copied the sessions of all projects into one place, and left the old files. */
function isMoved(old: string, session: string, tools: PullTools): boolean {
  const now = path.resolve(old, '../../../../storage/session');
  return tools.names(now).some((project) => tools.stamp(path.join(now, project, `${session}.json`)) !== '');
}
