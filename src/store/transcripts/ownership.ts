// An entry in several files belongs to the earliest of them, whatever the order of import.
import type { Connection } from '../sqlite/connection.ts';
import { earliestFile, fileFacts } from './earliest-file.ts';

export interface Moved {
  readonly file: number;
  readonly session: number;
}

interface Copy {
  readonly file_id: number;
  readonly session_id: number;
  readonly pos: number;
  /** Null for a copy that an older version noted. */
  readonly at: number | null;
  readonly author: string;
  readonly joins_at: number | null;
  readonly generation: number;
}

export function ownership(connection: Connection) {
  const facts = fileFacts(connection);
  const chooseEarliest = earliestFile(connection);
  const sharedEntries = connection.statement<[number, number], { id: number; file_id: number; places: string }>(
    `SELECT e.id, e.file_id, group_concat(c.file_id) AS places FROM entries e JOIN entry_copies c ON c.entry_id = e.id
     WHERE e.id IN (SELECT entry_id FROM entry_copies WHERE file_id = ?
                    UNION SELECT o.id FROM entries o JOIN entry_copies k ON k.entry_id = o.id WHERE o.file_id = ?)
     GROUP BY e.id`,
  );
  const owner = connection.statement<[number], Copy>(
    'SELECT file_id, session_id, pos, at, author, joins_at, generation FROM entries WHERE id = ?',
  );
  const copies = connection.statement<[number], Copy>(
    'SELECT file_id, session_id, pos, at, author, joins_at, generation FROM entry_copies WHERE entry_id = ?',
  );
  const give = connection.statement(
    `UPDATE entries SET file_id = ?, session_id = ?, pos = ?, at = coalesce(?, at), author = ?, joins_at = ?, generation = ?, subagent = ?, abandoned = 0, gone = 0,
       conversation_id = (SELECT c.id FROM conversations c WHERE c.id = conversation_id AND c.status IN ('queued', 'processing', 'archived'))
     WHERE id = ?`,
  );
  const keep = connection.statement(
    `INSERT INTO entry_copies (entry_id, file_id, session_id, pos, at, author, joins_at, generation)
     VALUES (@entry, @file_id, @session_id, @pos, @at, @author, @joins_at, @generation)`,
  );
  const dateTouches = connection.statement<[number, number]>(
    'UPDATE file_touches SET at = ? WHERE tool_use_id IN (SELECT id FROM tool_uses WHERE entry_id = ?)',
  );
  const drop = connection.statement('DELETE FROM entry_copies WHERE entry_id = ? AND file_id = ?');

  function move(entry: number, to: Copy): void {
    drop.run(entry, to.file_id);
    give.run(
      to.file_id,
      to.session_id,
      to.pos,
      to.at,
      to.author,
      to.joins_at,
      to.generation,
      facts(to.file_id)?.subagent ?? null,
      entry,
    );
    if (to.at !== null) dateTouches.run(to.at, entry);
  }

  return {
    /**
     * Gives every shared entry of this file to the earliest file that contains it. Returns the files and sessions on
     * both sides of each move.
     */
    settle(file: number): Moved[] {
      const earliestOf = chooseEarliest();
      const moved = new Map<string, Moved>();
      const note = (place: Copy) =>
        moved.set(`${place.file_id} ${place.session_id}`, { file: place.file_id, session: place.session_id });
      for (const entry of sharedEntries.all(file, file)) {
        const earliest = earliestOf([entry.file_id, ...entry.places.split(',').map(Number)]);
        if (earliest === entry.file_id) continue;
        const old = owner.get(entry.id) as Copy;
        const heir = copies.all(entry.id).find((copy) => copy.file_id === earliest) as Copy;
        move(entry.id, heir);
        keep.run({ entry: entry.id, ...old });
        note(old);
        note(heir);
      }
      return [...moved.values()];
    },
    /** The owner's file no longer contains the entry. Gives it to the earliest other file, if there is one. */
    handOver(entry: number): Moved | undefined {
      const heirs = copies.all(entry);
      if (heirs.length === 0) return undefined;
      const earliest = chooseEarliest()(heirs.map((copy) => copy.file_id));
      const heir = heirs.find((copy) => copy.file_id === earliest) as Copy;
      move(entry, heir);
      return { file: heir.file_id, session: heir.session_id };
    },
  };
}
