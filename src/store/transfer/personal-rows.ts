// Imports what people gave: labels of sessions, statements and edits of pages.
import { markDueSql } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Is, Takes } from './takes.ts';

export function personalRows(connection: Connection): Takes<'label' | 'statement' | 'edit'> {
  const dueNow = connection.statement(markDueSql);
  const addStatement = connection.statement(
    `INSERT INTO statements (page, target, kind, at, ordinal, title, key, text, why, project, session, source, said_by, tags, promoted_from)
     SELECT @page, @target, @kind, @at, @order, @title, @key, @text, @why, @project, @session, @source, @saidBy, @tags, @from
     WHERE NOT EXISTS (SELECT 1 FROM statements WHERE page = @page AND target = @target AND at = @at AND text = @text AND extraction_id IS NULL)`,
  );
  const addLabel = connection.statement(
    `INSERT INTO session_labels (agent, session, name, starred, tags, at) VALUES (@agent, @session, @name, @starred, @tags, @at)
     ON CONFLICT DO NOTHING`,
  );
  const addEdit = connection.statement(
    `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at)
     SELECT @page, @target, @kind, @text, @tight, @front, @anchor, @section, @before, @at
     WHERE NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND target = @target AND kind = @kind AND text = @text AND at = @at)`,
  );

  return {
    label: (row) => {
      const { tags, starred, ...label } = row as Is<'label'>;
      return addLabel.run({ ...label, starred: Number(starred), tags: JSON.stringify(tags) }).changes;
    },
    statement: (row) => {
      const statement = row as Is<'statement'>;
      const { changes } = addStatement.run({ ...statement, tags: JSON.stringify(statement.tags) });
      if (changes > 0) dueNow.run(statement.page);
      return changes;
    },
    edit: (row) => {
      const edit = row as Is<'edit'>;
      const { changes } = addEdit.run({ ...edit, tight: Number(edit.tight), front: Number(edit.front) });
      if (changes > 0) dueNow.run(edit.page);
      return changes;
    },
  };
}
