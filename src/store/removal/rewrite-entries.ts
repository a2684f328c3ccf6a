// Rewrites the texts of entries and tool uses, a few at a time, with their indexes.
import { entryIndexText } from '../search/index-text.ts';
import { toolIndex } from '../search/tool-index.ts';
import { touchWriting } from '../search/touches.ts';
import type { Connection } from '../sqlite/connection.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { TextChange } from './port.ts';

/** The rows that were looked at, and how many changed. */
interface Rewritten {
  readonly rows: readonly { readonly id: number }[];
  readonly changed: number;
}

export type Rewriting = (after: number, limit: number, change: TextChange) => Rewritten;

export function entryRewriting(connection: Connection): Rewriting {
  const entries = connection.statement<
    [number, number],
    { id: number; session_id: number; text: string; tools: string | null }
  >('SELECT id, session_id, text, tools FROM entries WHERE id > ? ORDER BY id LIMIT ?');
  const setText = connection.statement('UPDATE entries SET text = ?, tools = ? WHERE id = ?');
  const unindex = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)');
  const copiedTo = connection
    .statement<[number], number>('SELECT DISTINCT session_id FROM entry_copies WHERE entry_id = ?')
    .pluck();
  const sessions = sessionRows(connection);

  return function rewriteEntries(after: number, limit: number, change: TextChange) {
    const rows = entries.all(after, limit);
    const touched = new Set<number>();
    let changed = 0;
    for (const { id, session_id, text, tools } of rows) {
      const clean = change.text(text);
      const cleanTools = tools === null ? null : change.json(tools);
      if (clean === text && cleanTools === tools) continue;
      changed++;
      setText.run(clean, cleanTools, id);
      unindex.run(id);
      index.run(id, entryIndexText(clean, cleanTools === null ? [] : (JSON.parse(cleanTools) as string[])));
      for (const session of [session_id, ...copiedTo.all(id)]) touched.add(session);
    }
    // A session without a title of its own takes it from its first prompt.
    for (const id of touched) sessions.refresh(id);
    return { rows, changed };
  };
}

export function useRewriting(connection: Connection): Rewriting {
  const uses = connection.statement<
    [number, number],
    {
      id: number;
      entry_id: number;
      tool: string;
      input: string;
      output: string | null;
      files: string | null;
      at: number;
    }
  >(
    `SELECT u.id, u.entry_id, u.tool, u.input, u.output, u.files, e.at FROM tool_uses u JOIN entries e ON e.id = u.entry_id
     WHERE u.id > ? ORDER BY u.id LIMIT ?`,
  );
  const setUse = connection.statement('UPDATE tool_uses SET tool = ?, input = ?, output = ?, files = ? WHERE id = ?');
  const touches = touchWriting(connection);
  const tools = toolIndex(connection);

  return function rewriteUses(after: number, limit: number, change: TextChange) {
    const rows = uses.all(after, limit);
    let changed = 0;
    const users = new Set<number>();
    for (const { id, entry_id, tool, input, output, files, at } of rows) {
      const before = [tool, input, output, files] as const;
      const next = [
        change.text(tool),
        change.json(input),
        output === null ? null : change.text(output),
        files === null ? null : change.json(files),
      ] as const;
      if (next.every((text, i) => text === before[i])) continue;
      changed++;
      setUse.run(...next, id);
      users.add(entry_id);
      if (next[3] !== null && next[3] !== files) touches.renew(id, at, JSON.parse(next[3]) as string[]);
    }
    tools.renew(users);
    return { rows, changed };
  };
}
