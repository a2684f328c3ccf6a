// Derives rows again that an older version derived, a few at a time, newest first.

import { entryIndexText, indexVersion } from '../search/index-text.ts';
import { toolIndex } from '../search/tool-index.ts';
import { touchWriting } from '../search/touches.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { AdminPort } from './port.ts';

/** Stored in `facts`: the highest ids not yet processed. Rows written during the renewal are up to date anyway. */
interface Progress {
  readonly version: number;
  readonly entries: number;
  readonly uses: number;
}

const fact = 'derived';

/** Entries up to this id have not been checked for a question mark near their end; absent once all are. */
export const unreadFact = 'unread for questions';
/** Must match the triggers of `asking_entries`. */
export const hasQuestion = (text: string): string => `(instr(substr(CAST(${text} AS BLOB), -220), x'3f') > 0)`;

export function renewal(connection: Connection): Pick<AdminPort, 'renewDerived'> {
  const { write } = connection;
  const get = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const put = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const last = (table: string) => connection.statement<[], number>(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck();
  const [lastEntry, lastUse] = [last('entries'), last('tool_uses')];
  const texts = connection.statement<[number, number], { id: number; text: string; tools: string | null }>(
    'SELECT id, text, tools FROM entries WHERE id <= ? ORDER BY id DESC LIMIT ?',
  );
  const unindex = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)');
  const uses = connection.statement<[number, number], { id: number; at: number; files: string | null }>(
    `SELECT t.id, e.at, t.files FROM tool_uses t JOIN entries e ON e.id = t.entry_id
     WHERE t.id <= ? ORDER BY t.id DESC LIMIT ?`,
  );
  const touches = touchWriting(connection);
  const tools = toolIndex(connection);
  const unindexed = connection
    .statement<[number], number>('SELECT entry_id FROM unindexed_uses ORDER BY entry_id DESC LIMIT ?')
    .pluck();
  const drop = connection.statement('DELETE FROM facts WHERE name = ?');
  const nextAsking = connection
    .statement<[number, number], number | null>(
      'SELECT min(id) FROM (SELECT id FROM entries WHERE id <= ? ORDER BY id DESC LIMIT ?)',
    )
    .pluck();
  const noteAsking = connection.statement(
    `INSERT OR IGNORE INTO asking_entries SELECT id FROM entries WHERE id BETWEEN ? AND ? AND ${hasQuestion('text')}`,
  );

  function renewAsking(limit: number): void {
    const to = Number(get.get(unreadFact));
    const from = nextAsking.get(to, limit) ?? 0;
    noteAsking.run(from, to);
    if (from <= 1) drop.run(unreadFact);
    else put.run(unreadFact, String(from - 1));
  }

  function renewTexts(from: number, limit: number): number {
    const rows = texts.all(from, limit);
    for (const { id, text, tools } of rows) {
      const words = entryIndexText(text, tools === null ? [] : (JSON.parse(tools) as string[]));
      // Every version indexes plain words unchanged. Older ones indexed the names of tools in a sentence.
      if (words === text && tools === null) continue;
      unindex.run(id);
      index.run(id, words);
    }
    return rows.length < limit ? 0 : (rows.at(-1)?.id ?? 1) - 1;
  }

  function renewUses(from: number, limit: number): number {
    const rows = uses.all(from, limit);
    for (const { id, at, files } of rows) if (files !== null) touches.renew(id, at, JSON.parse(files) as string[]);
    return rows.length < limit ? 0 : (rows.at(-1)?.id ?? 1) - 1;
  }

  function stored(): Progress {
    const value = get.get(fact);
    const progress = value === undefined ? undefined : (JSON.parse(value) as Progress);
    return progress?.version === indexVersion
      ? progress
      : { version: indexVersion, entries: lastEntry.get() ?? 0, uses: lastUse.get() ?? 0 };
  }
  const isDone = ({ entries, uses: left }: Progress): boolean => entries === 0 && left === 0;

  return {
    async renewDerived(limit) {
      if (isDone(stored()) && get.get(unreadFact) === undefined && unindexed.get(1) === undefined)
        return { done: true };
      return write(() => {
        if (get.get(unreadFact) !== undefined) {
          renewAsking(limit);
          return { done: false };
        }
        // Read again inside the transaction: another process may be working on it.
        const before = stored();
        if (isDone(before)) {
          tools.renew(unindexed.all(limit));
          return { done: unindexed.get(1) === undefined };
        }
        const next =
          before.uses > 0
            ? { ...before, uses: renewUses(before.uses, limit) }
            : { ...before, entries: before.entries === 0 ? 0 : renewTexts(before.entries, limit) };
        put.run(fact, JSON.stringify(next));
        return { done: isDone(next) && unindexed.get(1) === undefined };
      });
    },
  };
}
