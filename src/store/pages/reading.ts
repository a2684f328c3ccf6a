// Reads pages: their state, their statements and their edits.

import { type StatementRow, statementColumns, toStatement } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Edit, PagesPort, Written } from './port.ts';

interface PageRow {
  page: string;
  version: number;
  due: number;
  derived: number;
  stamp: string;
  written: string | null;
  written_targets: string | null;
  intended: string | null;
  intended_targets: string | null;
}

export function pageReading(connection: Connection): Pick<PagesPort, 'list' | 'get' | 'contested' | 'noted'> {
  const { read } = connection;
  const glances = connection.statement<[], Pick<PageRow, 'page' | 'due' | 'derived' | 'stamp'>>(
    'SELECT page, due, derived, stamp FROM memory_pages ORDER BY page',
  );
  const pageRow = connection.statement<[string], PageRow>('SELECT * FROM memory_pages WHERE page = ?');
  const statements = connection.statement<[string], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE page = ? ORDER BY at, id`,
  );
  const edits = connection.statement<[string], Omit<Edit, 'tight' | 'front'> & { tight: number; front: number }>(
    // By moment, then by content: every machine with these rows has the same order.
    'SELECT target, kind, text, tight, front, anchor, section, before, at FROM memory_edits WHERE page = ? ORDER BY at, target, kind, text',
  );
  const merges = connection.statement<[string], { target: string; into_target: string }>(
    'SELECT target, into_target FROM memory_merges WHERE page = ? AND into_target <> target',
  );
  // From the few statements that a person wrote or asked for to later ones on the same target.
  const contested = connection.statement<[], StatementRow>(
    `SELECT ${statementColumns
      .split(', ')
      .map((name) => `s.${name}`)
      .join(', ')} FROM (
         SELECT page, target, min(at) AS at FROM (
           SELECT page, target, at FROM memory_edits WHERE kind = 'change'
           UNION ALL SELECT page, target, at FROM statements WHERE extraction_id IS NULL)
         GROUP BY page, target) w
     JOIN statements s ON s.page = w.page AND s.target = w.target
     WHERE s.extraction_id IS NOT NULL AND s.kind IN ('keyed', 'retired') AND s.at > w.at ORDER BY s.at, s.file, s.pos, s.ordinal`,
  );
  const noted = connection.statement<[], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE (page, target) IN (SELECT page, target FROM statements WHERE kind = 'note')
     ORDER BY at, id`,
  );
  const lastGiven = connection.statement<[], number>('SELECT max(last_at) FROM extractions').pluck();

  return {
    async list() {
      return read(() => glances.all().map((row) => ({ ...row, due: row.due === 1, derived: row.derived === 1 })));
    },
    async get(page) {
      return read(() =>
        connection.db.transaction(() => {
          const row = pageRow.get(page);
          return {
            version: row?.version ?? 0,
            written: toWritten(row?.written, row?.written_targets),
            intended: toWritten(row?.intended, row?.intended_targets),
            statements: statements.all(page).map(toStatement),
            edits: edits.all(page).map((edit) => ({ ...edit, tight: edit.tight === 1, front: edit.front === 1 })),
            merged: new Map(merges.all(page).map((merge) => [merge.target, merge.into_target])),
          };
        })(),
      );
    },
    async contested() {
      return read(() => contested.all().map(toStatement));
    },
    async noted() {
      return read(() => {
        const statements = noted.all().map(toStatement);
        return { statements, lastAt: statements.length === 0 ? 0 : (lastGiven.get() ?? 0) };
      });
    },
  };
}

const toWritten = (text: string | null | undefined, targets: string | null | undefined): Written | undefined =>
  text === null || text === undefined ? undefined : { text, targets: JSON.parse(targets ?? '[]') as string[] };
