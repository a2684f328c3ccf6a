// People's edits of pages, and targets merged into others.

import { statementWriting } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { Edit, PagesPort } from './port.ts';

/** Adds one edit, in the caller's transaction. */
export function editWriting(connection: Connection) {
  const put = connection.statement(
    `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at)
     VALUES (@page, @target, @kind, @text, @tight, @front, @anchor, @section, @before, @at)`,
  );
  return (page: string, edit: Edit): void => {
    put.run({ ...edit, page, tight: Number(edit.tight), front: Number(edit.front) });
  };
}

export function pageEdits(connection: Connection): Pick<PagesPort, 'addEdit' | 'mergeTargets' | 'unmergeTargets'> {
  // Pages are rewritten often, so overwrite what they free.
  const write = overwriting(connection);
  const { due } = statementWriting(connection);
  const putEdit = editWriting(connection);
  const putMerge = connection.statement(
    `INSERT INTO memory_merges (page, target, into_target, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET into_target = excluded.into_target, at = max(excluded.at, memory_merges.at + 1)`,
  );
  // An undone merge becomes a merge into itself, so that an older merge from another machine does not return.
  const partMerges = connection.statement(
    `UPDATE memory_merges SET into_target = target, at = max(@at, at + 1) WHERE page = @page AND into_target = @into AND target <> @into`,
  );

  return {
    async addEdit(page, edit) {
      write(() => {
        putEdit(page, edit);
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
  };
}
