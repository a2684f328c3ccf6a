// What the librarian's pages are made of, and where it stands with each file.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Edit, ExtractionRow, MemoryStore, PlacedExtraction, Statement, Written } from '../memory.ts';
import { indexWriter } from './memory-index.ts';
import { overwriting } from './overwriting.ts';

type Run = <T>(work: () => T) => T;
type Methods = Omit<MemoryStore, 'memories' | 'findMemories' | 'searchMemories'>;

interface StatementRow extends Omit<Statement, 'order' | 'tags' | 'from' | 'saidBy'> {
  said_by: Statement['saidBy'];
  ordinal: number;
  tags: string;
  promoted_from: string;
}

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

/** Kept in `facts`: by which rules statements were placed. Without it they are placed anew. */
export const rulesFact = 'memories: placed by';
export const markDueSql = `INSERT INTO memory_pages (page, version, due) VALUES (?, 1, 1)
  ON CONFLICT DO UPDATE SET version = version + 1, due = 1`;
const statementColumns =
  'page, target, kind, at, file, pos, ordinal, title, key, text, why, project, session, source, said_by, tags, promoted_from';
const extractionColumns =
  'agent, file, first_pos AS firstPos, first_at AS firstAt, last_at AS lastAt, session, project, group_name AS "group", by, json';

export function memoryRows(db: Database, read: Run, writeAny: Run): Methods {
  // Pages are written again and again.
  const write = overwriting(db, writeAny);
  const extraction = db.prepare<[string, string, number], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?`,
  );
  const extractions = db.prepare<[], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions ORDER BY first_at, agent, file, first_pos`,
  );
  const ofSession = db.prepare<[string], ExtractionRow>(
    `SELECT ${extractionColumns} FROM extractions WHERE session = ? ORDER BY first_at, agent, file, first_pos`,
  );
  const idOf = db
    .prepare<[string, string, number], number>(
      'SELECT id FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?',
    )
    .pluck();
  const putExtraction = db.prepare(
    `INSERT INTO extractions (agent, file, first_pos, first_at, last_at, session, project, group_name, by, json)
     VALUES (@agent, @file, @firstPos, @firstAt, @lastAt, @session, @project, @group, @by, @json)
     ON CONFLICT DO UPDATE SET first_at = excluded.first_at, last_at = excluded.last_at, session = excluded.session, project = excluded.project,
       group_name = excluded.group_name,
       by = excluded.by, json = excluded.json`,
  );
  const dropExtraction = db.prepare('DELETE FROM extractions WHERE id = ?');
  const pagesOf = db.prepare<[number], string>('SELECT DISTINCT page FROM statements WHERE extraction_id = ?').pluck();
  const dropStatements = db.prepare('DELETE FROM statements WHERE extraction_id = ?');
  const putStatement = db.prepare(
    `INSERT INTO statements (extraction_id, ${statementColumns}) VALUES (@extraction, @page, @target, @kind, @at, @file, @pos, @order,
       @title, @key, @text, @why, @project, @session, @source, @saidBy, @tags, @from)`,
  );
  const markDue = db.prepare(markDueSql);
  const getFact = db.prepare<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = db.prepare(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const glances = db.prepare<[], Pick<PageRow, 'page' | 'due' | 'derived' | 'stamp'>>(
    'SELECT page, due, derived, stamp FROM memory_pages ORDER BY page',
  );
  const pageRow = db.prepare<[string], PageRow>('SELECT * FROM memory_pages WHERE page = ?');
  const statements = db.prepare<[string], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE page = ? ORDER BY at, id`,
  );
  const edits = db.prepare<[string], Omit<Edit, 'tight' | 'front'> & { tight: number; front: number }>(
    // By moment, then by content: every machine that has these rows has them in this order.
    'SELECT target, kind, text, tight, front, anchor, section, before, at FROM memory_edits WHERE page = ? ORDER BY at, target, kind, text',
  );
  const merges = db.prepare<[string], { target: string; into_target: string }>(
    'SELECT target, into_target FROM memory_merges WHERE page = ? AND into_target <> target',
  );
  const putEdit = db.prepare(
    `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at)
     VALUES (@page, @target, @kind, @text, @tight, @front, @anchor, @section, @before, @at)`,
  );
  const prepare = db.prepare(
    `INSERT INTO memory_pages (page, version, written, written_targets, intended, intended_targets)
     VALUES (@page, @version, @written, @writtenTargets, @intended, @intendedTargets)
     ON CONFLICT DO UPDATE SET version = excluded.version, written = coalesce(excluded.written, written),
       written_targets = coalesce(excluded.written_targets, written_targets),
       intended = excluded.intended, intended_targets = excluded.intended_targets`,
  );
  const settle = db.prepare(
    `UPDATE memory_pages SET due = 0, stamp = @stamp, derived = @derived,
       uncommitted = CASE WHEN intended IS NULL THEN uncommitted ELSE 1 END,
       written = CASE WHEN @stamp = '' THEN NULL ELSE coalesce(intended, written) END,
       written_targets = CASE WHEN @stamp = '' THEN NULL ELSE coalesce(intended_targets, written_targets) END,
       intended = NULL, intended_targets = NULL
     WHERE page = @page`,
  );
  const dropEmpty = db.prepare(
    `DELETE FROM memory_pages WHERE page = @page AND stamp = '' AND uncommitted = 0
       AND NOT EXISTS (SELECT 1 FROM statements WHERE page = @page) AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page)`,
  );
  const insertPage = db.prepare('INSERT INTO memory_pages (page) VALUES (?) ON CONFLICT DO NOTHING');
  // From the few that a person wrote or asked for to what was said later about the same.
  const contested = db.prepare<[], StatementRow>(
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
  const noted = db.prepare<[], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE (page, target) IN (SELECT page, target FROM statements WHERE kind = 'note')
     ORDER BY at, id`,
  );
  const lastGiven = db.prepare<[], number>('SELECT max(last_at) FROM extractions').pluck();
  const putMerge = db.prepare(
    `INSERT INTO memory_merges (page, target, into_target, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET into_target = excluded.into_target, at = max(excluded.at, memory_merges.at + 1)`,
  );
  // Parted again: merged into itself, so that an older merge from another machine does not come back.
  const partMerges = db.prepare(
    `UPDATE memory_merges SET into_target = target, at = max(@at, at + 1) WHERE page = @page AND into_target = @into AND target <> @into`,
  );
  const dropAsked = db.prepare('DELETE FROM statements WHERE page = ? AND target = ? AND extraction_id IS NULL');
  const isEmptied = "kind = 'remove' AND text = '' AND before = '' AND target GLOB 'own:*'";
  // Of a person's own line its place stays, without a word: other lines may stand behind it.
  const emptyOwn = db.prepare(
    `UPDATE memory_edits SET kind = 'remove', text = '', before = '' WHERE target GLOB 'own:*'
     AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND target = @target AND ${isEmptied})
     AND id = (SELECT id FROM memory_edits WHERE page = @page AND target = @target AND at <= @at ORDER BY at, id LIMIT 1)`,
  );
  const dropEmptied = db.prepare(
    `DELETE FROM memory_edits WHERE page = @page AND NOT EXISTS (SELECT 1 FROM statements WHERE page = @page)
       AND NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND NOT (${isEmptied}))`,
  );
  const dropEdits = db.prepare(
    `DELETE FROM memory_edits WHERE page = ? AND (target = ? OR substr(target, 1, ?) = ?) AND NOT (${isEmptied})`,
  );
  const dropAskedUpTo = db.prepare(
    'DELETE FROM statements WHERE page = @page AND target = @target AND extraction_id IS NULL AND at <= @at',
  );
  const dropEditsUpTo = db.prepare(
    `DELETE FROM memory_edits WHERE page = @page AND (target = @target OR substr(target, 1, length(@target) + 1) = @target || '/')
       AND at <= @at AND NOT (${isEmptied})`,
  );
  const dropMerge = db.prepare('DELETE FROM memory_merges WHERE page = ? AND (target = ? OR into_target = ?)');
  const putTombstone = db.prepare(
    'INSERT INTO memory_tombstones (print, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)',
  );
  const tombstones = db.prepare<[], string>('SELECT print FROM memory_tombstones').pluck();
  const tombstoneMoments = db.prepare<[], { print: string; at: number }>('SELECT print, at FROM memory_tombstones');
  const promoted = db.prepare<[string], StatementRow>(
    `SELECT ${statementColumns} FROM statements WHERE extraction_id IS NULL AND substr(promoted_from, 1, 14) = ? || ' ' ORDER BY id`,
  );
  const uncommitted = db
    .prepare<[], string>('UPDATE memory_pages SET uncommitted = 0 WHERE uncommitted = 1 RETURNING page')
    .pluck();
  const markUncommitted = db.prepare('UPDATE memory_pages SET uncommitted = 1 WHERE page = ?');
  const index = indexWriter(db);

  const insert = (extraction: number | null, { tags, ...statement }: Statement) =>
    putStatement.run({ ...statement, tags: JSON.stringify(tags), extraction });

  /** Returns the pages on which something came, went or changed. */
  function save({ row, statements }: PlacedExtraction): string[] {
    const known = idOf.get(row.agent, row.file, row.firstPos);
    const before = known === undefined ? [] : pagesOf.all(known);
    putExtraction.run(row);
    const id = idOf.get(row.agent, row.file, row.firstPos) as number;
    dropStatements.run(id);
    for (const statement of statements) insert(id, statement);
    return [...before, ...statements.map(({ page }) => page)];
  }

  const due = (pages: Iterable<string>): string[] => {
    const all = [...new Set(pages)].sort();
    for (const page of all) markDue.run(page);
    return all;
  };
  const version = (page: string): number => pageRow.get(page)?.version ?? 0;

  return {
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

    async pages() {
      return read(() => glances.all().map((row) => ({ ...row, due: row.due === 1, derived: row.derived === 1 })));
    },
    async page(page) {
      return read(() =>
        db.transaction(() => {
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
    async preparePage(page, expected, { edits: added, written, intended }) {
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
    async settlePage(page, expected, put, memories) {
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
    async scrub() {
      write(() => db.prepare("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')").run());
      // Until then the old pages are in the log beside the database. Readers may keep it there for now; that is no failure.
      db.pragma('wal_checkpoint(TRUNCATE)');
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

const toStatement = ({ ordinal, tags, promoted_from, said_by, ...row }: StatementRow): Statement => ({
  ...row,
  saidBy: said_by,
  order: ordinal,
  tags: JSON.parse(tags) as string[],
  from: promoted_from,
});

const toWritten = (text: string | null | undefined, targets: string | null | undefined): Written | undefined =>
  text === null || text === undefined ? undefined : { text, targets: JSON.parse(targets ?? '[]') as string[] };
