// Deletes the text of an entry, and titles that repeat it.
import { formatState, parseState } from '../../schema/reader-state.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntryRow } from './forget-lookup.ts';
import { sharedSteps, type Work } from './forget-work.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

export function textForgetting(connection: Connection) {
  const { name } = sharedSteps(connection);
  const tombstones = tombstoneRows(connection);
  const places = connection.statement<[number, number], { file_id: number; session_id: number }>(
    `SELECT file_id, session_id FROM entries WHERE id = ? UNION SELECT file_id, session_id FROM entry_copies WHERE entry_id = ?`,
  );
  const keyOf = connection.statement<[number], string>('SELECT key FROM files WHERE id = ?').pluck();
  const uses = connection.statement<[number], string>('SELECT use_id FROM tool_uses WHERE entry_id = ?').pluck();
  const nextInFile = connection
    .statement<[number, number], number>('SELECT id FROM entries WHERE file_id = ? AND pos > ? ORDER BY pos LIMIT 1')
    .pluck();
  const joinFrom = connection.statement('UPDATE entries SET joins_at = coalesce(joins_at, ?) WHERE id = ?');
  const unindex = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const dropLeafTitles = connection.statement('DELETE FROM leaf_titles WHERE leaf = ?');
  const dropEntry = connection.statement('DELETE FROM entries WHERE id = ?');
  const dropPin = connection.statement('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ?');
  const titles = connection.statement<[number], { file_id: number; title: string }>(
    'SELECT file_id, title FROM file_sessions WHERE session_id = ? AND title IS NOT NULL',
  );
  const dropTitle = connection.statement('UPDATE file_sessions SET title = NULL WHERE session_id = ? AND title = ?');
  const stateOf = connection.statement<[number], string>('SELECT state FROM files WHERE id = ?').pluck();
  const setState = connection.statement('UPDATE files SET state = ? WHERE id = ?');

  /** The reader of a file holds the title that it read last. */
  function dropHeldTitle(file: number, title: string): void {
    const stored = stateOf.get(file);
    const state = stored === undefined ? undefined : parseState(stored);
    if (state === undefined || state.capture.title !== title) return;
    const { title: _, ...capture } = state.capture;
    setState.run(formatState({ ...state, capture }), file);
  }

  /** Marks every transcript that holds the entry, and these tool uses in it. */
  function markUses(work: Work, { id, agent }: EntryRow, used: readonly string[]): void {
    for (const { file_id, session_id } of places.all(id, id)) {
      work.files.add(file_id);
      work.touched.add(session_id);
      name(work, session_id);
      const key = keyOf.get(file_id) as string;
      tombstones.add(tombstone.file(agent, key), work.now);
      for (const use of used) tombstones.add(tombstone.use(agent, key, use), work.now);
    }
  }

  return {
    markUses,
    places: (entry: number) => places.all(entry, entry),
    dropHeldTitle,
    titlesOf: (session: number) => titles.all(session).map(({ title }) => title),

    /** Drops titles that an agent gave if they share a word with the forgotten text. */
    dropTitles(work: Work, session: number, text: string): void {
      const of = name(work, session);
      if (of === undefined) return;
      const words = new Set(wordsIn(text));
      for (const { file_id, title } of titles.all(session)) {
        if (!wordsIn(title).some((word) => words.has(word))) continue;
        tombstones.add(tombstone.title(of.agent, of.session, title), work.now);
        dropTitle.run(session, title);
        dropHeldTitle(file_id, title);
      }
    },

    dropText(work: Work, entry: EntryRow): void {
      const { id, uuid, agent, at } = entry;
      work.firstAt = Math.min(work.firstAt, at);
      tombstones.add(tombstone.entry(agent, uuid), work.now);
      markUses(work, entry, uses.all(id));
      if (entry.joins_at !== null) {
        const next = nextInFile.get(entry.file_id, entry.pos);
        if (next !== undefined) joinFrom.run(entry.joins_at, next);
      }
      dropPin.run('entry', uuid, agent);
      dropLeafTitles.run(uuid);
      unindex.run(id);
      dropEntry.run(id);
    },
  };
}
