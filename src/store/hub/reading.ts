// What the exchange with a hub reads here, and its notes.
import Database from 'better-sqlite3';
import { explain } from '../../system/errors.ts';
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { memoryLinesIn, sessionLinesIn } from '../transfer/exporting.ts';
import { type HubPort, hubKeyPrefix, type PlacedVector } from './port.ts';

export function hubReading(
  connection: Connection,
): Pick<
  HubPort,
  | 'note'
  | 'setNote'
  | 'exportedSessions'
  | 'exportedMemory'
  | 'transcriptKeys'
  | 'sessionsIn'
  | 'entryVectors'
  | 'finalVectorsAfter'
> {
  const { location, read, write } = connection;
  const note = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const setNote = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const dropNote = connection.statement('DELETE FROM facts WHERE name = ?');
  const keys = connection
    .statement<[string, string], string>(
      `SELECT f.key FROM file_sessions x JOIN files f ON f.id = x.file_id JOIN sessions s ON s.id = x.session_id
       WHERE s.session = ? AND s.agent = ? ORDER BY f.key`,
    )
    .pluck();
  const sessionsIn = connection.statement<[string, string], SessionKey>(
    `SELECT s.agent, s.session FROM files f JOIN file_sessions x ON x.file_id = f.id JOIN sessions s ON s.id = x.session_id
     WHERE f.agent = ? AND f.key = ?`,
  );
  const wanted = connection.statement<[], { id: number; name: string }>(
    'SELECT id, name FROM vector_models WHERE wanted = 1',
  );
  // Of several vectors of a text, the last is that of the whole. The joins are in this order because the planner would
  // start with all vectors.
  const vectors = connection.statement<
    { model: number; uuids: string; rough: number },
    { uuid: string; vector: Buffer }
  >(
    `SELECT e.uuid, v.vector FROM json_each(@uuids) j CROSS JOIN entries e ON e.uuid = j.value
     CROSS JOIN vectors v ON v.kind = 0 AND v.subject_id = e.id AND v.model_id = @model AND v.rough <= @rough
     WHERE v.part = (SELECT max(part) FROM vectors w WHERE w.kind = 0 AND w.subject_id = e.id AND w.model_id = @model)`,
  );
  const newestVector = connection.statement<[], number | null>('SELECT max(seq) FROM vectors').pluck();
  // In the order of the table: with an index, SQLite would sort all vectors for every page.
  const finalVectors = connection.statement<
    { model: number; seq: number; limit: number },
    Omit<PlacedVector, 'vector'> & { seq: number; vector: Buffer }
  >(
    `SELECT v.seq, e.uuid, f.agent, f.key, p.path AS project, v.vector FROM vectors v NOT INDEXED CROSS JOIN entries e ON e.id = v.subject_id
     CROSS JOIN files f ON f.id = e.file_id CROSS JOIN sessions s ON s.id = e.session_id CROSS JOIN projects p ON p.id = s.project_id
     WHERE v.seq > @seq AND v.kind = 0 AND v.model_id = @model AND v.rough = 0 AND substr(f.key, 1, ${hubKeyPrefix.length}) <> '${hubKeyPrefix}'
       AND NOT EXISTS (SELECT 1 FROM vectors w WHERE w.kind = 0 AND w.subject_id = v.subject_id AND w.model_id = v.model_id AND w.part > v.part)
     ORDER BY v.seq LIMIT @limit`,
  );
  async function* exportedSessions(sessions: Parameters<HubPort['exportedSessions']>[0]) {
    const own = new Database(location, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      own.exec('BEGIN');
      yield* sessionLinesIn(own, sessions);
    } catch (error) {
      throw explain(error, `the database ${location}`);
    } finally {
      own.close();
    }
  }

  return {
    note: async (name) => read(() => note.get(name)),
    setNote: async (name, value) =>
      write(() => void (value === undefined ? dropNote.run(name) : setNote.run(name, value))),
    exportedSessions,
    exportedMemory: async () => read(() => [...memoryLinesIn(connection.db)]),
    transcriptKeys: async ({ agent, session }) => read(() => keys.all(session, agent)),
    sessionsIn: async (agent, key) => read(() => sessionsIn.all(agent, key)),
    entryVectors: async (uuids, { final = false } = {}) =>
      read(() => {
        const [model] = wanted.all();
        if (model === undefined) return { model: '', vectors: new Map() };
        const rows = vectors.all({ model: model.id, uuids: JSON.stringify(uuids), rough: final ? 0 : 1 });
        return { model: model.name, vectors: new Map(rows.map(({ uuid, vector }) => [uuid, asVector(vector)])) };
      }),
    finalVectorsAfter: async (seq, limit) =>
      read(() => {
        const [model] = wanted.all();
        const newest = newestVector.get() ?? 0;
        if (model === undefined) return { model: '', rows: [], upTo: newest };
        const rows = finalVectors.all({ model: model.id, seq, limit });
        return {
          model: model.name,
          rows: rows.map(({ seq: _, vector, ...row }) => ({ ...row, vector: asVector(vector) })),
          upTo: rows.length < limit ? newest : (rows.at(-1)?.seq ?? newest),
        };
      }),
  };
}

const asVector = (bytes: Buffer): Int8Array => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
