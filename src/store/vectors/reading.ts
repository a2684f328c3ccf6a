// Reads vectors and positions for the index in memory: a first load, and then the changes since.

import { hasQuestion, unreadFact } from '../admin/renewal.ts';
import type { Connection } from '../sqlite/connection.ts';
import { entryMark, type PlacePage, type VectorPage, type VectorsPort } from './port.ts';
import { codeOf } from './subjects.ts';

/** A page of vectors as one row: concatenating in SQLite takes a quarter of the time of reading single rows. */
const packed = `SELECT count(*), group_concat(seq), group_concat(subject_id), CAST(group_concat(CAST(vector AS TEXT), '') AS BLOB)`;

/** The bits of `entryMark`. Reads only texts that have not been checked for questions yet. */
const marks = `${entryMark.answer} * (e.role <> 'user') + ${entryMark.subagent} * (e.subagent IS NOT NULL)
  + ${entryMark.abandoned} * e.abandoned
  + ${entryMark.asks} * CASE WHEN e.id > @unread THEN e.id IN asking_entries ELSE ${hasQuestion('e.text')} END
  + ${entryMark.prompt} * (e.author = 'person') + ${entryMark.usedTools} * (e.tools IS NOT NULL)`;

export function vectorReading(
  connection: Connection,
): Pick<VectorsPort, 'placesAfter' | 'after' | 'newest' | 'of' | 'at' | 'numbers'> {
  const { read: run } = connection;
  const last = connection.statement<[], number | null>('SELECT max(seq) FROM session_changes').pluck();
  const upTo = connection
    .statement<[number, number], number | null>(
      'SELECT max(seq) FROM (SELECT seq FROM session_changes WHERE seq > ? ORDER BY seq LIMIT ?)',
    )
    .pluck();
  // One row per page, as for vectors.
  const places = (vector: string) =>
    connection
      .statement<unknown[], (string | null)[]>(
        `SELECT group_concat(session), group_concat(id), group_concat(file), group_concat(at), group_concat(marks),
           group_concat(length), group_concat(vector) FROM (
           SELECT c.session_id AS session, coalesce(e.id, 0) AS id, coalesce(e.file_id, 0) AS file, coalesce(e.at, 0) AS at,
             coalesce(${marks}, 0) AS marks,
             coalesce(length(e.text), 0) AS length, coalesce(${vector}, 0) AS vector
           FROM session_changes c LEFT JOIN entries e INDEXED BY entries_by_session ON e.session_id = c.session_id
           WHERE c.seq > @after AND c.seq <= @to ORDER BY c.seq, e.pos)`,
      )
      .raw();
  const unread = connection
    .statement<[string], number>('SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?')
    .pluck();
  const fresh = places('NULL');
  const changed = places(
    '(SELECT max(v.seq) FROM vectors v WHERE v.kind = 0 AND v.subject_id = e.id AND v.model_id = @model)',
  );
  const modelId = connection.statement<[string], number>('SELECT id FROM vector_models WHERE name = ?').pluck();
  // In table order: with an index, SQLite would sort all vectors for every page.
  const after = connection
    .statement<unknown[], Packed>(
      `${packed} FROM (SELECT * FROM vectors NOT INDEXED WHERE seq > ? AND kind = ? AND model_id = ? ORDER BY seq LIMIT ?)`,
    )
    .raw();
  const newest = connection.statement<[], number | null>('SELECT max(seq) FROM vectors').pluck();
  const of = connection
    .statement<unknown[], Packed>(
      `${packed} FROM (SELECT v.* FROM json_each(?) j CROSS JOIN vectors v INDEXED BY vectors_by_subject
         ON v.kind = ? AND v.subject_id = j.value AND v.model_id = ? ORDER BY v.seq)`,
    )
    .raw();
  const at = connection
    .statement<unknown[], Packed>(
      `${packed} FROM (SELECT v.* FROM json_each(?) j CROSS JOIN vectors v ON v.seq = j.value ORDER BY j.key)`,
    )
    .raw();
  const numbers = connection
    .statement<[number, number], string | null>(
      'SELECT group_concat(seq) FROM vectors INDEXED BY vectors_by_subject WHERE kind = ? AND model_id = ?',
    )
    .pluck();

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
    async after(seq, { kind, model, limit }) {
      return run(() => unpack(after.get(seq, codeOf(kind), modelId.get(model) ?? -1, limit)));
    },
    async newest() {
      return run(() => newest.get() ?? 0);
    },
    async of(ids, { kind, model }) {
      return run(() => unpack(of.get(JSON.stringify(ids), codeOf(kind), modelId.get(model) ?? -1)));
    },
    async at(seqs) {
      return run(() => unpack(at.get(JSON.stringify(seqs))));
    },
    async numbers({ kind, model }) {
      return run(() => ({
        seqs: numbersIn(numbers.get(codeOf(kind), modelId.get(model) ?? -1) ?? null),
      }));
    },
  };
}

const noPlaces = { sessions: [], ids: [], files: [], at: [], marks: [], lengths: [], vectors: [] };

/** A list of numbers as `group_concat` returns it. */
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
