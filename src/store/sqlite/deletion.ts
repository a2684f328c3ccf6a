// Takes sessions out of the store with all that hangs on them. What a fork copied from one stays, as the fork's own.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { SessionKey } from '../groups.ts';
import type { Store } from '../store.ts';
import { branches } from './branches.ts';
import { grouping } from './grouping.ts';
import { ownership } from './ownership.ts';
import { sessionRows } from './session-rows.ts';

type Run = <T>(work: () => T) => T;

export function deletion(
  db: Database,
  read: Run,
  write: Run,
): Pick<Store, 'deleteSessions' | 'sessionFiles' | 'countConversations'> {
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
  const dropTold = ['session_states', 'briefings', 'archives', 'bookmarks'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE agent = ? AND session = ?`),
  );
  const dropFromFiles = db.prepare('DELETE FROM file_sessions WHERE session_id = ?');
  const sessionsIn = db.prepare<[number], number>('SELECT DISTINCT session_id FROM entries WHERE file_id = ?').pluck();
  const dropSession = db.prepare('DELETE FROM sessions WHERE id = ?');
  const owners = ownership(db);
  const groups = grouping(db);
  const sessions = sessionRows(db);
  const markAbandoned = branches(db);

  // Files in which nobody else's session stands.
  const alone = db.prepare<{ ids: string }, { id: number; agent: AgentName; key: string; bytes: number }>(
    `SELECT f.id, f.agent, f.key, v.bytes FROM (SELECT DISTINCT file_id FROM file_sessions
       WHERE session_id IN (SELECT value FROM json_each(@ids))) x
     JOIN vault_copies v ON v.file_id = x.file_id AND v.bytes > 0 JOIN files f ON f.id = x.file_id
     WHERE NOT EXISTS (SELECT 1 FROM file_sessions o WHERE o.file_id = x.file_id AND o.session_id NOT IN (SELECT value FROM json_each(@ids)))`,
  );
  const archivesOf = db.prepare<[string], { folder: string; file: string; filePrint: string }>(
    `SELECT a.folder, a.file, a.file_print AS filePrint FROM archives a
     JOIN sessions s ON s.session = a.session AND s.agent = a.agent WHERE s.id IN (SELECT value FROM json_each(?))`,
  );
  const conversationsOf = db
    .prepare<[string], number>(
      'SELECT count(*) FROM conversations WHERE session_id IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const dropVault = db.prepare("UPDATE vault_copies SET bytes = 0, state = '{}' WHERE file_id = ?");
  const idsOf = (keys: readonly SessionKey[]): number[] =>
    keys.flatMap(({ agent, session }) => find.get(session, agent) ?? []);

  interface Work {
    readonly files: Set<number>;
    readonly heirs: Set<number>;
  }

  function remove({ agent, session }: SessionKey, id: number, work: Work, removed: Removed): void {
    for (const file of files.all(id)) work.files.add(file);
    dropCopies.run(id);
    detach.run(id);
    removed.conversations += dropConversations.run(id).changes;
    for (const entry of entries.all(id)) {
      const heir = owners.handOver(entry.id);
      if (heir !== undefined) {
        work.heirs.add(heir.session);
        work.files.add(heir.file);
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
    removed.sessions++;
  }

  return {
    async sessionFiles(keys) {
      return read(() => {
        const ids = JSON.stringify(idsOf(keys));
        return { copies: alone.all({ ids }), archives: archivesOf.all(ids) };
      });
    },
    async countConversations(keys) {
      return read(() => conversationsOf.get(JSON.stringify(idsOf(keys))) ?? 0);
    },
    async deleteSessions(keys, rules) {
      return write(() => {
        const removed: Removed = { sessions: 0, entries: 0, toolUses: 0, conversations: 0 };
        const work: Work = { files: new Set(), heirs: new Set() };
        for (const copy of alone.all({ ids: JSON.stringify(idsOf(keys)) })) dropVault.run(copy.id);
        for (const key of keys) {
          const id = find.get(key.session, key.agent);
          if (id !== undefined) remove(key, id, work, removed);
        }
        for (const file of work.files) {
          markAbandoned(file);
          groups.rebuild(file, rules);
          for (const other of sessionsIn.all(file)) sessions.noteChange(other);
        }
        for (const heir of work.heirs) sessions.refresh(heir);
        return removed;
      });
    },
  };
}

interface Removed {
  sessions: number;
  entries: number;
  toolUses: number;
  conversations: number;
}
