// Applies a change of texts to memory: extractions, statements, people's edits, and the index. Pages are written later.

import { markDueSql, rulesFact } from '../memory/statements.ts';
import { indexText } from '../search/index-text.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { TextChange } from './port.ts';

const said = [
  { table: 'statements', columns: ['title', 'key', 'text', 'question', 'answer', 'ends', 'why'] },
  { table: 'memory_edits', columns: ['text', 'before', 'section'] },
  { table: 'memories', columns: ['title', 'text', 'question', 'answer'] },
] as const;

/**
 * Keeps the record of a page's last written text until the file is replaced. Without it, the old text in the file would
 * look like a person's edit.
 */
export function rewriteMemories(connection: Connection, change: TextChange): number {
  const due = new Set<string>();
  let changed = 0;

  const setJson = connection.statement('UPDATE extractions SET json = ? WHERE id = ?');
  const given = connection.statement<[], { id: number; json: string }>('SELECT id, json FROM extractions').all();
  for (const { id, json } of given) {
    const clean = change.json(json);
    if (clean === json) continue;
    changed++;
    setJson.run(clean, id);
  }
  // Names of pages and targets come from texts, so all statements are assigned again.
  if (changed > 0) connection.statement('DELETE FROM facts WHERE name = ?').run(rulesFact);

  const unindex = connection.statement('DELETE FROM memories_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO memories_fts (rowid, title, text) VALUES (?, ?, ?)');
  for (const { table, columns } of said) {
    const set = connection.statement(
      `UPDATE ${table} SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
    );
    const rows = connection.statement(`SELECT id, page, ${columns.join(', ')} FROM ${table}`).all();
    for (const row of rows as ({ id: number; page: string } & Record<string, string>)[]) {
      const next = Object.fromEntries(columns.map((name) => [name, change.text(row[name] as string)]));
      if (columns.every((name) => next[name] === row[name])) continue;
      changed++;
      set.run({ ...next, id: row.id });
      due.add(row.page);
      if (table !== 'memories') continue;
      unindex.run(row.id);
      index.run(row.id, indexText(next.title ?? ''), indexText(next.text ?? ''));
    }
  }
  const markDue = connection.statement(markDueSql);
  for (const page of due) markDue.run(page);
  return changed;
}
