// Reads and writes for the exchange with a hub, apart from chunks.

import Database from 'better-sqlite3';
import type { ExportedRow } from '../../schema/exported.ts';
import { explain } from '../../system/errors.ts';
import { distilledWrites } from '../distilled/observations.ts';
import { markDueSql, rulesFact } from '../memory/statements.ts';
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { memoryLinesIn, sessionLinesIn } from '../transfer/exporting.ts';
import type { HubPort } from './port.ts';

type Is<K extends ExportedRow['is']> = Extract<ExportedRow, { is: K }>;

export function hubPort(connection: Connection): HubPort {
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
  const writes = distilledWrites(connection);
  const oldExtraction = connection
    .statement<[string, string, number], string>(
      'SELECT json FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?',
    )
    .pluck();
  const dropExtraction = connection.statement('DELETE FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?');
  const addExtraction = connection.statement(
    `INSERT INTO extractions (agent, file, first_pos, first_at, last_at, session, project, by, json)
     VALUES (@agent, @file, @firstPos, @firstAt, @lastAt, @session, @project, @by, @json)`,
  );
  const placeAgain = connection.statement('DELETE FROM facts WHERE name = ?');
  const pagesOf = connection
    .statement<[string, string, number], string>(
      `SELECT DISTINCT s.page FROM statements s JOIN extractions x ON x.id = s.extraction_id
       WHERE x.agent = ? AND x.file = ? AND x.first_pos = ?`,
    )
    .pluck();
  const due = connection.statement(markDueSql);

  function takeExtraction(row: Is<'extraction'>): number {
    const at = [row.agent, row.file, row.firstPos] as const;
    if (oldExtraction.get(...at) === row.json) return 0;
    for (const page of pagesOf.all(...at)) due.run(page);
    dropExtraction.run(...at);
    addExtraction.run(row);
    placeAgain.run(rulesFact);
    return 1;
  }

  function take(row: ExportedRow): number {
    if (row.is === 'observation') {
      const { is: _, ...given } = row;
      return Number(writes.putObservation(given));
    }
    if (row.is === 'summary') {
      const { is: _, ...given } = row;
      return Number(writes.putSummary(given));
    }
    return row.is === 'extraction' ? takeExtraction(row) : 0;
  }

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
    replaceRows: async (rows) => write(() => rows.reduce((sum, row) => sum + take(row), 0)),
    dropDerived: async (rows) =>
      write(() => {
        for (const { kind, agent, session, prompt } of rows)
          if (kind === 'observation') writes.dropObservation(agent as 'pi', session, prompt);
          else if (kind === 'summary') writes.dropSummary(agent as 'pi', session);
      }),
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
