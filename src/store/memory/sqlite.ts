// The port of memory: what conversations contributed.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { memoryIndex } from './index-rows.ts';
import type { ExtractionRow, MemoryPort } from './port.ts';
import { rulesFact, type StatementRow, statementColumns, statementWriting, toStatement } from './statements.ts';

const extractionColumns =
  'agent, file, first_pos AS firstPos, first_at AS firstAt, last_at AS lastAt, session, project, group_name AS "group", by, json';

export function memoryPort(connection: Connection): MemoryPort {
  const { read } = connection;
  // Pages are rewritten often, so overwrite what they free.
  const write = overwriting(connection);
  const { insert, save, due, idOf, pagesOf } = statementWriting(connection);
  const extraction = connection.statement<[string, string, number], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?`,
  );
  const extractions = connection.statement<[], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions ORDER BY first_at, agent, file, first_pos`,
  );
  const ofSession = connection.statement<[string], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions WHERE session = ? ORDER BY first_at, agent, file, first_pos`,
  );
  const dropExtraction = connection.statement('DELETE FROM extractions WHERE id = ?');
  const getFact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const promoted = connection.statement<[string], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE extraction_id IS NULL AND substr(promoted_from, 1, 14) = ? || ' ' ORDER BY id`,
  );

  const { list, find } = memoryIndex(connection);
  return {
    list,
    find,
    async extraction(agent, file, firstPos) {
      return read(() => extraction.get(agent, file, firstPos));
    },
    async extractions({ agent, session } = {}) {
      const rows = read(() => (session === undefined ? extractions.all() : ofSession.all(session)));
      return rows.filter((row) => agent === undefined || row.agent === (agent as AgentName));
    },
    async saveExtractions(rows, rules) {
      return write(() => {
        if (rules !== undefined) putFact.run(rulesFact, rules);
        return due(rows.flatMap(save));
      });
    },
    async placingRules() {
      return read(() => getFact.get(rulesFact));
    },
    async dropExtractions(rows) {
      return write(() => {
        const pages: string[] = [];
        for (const { agent, file, firstPos } of rows) {
          const id = idOf.get(agent, file, firstPos);
          if (id === undefined) continue;
          pages.push(...pagesOf.all(id));
          dropExtraction.run(id);
        }
        return due(pages);
      });
    },
    async saveStatement(statement) {
      write(() => {
        insert(null, statement);
        due([statement.page]);
      });
    },
    async promotedFrom(id) {
      return read(() => promoted.all(id).map(toStatement));
    },
  };
}
