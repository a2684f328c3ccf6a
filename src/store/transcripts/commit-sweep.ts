// Entries that leave a file: withdrawn, or not found again in a read from the start.
import type { Connection } from '../sqlite/connection.ts';
import { ownership } from './ownership.ts';
import type { Touched } from './touched.ts';

/** Longer than any file: subtracting it from a position puts an entry before all others. */
const beforeAll = 2 ** 40;

export function sweeping(connection: Connection) {
  const owners = ownership(connection);
  const vanished = connection.statement<[number, number], { id: number; session_id: number; gone: number }>(
    'SELECT id, session_id, gone FROM entries WHERE file_id = ? AND generation < ?',
  );
  const markGone = connection.statement(
    `UPDATE entries SET gone = 1, pos = pos - ${beforeAll}, joins_at = NULL,
       conversation_id = (SELECT c.id FROM conversations c WHERE c.id = conversation_id AND c.status IN ('queued', 'processing', 'archived'))
     WHERE id = ?`,
  );
  const keepEntries = connection.statement(
    'UPDATE entries SET generation = @generation WHERE file_id = @id AND generation < @generation AND gone = 0',
  );
  const keepCopies = connection.statement(
    'UPDATE entry_copies SET generation = @generation WHERE file_id = @id AND generation < @generation',
  );
  const vanishedCopies = connection.statement<[number, number], { entry_id: number; session_id: number }>(
    'SELECT entry_id, session_id FROM entry_copies WHERE file_id = ? AND generation < ?',
  );
  const deleteCopy = connection.statement('DELETE FROM entry_copies WHERE entry_id = ? AND file_id = ?');
  const deleteEntry = connection.statement('DELETE FROM entries WHERE id = ?');
  const unindexEntry = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const known = connection.statement<[string], { id: number; file_id: number; session_id: number }>(
    'SELECT id, file_id, session_id FROM entries WHERE uuid = ?',
  );

  /** The file no longer counts this entry of its own. Deletes it, unless another file contains it too. */
  function withdraw(uuid: string, file: number, touched: Touched): void {
    const entry = known.get(uuid);
    if (entry === undefined) return;
    if (entry.file_id === file) leaveFile(entry, touched);
    else deleteCopy.run(entry.id, file);
    touched.files.add(file);
  }

  function leaveFile(entry: { readonly id: number; readonly session_id: number }, touched: Touched): void {
    touched.sessions.add(entry.session_id);
    const heir = owners.handOver(entry.id);
    if (heir !== undefined) {
      touched.files.add(heir.file);
      touched.sessions.add(heir.session);
    } else {
      unindexEntry.run(entry.id);
      deleteEntry.run(entry.id);
    }
  }

  /**
   * Ends a read from the start. An entry that the file no longer contains goes to another file that has it. If there is
   * none, it stays, marked as gone, or is deleted if the person asked for that.
   */
  function sweep(id: number, generation: number, prune: boolean, touched: Touched): void {
    // Free bytes of the file must not keep what is deleted now.
    if (prune) connection.db.pragma('secure_delete = ON');
    for (const copy of vanishedCopies.all(id, generation)) {
      touched.sessions.add(copy.session_id);
      deleteCopy.run(copy.entry_id, id);
    }
    for (const entry of vanished.all(id, generation)) {
      if (prune) leaveFile(entry, touched);
      else if (entry.gone === 0) {
        const heir = owners.handOver(entry.id);
        touched.sessions.add(entry.session_id);
        if (heir === undefined) markGone.run(entry.id);
        else {
          touched.files.add(heir.file);
          touched.sessions.add(heir.session);
        }
      }
    }
  }

  return {
    withdraw,
    sweep,
    /** The file is the same, and only the reader is newer: what it did not find again stays. */
    keepAll(id: number, generation: number): void {
      keepEntries.run({ id, generation });
      keepCopies.run({ id, generation });
    },
  };
}
