// Entries, tool uses and results of a chunk → rows.
import { entryIndexText } from '../search/index-text.ts';
import { toolIndex } from '../search/tool-index.ts';
import { touchWriting } from '../search/touches.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { FileRow } from './commit-file.ts';
import type { IndexLater } from './index-later.ts';
import type { Chunk, NewEntry } from './port.ts';
import type { Touched } from './touched.ts';

interface KnownEntry {
  readonly id: number;
  readonly file_id: number;
  readonly session_id: number;
  readonly generation: number;
  readonly text: string;
  readonly tools: string | null;
}

const indexed = (entry: NewEntry): string => entry.indexed ?? entryIndexText(entry.text, entry.tools);

/** Takes the tool uses of an entry. `touches` records the files that they named. */
function useTaking(connection: Connection) {
  // Without RETURNING: with it, SQLite journals every changed page to be able to undo the statement.
  const addToolUse = connection.statement(
    `INSERT INTO tool_uses (use_id, entry_id, tool, input, files, outcome, output) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (use_id, entry_id) DO NOTHING`,
  );
  const knownUse = connection
    .statement<[string, number], number>('SELECT id FROM tool_uses WHERE use_id = ? AND entry_id = ?')
    .pluck();
  const renewToolUse = connection.statement('UPDATE tool_uses SET tool = ?, input = ?, files = ? WHERE id = ?');
  const touches = touchWriting(connection);

  /** Returns false if the entry had some of the uses already. The store then finds the uses that their results belong to. */
  function takeToolUses(entry: NewEntry, id: number, note: typeof touches.add, touched: Touched): boolean {
    let areNew = true;
    for (const use of entry.toolUses) {
      const files = use.files.length > 0 ? JSON.stringify(use.files) : null;
      const { outcome = null, output = null } = use.result ?? {};
      const added = addToolUse.run(use.id, id, use.tool, use.input, files, outcome, output);
      let row = Number(added.lastInsertRowid);
      if (added.changes === 0) {
        areNew = false;
        row = knownUse.get(use.id, id) as number;
        renewToolUse.run(use.tool, use.input, files, row);
        if (use.result !== undefined) touched.results.push(use.result);
      }
      note(row, entry.at, use.files);
    }
    return areNew;
  }

  return {
    addUses(entry: NewEntry, id: number, touched: Touched): void {
      if (entry.toolUses.length === 0) return;
      const areNew = takeToolUses(entry, id, touches.add, touched);
      if (areNew && entry.usesIndexed !== undefined) touched.prepared.set(id, entry.usesIndexed);
      else touched.users.add(id);
    },
    renewUses(entry: NewEntry, id: number, touched: Touched): void {
      if (entry.toolUses.length > 0) touched.users.add(id);
      takeToolUses(entry, id, touches.renew, touched);
    },
  };
}

/** Takes an entry of a file. True if it is new. */
export function entryTaking(connection: Connection, later: IndexLater) {
  const { addUses, renewUses } = useTaking(connection);
  const addEntry = connection.statement(
    `INSERT INTO entries (uuid, session_id, file_id, pos, at, role, author, form, text, tools, subagent, joins_at, conversation_id, generation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uuid) DO NOTHING`,
  );
  const known = connection.statement<[string], KnownEntry>(
    'SELECT id, file_id, session_id, generation, text, tools FROM entries WHERE uuid = ?',
  );
  const renewEntry = connection.statement(
    `UPDATE entries SET session_id = ?, pos = ?, at = ?, role = ?, author = ?, form = ?, text = ?, tools = ?, joins_at = ?, generation = ?, gone = 0
     WHERE id = ?`,
  );
  const addCopy = connection.statement(
    `INSERT INTO entry_copies (entry_id, file_id, session_id, pos, at, author, joins_at, generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET session_id = excluded.session_id, pos = excluded.pos, at = excluded.at, author = excluded.author,
       joins_at = excluded.joins_at, generation = excluded.generation WHERE generation < excluded.generation`,
  );
  const indexEntry = connection.statement('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)');
  const unindexEntry = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const markShared = connection.statement('UPDATE files SET shared = 1 WHERE id IN (?, ?)');

  return function takeEntry(
    entry: NewEntry,
    chunk: Chunk,
    at: FileRow,
    { session, conversation }: { readonly session: number; readonly conversation: number | undefined },
    generation: number,
    touched: Touched,
  ): boolean {
    const tools = entry.tools.length > 0 ? JSON.stringify(entry.tools) : null;
    const joinsAt = entry.joinsAt ?? null;
    const added = addEntry.run(
      entry.uuid,
      session,
      at.id,
      entry.pos,
      entry.at,
      entry.role,
      entry.author,
      entry.form ?? null,
      entry.text,
      tools,
      entry.subagent ?? chunk.subagent ?? null,
      joinsAt,
      conversation ?? null,
      generation,
    );
    if (added.changes === 1) {
      const id = Number(added.lastInsertRowid);
      later.entry(id, indexed(entry));
      touched.fresh.set(id, entry);
      addUses(entry, id, touched);
      return true;
    }
    const before = known.get(entry.uuid) as KnownEntry;
    if (before.file_id !== at.id || before.generation >= generation)
      for (const { result } of entry.toolUses) if (result !== undefined) touched.results.push(result);
    if (before.file_id !== at.id) {
      addCopy.run(before.id, at.id, session, entry.pos, entry.at, entry.author, joinsAt, generation);
      markShared.run(before.file_id, at.id);
    } else if (before.generation < generation) {
      touched.sessions.add(before.session_id);
      renewEntry.run(
        session,
        entry.pos,
        entry.at,
        entry.role,
        entry.author,
        entry.form ?? null,
        entry.text,
        tools,
        joinsAt,
        generation,
        before.id,
      );
      if (before.text !== entry.text || before.tools !== tools) {
        unindexEntry.run(before.id);
        indexEntry.run(before.id, indexed(entry));
      }
      renewUses(entry, before.id, touched);
    }
    return false;
  };
}

type UseRow = { readonly id: number; readonly entry_id: number };

/** Takes the results of tool uses, and renews the index of what the tools said. */
export function resultTaking(connection: Connection, later: IndexLater) {
  // A result belongs to the last use before it in the same file; in a fork, that may be a copy.
  const usedBefore = connection.statement<unknown[], UseRow>(
    `SELECT t.id, t.entry_id FROM tool_uses t JOIN entries e ON e.id = t.entry_id
     WHERE t.use_id = @id AND e.file_id = @file AND e.pos <= @pos ORDER BY e.pos DESC LIMIT 1`,
  );
  const usedBeforeInFork = connection.statement<unknown[], UseRow>(
    `SELECT t.id, t.entry_id FROM tool_uses t JOIN entries e ON e.id = t.entry_id
       LEFT JOIN entry_copies c ON c.entry_id = e.id AND c.file_id = @file
     WHERE t.use_id = @id AND (e.file_id = @file OR c.file_id = @file) AND coalesce(c.pos, e.pos) <= @pos
     ORDER BY coalesce(c.pos, e.pos) DESC LIMIT 1`,
  );
  const setResult = connection.statement('UPDATE tool_uses SET outcome = ?, output = ? WHERE id = ?');
  const tools = toolIndex(connection);

  return (results: Chunk['results'], file: number, shared: boolean, touched: Touched): void => {
    for (const { id, pos, outcome, output } of [...touched.results, ...results]) {
      const use = (shared ? usedBeforeInFork : usedBefore).get({ id, pos, file });
      if (use === undefined) continue;
      setResult.run(outcome, output, use.id);
      touched.users.add(use.entry_id);
    }
    for (const [id, uses] of touched.prepared) if (!touched.users.has(id)) later.uses(id, uses);
    for (const id of touched.users) {
      const isFresh = touched.fresh.has(id);
      // Its index row is not written yet: it changes.
      if (isFresh || later.hasUses(id)) {
        const texts = tools.textsOf(id);
        if (texts !== undefined) later.uses(id, texts);
        if (!isFresh) tools.forgetVectors(id);
      } else tools.renew([id]);
    }
  };
}
