// Writes pages: the text in the file, and the text about to be written.

import { indexWriter } from '../memory/index-rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { editWriting } from './edits.ts';
import type { PagesPort } from './port.ts';

export function pageWriting(
  connection: Connection,
): Pick<PagesPort, 'prepare' | 'settle' | 'takeUncommitted' | 'markUncommitted'> {
  // Pages are rewritten often, so overwrite what they free.
  const write = overwriting(connection);
  const putEdit = editWriting(connection);
  const prepare = connection.statement(
    `INSERT INTO memory_pages (page, version, written, written_targets, intended, intended_targets)
     VALUES (@page, @version, @written, @writtenTargets, @intended, @intendedTargets)
     ON CONFLICT DO UPDATE SET version = excluded.version, written = coalesce(excluded.written, written),
       written_targets = coalesce(excluded.written_targets, written_targets),
       intended = excluded.intended, intended_targets = excluded.intended_targets`,
  );
  const settle = connection.statement(
    `UPDATE memory_pages SET due = 0, stamp = @stamp, derived = @derived,
       uncommitted = CASE WHEN intended IS NULL THEN uncommitted ELSE 1 END,
       written = CASE WHEN @stamp = '' THEN NULL ELSE coalesce(intended, written) END,
       written_targets = CASE WHEN @stamp = '' THEN NULL ELSE coalesce(intended_targets, written_targets) END,
       intended = NULL, intended_targets = NULL
     WHERE page = @page`,
  );
  const dropEmpty = connection.statement(
    `DELETE FROM memory_pages WHERE page = @page AND stamp = '' AND uncommitted = 0
       AND NOT EXISTS (SELECT 1 FROM statements WHERE page = @page) AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page)`,
  );
  const insertPage = connection.statement('INSERT INTO memory_pages (page) VALUES (?) ON CONFLICT DO NOTHING');
  const uncommitted = connection
    .statement<[], string>('UPDATE memory_pages SET uncommitted = 0 WHERE uncommitted = 1 RETURNING page')
    .pluck();
  const markUncommitted = connection.statement('UPDATE memory_pages SET uncommitted = 1 WHERE page = ?');
  const index = indexWriter(connection);
  const storedVersion = connection
    .statement<[string], number>('SELECT version FROM memory_pages WHERE page = ?')
    .pluck();
  const version = (page: string): number => storedVersion.get(page) ?? 0;

  return {
    async prepare(page, expected, { edits: added, written, intended }) {
      return write(() => {
        if (version(page) !== expected) return undefined;
        for (const edit of added) putEdit(page, edit);
        prepare.run({
          ...{ page, version: expected + 1, written: written?.text ?? null, intended: intended?.text ?? null },
          writtenTargets: written ? JSON.stringify(written.targets) : null,
          intendedTargets: intended ? JSON.stringify(intended.targets) : null,
        });
        return expected + 1;
      });
    },
    async settle(page, expected, put, memories) {
      return write(() => {
        if (version(page) !== expected) return false;
        const done = put();
        if (done === undefined) return false;
        insertPage.run(page);
        settle.run({ page, stamp: done.stamp, derived: Number(done.derived) });
        index(page, memories);
        dropEmpty.run({ page });
        return true;
      });
    },
    async takeUncommitted() {
      return write(() => uncommitted.all());
    },
    async markUncommitted(pages) {
      write(() => {
        for (const page of pages) markUncommitted.run(page);
      });
    },
  };
}
