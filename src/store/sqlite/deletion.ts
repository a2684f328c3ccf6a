// Takes a session out of the store with all that hangs on it. What a fork copied from it stays, as the fork's own.
import type { Database } from 'better-sqlite3';
import type { Store } from '../store.ts';
import { branches } from './branches.ts';
import { grouping } from './grouping.ts';
import { ownership } from './ownership.ts';
import { sessionRows } from './session-rows.ts';

export function deletion(db: Database, write: <T>(work: () => T) => T): Pick<Store, 'deleteSession'> {
  const find = db.prepare<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?').pluck();
  const files = db.prepare<[number], number>('SELECT DISTINCT file_id FROM entries WHERE session_id = ?').pluck();
  const dropCopies = db.prepare('DELETE FROM entry_copies WHERE session_id = ?');
  const entries = db.prepare<[number], { id: number; uuid: string }>(
    'SELECT id, uuid FROM entries WHERE session_id = ?',
  );
  const toolUses = db.prepare<[number], number>('SELECT count(*) FROM tool_uses WHERE entry_id = ?').pluck();
  const unindex = db.prepare('DELETE FROM entries_fts WHERE rowid = ?');
  const dropEntry = db.prepare('DELETE FROM entries WHERE id = ?');
  const dropPin = db.prepare('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ?');
  const detach = db.prepare(
    'UPDATE entries SET conversation_id = NULL WHERE conversation_id IN (SELECT id FROM conversations WHERE session_id = ?)',
  );
  const dropConversations = db.prepare('DELETE FROM conversations WHERE session_id = ?');
  const dropTold = ['session_states', 'briefings'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE agent = ? AND session = ?`),
  );
  const dropFromFiles = db.prepare('DELETE FROM file_sessions WHERE session_id = ?');
  const sessionsIn = db.prepare<[number], number>('SELECT DISTINCT session_id FROM entries WHERE file_id = ?').pluck();
  const dropSession = db.prepare('DELETE FROM sessions WHERE id = ?');
  const owners = ownership(db);
  const groups = grouping(db);
  const sessions = sessionRows(db);
  const markAbandoned = branches(db);

  return {
    async deleteSession(agent, session, rules) {
      return write(() => {
        const id = find.get(session, agent);
        if (id === undefined) return undefined;
        const removed = { entries: 0, toolUses: 0, conversations: 0 };
        const touchedFiles = new Set(files.all(id));
        const heirs = new Set<number>();
        dropCopies.run(id);
        detach.run(id);
        removed.conversations = dropConversations.run(id).changes;
        for (const entry of entries.all(id)) {
          const heir = owners.handOver(entry.id);
          if (heir !== undefined) {
            heirs.add(heir.session);
            touchedFiles.add(heir.file);
            continue;
          }
          removed.entries++;
          removed.toolUses += toolUses.get(entry.id) ?? 0;
          unindex.run(entry.id);
          dropEntry.run(entry.id);
          dropPin.run('entry', entry.uuid, agent);
        }
        dropPin.run('session', session, agent);
        for (const drop of dropTold) drop.run(agent, session);
        dropFromFiles.run(id);
        dropSession.run(id);
        sessions.noteChange(id);
        for (const file of touchedFiles) {
          markAbandoned(file);
          groups.rebuild(file, rules);
          for (const other of sessionsIn.all(file)) sessions.noteChange(other);
        }
        for (const heir of heirs) sessions.refresh(heir);
        return removed;
      });
    },
  };
}
