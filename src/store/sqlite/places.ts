// The reading side of vectors: what an index in memory holds of entries, and what of it has changed since it was read.
import type { Database } from 'better-sqlite3';
import type { Store } from '../store.ts';
import type { PlacePage, VectorPage } from '../vectors.ts';
import { type EntryRow, entryColumns, sessionConditions, titleOfSession, toEntry } from './read.ts';
import { hasQuestion, unreadFact } from './renewal.ts';
import { codeOf } from './vectors.ts';

type Run = <T>(work: () => T) => T;

/** A page of vectors as one row: SQLite puts the bytes together, which takes a quarter of the time that single rows take. */
const packed = `SELECT count(*), group_concat(seq), group_concat(subject_id), CAST(group_concat(CAST(vector AS TEXT), '') AS BLOB)`;

export function placeRows(
  db: Database,
  run: Run,
): Pick<
  Store,
  | 'placesAfter'
  | 'vectorsAfter'
  | 'vectorsOf'
  | 'vectorsAt'
  | 'vectorNumbers'
  | 'sessionRows'
  | 'groupedSessionRows'
  | 'entriesAt'
  | 'conversationsAt'
> {
  const last = db.prepare<[], number | null>('SELECT max(seq) FROM session_changes').pluck();
  const upTo = db
    .prepare<[number, number], number | null>(
      'SELECT max(seq) FROM (SELECT seq FROM session_changes WHERE seq > ? ORDER BY seq LIMIT ?)',
    )
    .pluck();
  // As a page, like vectors. No text is looked at but those that nobody has looked at yet.
  const places = (vector: string) =>
    db
      .prepare<unknown[], (string | null)[]>(
        `SELECT group_concat(session), group_concat(id), group_concat(file), group_concat(at), group_concat(marks),
           group_concat(length), group_concat(vector) FROM (
           SELECT c.session_id AS session, coalesce(e.id, 0) AS id, coalesce(e.file_id, 0) AS file, coalesce(e.at, 0) AS at,
             coalesce((e.role <> 'user') + 2 * (e.subagent IS NOT NULL) + 4 * e.abandoned
               + 32 * CASE WHEN e.id > @unread THEN e.id IN asking_entries ELSE ${hasQuestion('e.text')} END
               + 64 * (e.author = 'person') + 128 * (e.tools IS NOT NULL), 0) AS marks,
             coalesce(length(e.text), 0) AS length, coalesce(${vector}, 0) AS vector
           FROM session_changes c LEFT JOIN entries e INDEXED BY entries_by_session ON e.session_id = c.session_id
           WHERE c.seq > @after AND c.seq <= @to ORDER BY c.seq, e.pos)`,
      )
      .raw();
  const unread = db.prepare<[string], number>('SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?').pluck();
  const fresh = places('NULL');
  const changed = places(
    '(SELECT max(v.seq) FROM vectors v WHERE v.kind = 0 AND v.subject_id = e.id AND v.model_id = @model)',
  );
  const modelId = db.prepare<[string], number>('SELECT id FROM vector_models WHERE name = ?').pluck();
  // In the order of the table: an index would have all of them sorted for every page.
  const after = db
    .prepare<unknown[], Packed>(
      `${packed} FROM (SELECT * FROM vectors NOT INDEXED WHERE seq > ? AND kind = ? AND model_id = ? ORDER BY seq LIMIT ?)`,
    )
    .raw();
  const of = db
    .prepare<unknown[], Packed>(
      `${packed} FROM (SELECT v.* FROM json_each(?) j JOIN vectors v INDEXED BY vectors_by_subject
         ON v.kind = ? AND v.subject_id = j.value AND v.model_id = ? ORDER BY v.seq)`,
    )
    .raw();
  const at = db
    .prepare<unknown[], Packed>(
      `${packed} FROM (SELECT v.* FROM json_each(?) j CROSS JOIN vectors v ON v.seq = j.value ORDER BY j.key)`,
    )
    .raw();
  const numbers = db
    .prepare<[number, number], string | null>(
      'SELECT group_concat(seq) FROM vectors INDEXED BY vectors_by_subject WHERE kind = ? AND model_id = ?',
    )
    .pluck();
  const grouped = db
    .prepare<[], number>(
      'SELECT s.id FROM group_sessions m JOIN sessions s ON s.session = m.session AND s.agent = m.agent',
    )
    .pluck();
  const fetch = db.prepare<[string], EntryRow & { row: number; project: string | null; title: string | null }>(
    `SELECT ${entryColumns}, e.id AS row, p.name AS project, ${titleOfSession} FROM json_each(?) j JOIN entries e ON e.id = j.value
     JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id ORDER BY j.key`,
  );
  const conversations = db
    .prepare<[string], [number, number]>(
      `SELECT e.id, e.conversation_id FROM json_each(?) j JOIN entries e ON e.id = j.value WHERE e.conversation_id IS NOT NULL`,
    )
    .raw();

  return {
    async placesAfter(position, { model, limit }) {
      return run(() => {
        const to = upTo.get(position, limit) ?? undefined;
        if (to === undefined) return { ...noPlaces, position, done: true };
        const span = { after: position, to, unread: unread.get(unreadFact) ?? 0 };
        const columns =
          model === undefined ? fresh.get(span) : changed.get({ ...span, model: modelId.get(model) ?? -1 });
        const [sessions, ids, files, at, marks, lengths, vectors] = (columns ?? []).map(numbersIn) as number[][];
        return {
          sessions,
          ids,
          files,
          at,
          marks,
          lengths,
          vectors,
          position: to,
          done: to === last.get(),
        } as PlacePage;
      });
    },
    async vectorsAfter(seq, { kind, model, limit }) {
      return run(() => unpack(after.get(seq, codeOf(kind), modelId.get(model) ?? -1, limit)));
    },
    async vectorsOf(ids, { kind, model }) {
      return run(() => unpack(of.get(JSON.stringify(ids), codeOf(kind), modelId.get(model) ?? -1)));
    },
    async vectorsAt(seqs) {
      return run(() => unpack(at.get(JSON.stringify(seqs))));
    },
    async vectorNumbers({ kind, model }) {
      return run(() => ({
        seqs: numbersIn(numbers.get(codeOf(kind), modelId.get(model) ?? -1) ?? null),
      }));
    },
    async sessionRows(filter) {
      return run(() => {
        const { where, values } = sessionConditions(db, filter);
        const sql = `SELECT s.id FROM sessions s ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}`;
        return db
          .prepare<unknown[], number>(sql)
          .pluck()
          .all(...values);
      });
    },
    async groupedSessionRows() {
      return run(() => grouped.all());
    },
    async conversationsAt(rows) {
      return run(() => new Map(conversations.all(JSON.stringify(rows))));
    },
    async entriesAt(rows) {
      return run(() =>
        fetch.all(JSON.stringify(rows)).map((row) => ({
          row: row.row,
          entry: toEntry(row),
          project: row.project ?? '',
          title: row.title ?? '',
        })),
      );
    },
  };
}

const noPlaces = { sessions: [], ids: [], files: [], at: [], marks: [], lengths: [], vectors: [] };

/** Numbers as SQLite puts them together. */
const numbersIn = (text: string | null): number[] => JSON.parse(`[${text ?? ''}]`) as number[];

type Packed = [count: number, seqs: string | null, ids: string | null, vectors: Buffer | null];

function unpack(row: Packed | undefined): VectorPage {
  if (row === undefined || row[0] === 0) return { seqs: [], ids: [], vectors: new Int8Array(0) };
  const [, seqs, ids, vectors] = row as [number, string, string, Buffer];
  return {
    seqs: numbersIn(seqs),
    ids: numbersIn(ids),
    vectors: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length),
  };
}
