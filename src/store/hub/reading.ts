// What the exchange with a hub reads here, and its notes.
import Database from 'better-sqlite3';
import { explain } from '../../system/errors.ts';
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { memoryLinesIn, sessionLinesIn } from '../transfer/exporting.ts';
import type { HubPort } from './port.ts';

export function hubReading(
  connection: Connection,
): Pick<
  HubPort,
  'note' | 'setNote' | 'exportedSessions' | 'exportedMemory' | 'transcriptKeys' | 'sessionsIn' | 'entryVectors'
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
  const vectors = connection.statement<{ model: number; uuids: string }, { uuid: string; vector: Buffer }>(
    `SELECT e.uuid, v.vector FROM json_each(@uuids) j CROSS JOIN entries e ON e.uuid = j.value
     CROSS JOIN vectors v ON v.kind = 0 AND v.subject_id = e.id AND v.model_id = @model
     WHERE v.part = (SELECT max(part) FROM vectors w WHERE w.kind = 0 AND w.subject_id = e.id AND w.model_id = @model)`,
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
    entryVectors: async (uuids) =>
      read(() => {
        const [model] = wanted.all();
        if (model === undefined) return { model: '', vectors: new Map() };
        const rows = vectors.all({ model: model.id, uuids: JSON.stringify(uuids) });
        const asVector = (bytes: Buffer) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
        return { model: model.name, vectors: new Map(rows.map(({ uuid, vector }) => [uuid, asVector(vector)])) };
      }),
  };
}
