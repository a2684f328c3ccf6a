// Derived rows that came from a hub.
import { withParts } from '../../schema/completed-text.ts';
import type { ExportedRow } from '../../schema/exported.ts';
import { distilledWrites } from '../distilled/writing.ts';
import { markDueSql, rulesFact } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { HubPort } from './port.ts';

type Is<K extends ExportedRow['is']> = Extract<ExportedRow, { is: K }>;

export function hubWriting(connection: Connection): Pick<HubPort, 'replaceRows' | 'dropDerived'> {
  const { write } = connection;
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
      const { is: _, past: __, ...given } = row;
      return Number(writes.putSummary(withParts(given)));
    }
    return row.is === 'extraction' ? takeExtraction(row) : 0;
  }

  return {
    replaceRows: async (rows) => write(() => rows.reduce((sum, row) => sum + take(row), 0)),
    dropDerived: async (rows) =>
      write(() => {
        for (const { kind, agent, session, prompt } of rows)
          if (kind === 'observation') writes.dropObservation(agent as 'pi', session, prompt);
          else if (kind === 'summary') writes.dropSummary(agent as 'pi', session);
      }),
  };
}
