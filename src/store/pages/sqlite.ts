// The port of pages: what the librarian's pages consist of, and the state of each file.

import { indexWriter } from '../memory/index-rows.ts';
import { type StatementRow, statementColumns, statementWriting, toStatement } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
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

export function pagesPort(connection: Connection): PagesPort {
  const { read } = connection;
  // Pages are rewritten often, so overwrite what they free.
  const write = overwriting(connection);
  const { save, due } = statementWriting(connection);
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
  const putEdit = connection.statement(
    `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at)
     VALUES (@page, @target, @kind, @text, @tight, @front, @anchor, @section, @before, @at)`,
  );
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
  const putMerge = connection.statement(
    `INSERT INTO memory_merges (page, target, into_target, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET into_target = excluded.into_target, at = max(excluded.at, memory_merges.at + 1)`,
  );
  // An undone merge becomes a merge into itself, so that an older merge from another machine does not return.
  const partMerges = connection.statement(
    `UPDATE memory_merges SET into_target = target, at = max(@at, at + 1) WHERE page = @page AND into_target = @into AND target <> @into`,
  );
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
  const uncommitted = connection
    .statement<[], string>('UPDATE memory_pages SET uncommitted = 0 WHERE uncommitted = 1 RETURNING page')
    .pluck();
  const markUncommitted = connection.statement('UPDATE memory_pages SET uncommitted = 1 WHERE page = ?');
  const index = indexWriter(connection);
  const version = (page: string): number => pageRow.get(page)?.version ?? 0;

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
    async prepare(page, expected, { edits: added, written, intended }) {
      return write(() => {
        if (version(page) !== expected) return undefined;
        for (const edit of added) putEdit.run({ ...edit, page, tight: Number(edit.tight), front: Number(edit.front) });
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
    async contested() {
      return read(() => contested.all().map(toStatement));
    },
    async noted() {
      return read(() => {
        const statements = noted.all().map(toStatement);
        return { statements, lastAt: statements.length === 0 ? 0 : (lastGiven.get() ?? 0) };
      });
    },
    async addEdit(page, edit) {
      write(() => {
        putEdit.run({ ...edit, page, tight: Number(edit.tight), front: Number(edit.front) });
        due([page]);
      });
    },
    async mergeTargets(page, list, at) {
      write(() => {
        for (const { target, into } of list) putMerge.run(page, target, into, at);
        due([page]);
      });
    },
    async unmergeTargets(page, into, at) {
      return write(() => {
        const { changes } = partMerges.run({ page, into, at });
        due([page]);
        return changes;
      });
    },
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
    async forgottenUpTo() {
      return read(() => new Map(tombstoneMoments.all().map(({ print, at }) => [print, at])));
    },
    async noteForgotten(prints) {
      write(() => {
        for (const { print, at } of prints) putTombstone.run(print, at);
      });
    },
    async forgotten() {
      return read(() => new Set(tombstones.all()));
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

const toWritten = (text: string | null | undefined, targets: string | null | undefined): Written | undefined =>
  text === null || text === undefined ? undefined : { text, targets: JSON.parse(targets ?? '[]') as string[] };
