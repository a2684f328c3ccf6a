// Forgets targets of pages, and keeps hashes of what must not come back.

import { statementWriting } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { PagesPort } from './port.ts';

export function pageForgetting(
  connection: Connection,
): Pick<PagesPort, 'forgetTarget' | 'forgetUpTo' | 'forgotten' | 'forgottenUpTo' | 'noteForgotten'> {
  const { read } = connection;
  // Pages are rewritten often, so overwrite what they free.
  const write = overwriting(connection);
  const { save, due } = statementWriting(connection);
  const dropAsked = connection.statement(
    'DELETE FROM statements WHERE page = ? AND target = ? AND extraction_id IS NULL',
  );
  const isEmptied = "kind = 'remove' AND text = '' AND before = '' AND target GLOB 'own:*'";
  // A person's own line keeps its position, without its text, because other lines may follow it.
  const emptyOwn = connection.statement(
    `UPDATE memory_edits SET kind = 'remove', text = '', before = '' WHERE target GLOB 'own:*'
     AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND target = @target AND ${isEmptied})
     AND id = (SELECT id FROM memory_edits WHERE page = @page AND target = @target AND at <= @at ORDER BY at, id LIMIT 1)`,
  );
  const dropEmptied = connection.statement(
    `DELETE FROM memory_edits WHERE page = @page AND NOT EXISTS (SELECT 1 FROM statements WHERE page = @page)
       AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND NOT (${isEmptied}))`,
  );
  const dropEdits = connection.statement(
    `DELETE FROM memory_edits WHERE page = ? AND (target = ? OR substr(target, 1, ?) = ?) AND NOT (${isEmptied})`,
  );
  const dropAskedUpTo = connection.statement(
    'DELETE FROM statements WHERE page = @page AND target = @target AND extraction_id IS NULL AND at <= @at',
  );
  const dropEditsUpTo = connection.statement(
    `DELETE FROM memory_edits WHERE page = @page AND (target = @target OR substr(target, 1, length(@target) + 1) = @target || '/')
       AND at <= @at AND NOT (${isEmptied})`,
  );
  const dropMerge = connection.statement(
    'DELETE FROM memory_merges WHERE page = ? AND (target = ? OR into_target = ?)',
  );
  const putTombstone = connection.statement(
    'INSERT INTO memory_tombstones (print, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)',
  );
  const tombstones = connection.statement<[], string>('SELECT print FROM memory_tombstones').pluck();
  const tombstoneMoments = connection.statement<[], { print: string; at: number }>(
    'SELECT print, at FROM memory_tombstones',
  );

  return {
    async forgetTarget(page, target, prints, replacing, at = 0) {
      write(() => {
        const pages = replacing.flatMap(save);
        dropAsked.run(page, target);
        emptyOwn.run({ page, target, at: Number.MAX_SAFE_INTEGER });
        dropEdits.run(page, target, target.length + 1, `${target}/`);
        dropMerge.run(page, target, target);
        dropEmptied.run({ page });
        for (const print of prints) putTombstone.run(print, at);
        due([...pages, page]);
      });
    },
    async forgetUpTo(page, targets) {
      return write(() => {
        let gone = 0;
        for (const { target, at } of targets) {
          gone += dropAskedUpTo.run({ page, target, at }).changes;
          gone += emptyOwn.run({ page, target, at }).changes + dropEditsUpTo.run({ page, target, at }).changes;
        }
        dropEmptied.run({ page });
        if (gone > 0) due([page]);
        return gone;
      });
    },
    async forgotten() {
      return read(() => new Set(tombstones.all()));
    },
    async forgottenUpTo() {
      return read(() => new Map(tombstoneMoments.all().map(({ print, at }) => [print, at])));
    },
    async noteForgotten(prints) {
      write(() => {
        for (const { print, at } of prints) putTombstone.run(print, at);
      });
    },
  };
}
