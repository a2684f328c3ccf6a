// Entries of a file → conversations: a silence longer than the gap splits, and so does sheer length.
import type { Database } from 'better-sqlite3';
import type { ConversationRules } from '../files.ts';

interface Member {
  readonly pos: number;
  readonly at: number;
  readonly session_id: number;
  readonly chars: number;
  /** The frozen conversation that already holds the entry. */
  readonly frozen: number | null;
}

interface Group {
  first: Member;
  last: Member;
  entries: number;
  chars: number;
}

const frozen = "status IN ('queued', 'processing', 'archived')";

export function grouping(db: Database) {
  const isSubagent = db.prepare<[number], number>('SELECT subagent IS NOT NULL FROM files WHERE id = ?').pluck();
  const last = db.prepare<[number], { pos: number; first_pos: number; held: number }>(
    `SELECT e.pos, c.first_pos, c.${frozen} AS held FROM entries e JOIN conversations c ON c.id = e.conversation_id
     WHERE e.file_id = ? ORDER BY e.pos DESC LIMIT 1`,
  );
  const members = db.prepare<[number, number], Member>(
    `SELECT e.pos, e.at, e.session_id, length(e.text) AS chars, c.id AS frozen
     FROM entries e LEFT JOIN conversations c ON c.id = e.conversation_id AND c.${frozen}
     WHERE e.file_id = ? AND e.pos >= ? ORDER BY e.pos`,
  );
  const loose = db
    .prepare<[number, number], number>(
      `SELECT id FROM conversations WHERE file_id = ? AND first_pos >= ? AND NOT ${frozen} ORDER BY first_pos`,
    )
    .pluck();
  const add = db.prepare(
    `INSERT INTO conversations (file_id, session_id, status, first_at, last_at, first_pos, last_pos, entries)
     VALUES (?, ?, 'active', ?, ?, ?, ?, ?)`,
  );
  const renew = db.prepare(
    `UPDATE conversations SET session_id = ?, status = 'active', reason = NULL, first_at = ?, last_at = ?, first_pos = ?,
       last_pos = ?, entries = ? WHERE id = ?`,
  );
  const remove = db.prepare('DELETE FROM conversations WHERE id = ?');
  const detach = db.prepare('UPDATE entries SET conversation_id = NULL WHERE file_id = ? AND conversation_id = ?');
  const attach = db.prepare(
    'UPDATE entries SET conversation_id = ? WHERE file_id = ? AND pos BETWEEN ? AND ? AND conversation_id IS NOT ?',
  );

  function regroup(file: number, from: number, rules: ConversationRules): void {
    if (isSubagent.get(file) === 1) return;
    const reusable = loose.all(file, from);
    const groups = split(members.all(file, from), rules);
    groups.forEach((group, i) => {
      const { first, last: end, entries } = group;
      let id = reusable[i];
      if (id === undefined) {
        id = Number(add.run(file, first.session_id, first.at, end.at, first.pos, end.pos, entries).lastInsertRowid);
      } else {
        renew.run(first.session_id, first.at, end.at, first.pos, end.pos, entries, id);
      }
      attach.run(id, file, first.pos, end.pos, id);
    });
    for (const id of reusable.slice(groups.length)) {
      detach.run(file, id);
      remove.run(id);
    }
  }

  return {
    /** Takes in entries that were appended: only the last conversation can change. */
    extend(file: number, rules: ConversationRules): void {
      const tail = last.get(file);
      regroup(file, tail === undefined ? 0 : tail.held === 1 ? tail.pos + 1 : tail.first_pos, rules);
    },
    /** Groups the whole file anew; rows that somebody works with, or has, stay as they are. */
    rebuild(file: number, rules: ConversationRules): void {
      regroup(file, 0, rules);
    },
  };
}

/** Left to right, so that a file read in pieces gives the same groups as one read whole. */
function split(entries: readonly Member[], rules: ConversationRules): Group[] {
  const groups: Group[] = [];
  let open: Group | undefined;
  for (const entry of entries) {
    if (entry.frozen !== null) {
      open = undefined;
      continue;
    }
    const full = open !== undefined && (open.entries >= rules.maxEntries || open.chars + entry.chars > rules.maxChars);
    if (open === undefined || full || entry.at - open.last.at > rules.gapMs) {
      open = { first: entry, last: entry, entries: 1, chars: entry.chars };
      groups.push(open);
    } else {
      open.last = entry;
      open.entries++;
      open.chars += entry.chars;
    }
  }
  return groups;
}
