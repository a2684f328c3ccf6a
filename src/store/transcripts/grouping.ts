// Entries of a file → conversations: a silence longer than the gap splits them, and so does a length limit.

import type { ConversationRules } from '../conversations/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { NewEntry } from './port.ts';

interface Member {
  readonly pos: number;
  readonly at: number;
  readonly session_id: number;
  readonly chars: number;
  /** The frozen conversation that already contains the entry, and its end if it is one of this file. */
  readonly frozen: number | null;
  readonly ends: number | null;
}

interface Group {
  first: Member;
  last: Member;
  entries: number;
  chars: number;
}

/**
 * The names of tools count too. Earlier versions stored them in the text, as a line of this length; without it, some
 * conversations that are already distilled would have room for more and begin again.
 */
const chars = `(length(e.text) + CASE WHEN e.tools IS NULL THEN 0
  ELSE length(e.tools) - json_array_length(e.tools) + 11 + (e.text <> '') END)`;

/** About the same, before the entry is stored. */
const charsOf = ({ text, tools }: NewEntry): number =>
  text.length + (tools.length === 0 ? 0 : JSON.stringify(tools).length - tools.length + 11 + (text === '' ? 0 : 1));

const frozen = "status IN ('queued', 'processing', 'archived')";

/** Groups the entries of a file from a position on. */
function regrouping(connection: Connection) {
  const members = connection.statement<[number, number], Member>(
    `SELECT e.pos, e.at, e.session_id, ${chars} AS chars, c.id AS frozen, CASE WHEN c.file_id = e.file_id THEN c.last_pos END AS ends
     FROM entries e LEFT JOIN conversations c ON c.id = e.conversation_id AND c.${frozen}
     WHERE e.file_id = ? AND e.pos >= ? ORDER BY e.pos`,
  );
  const loose = connection
    .statement<[number, number], number>(
      `SELECT id FROM conversations WHERE file_id = ? AND first_pos >= ? AND NOT ${frozen} ORDER BY first_pos`,
    )
    .pluck();
  const add = connection.statement(
    `INSERT INTO conversations (file_id, session_id, status, first_at, last_at, first_pos, last_pos, entries)
     VALUES (?, ?, 'active', ?, ?, ?, ?, ?)`,
  );
  const renew = connection.statement(
    `UPDATE conversations SET session_id = ?, status = 'active', reason = NULL, first_at = ?, last_at = ?, first_pos = ?,
       last_pos = ?, entries = ? WHERE id = ?`,
  );
  const thaw = connection.statement(
    "UPDATE conversations SET status = 'active', attempts = 0, lease_until = NULL WHERE id = ?",
  );
  const hasGone = connection.statement<{ file: number }, number>(
    `SELECT 1 FROM entries INDEXED BY entries_gone WHERE file_id = @file AND gone = 1
     UNION ALL SELECT 1 FROM conversations WHERE file_id = @file AND first_pos < 0 LIMIT 1`,
  );
  const goneMembers = connection.statement<[number], Member>(
    `SELECT pos, at, session_id, ${chars} AS chars, NULL AS frozen, NULL AS ends FROM entries e INDEXED BY entries_gone
     WHERE file_id = ? AND gone = 1 AND conversation_id IS NULL ORDER BY pos`,
  );
  const removeEmpty = connection.statement(
    `DELETE FROM conversations WHERE file_id = ? AND first_pos < 0 AND NOT ${frozen}
       AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.conversation_id = conversations.id)`,
  );
  const remove = connection.statement('DELETE FROM conversations WHERE id = ?');
  const detach = connection.statement(
    'UPDATE entries SET conversation_id = NULL WHERE file_id = ? AND conversation_id = ?',
  );
  const attach = connection.statement(
    'UPDATE entries SET conversation_id = ? WHERE file_id = ? AND pos BETWEEN ? AND ? AND conversation_id IS NOT ?',
  );

  /**
   * Entries that a file no longer contains get conversations of their own,
   * before all others. Later content does not change these.
   */
  function regroupGone(file: number, rules: ConversationRules): void {
    for (const { first, last: end, entries } of split(goneMembers.all(file), rules).groups) {
      const added = add.run(file, first.session_id, first.at, end.at, first.pos, end.pos, entries);
      const id = Number(added.lastInsertRowid);
      attach.run(id, file, first.pos, end.pos, id);
    }
    removeEmpty.run(file);
  }

  function regroup(file: number, from: number, rules: ConversationRules): void {
    let { groups, grown } = split(members.all(file, from), rules);
    while (grown.length > 0) {
      for (const id of grown) thaw.run(id);
      ({ groups, grown } = split(members.all(file, from), rules));
    }
    const reusable = loose.all(file, from);
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
    if (hasGone.get({ file }) !== undefined) regroupGone(file, rules);
  }

  /** Adds the conversations of entries that the file does not contain yet. */
  function begin(file: number, members: readonly Member[], rules: ConversationRules): Map<number, number> {
    const conversations = new Map<number, number>();
    let next = 0;
    for (const { first, last: end, entries } of split(members, rules).groups) {
      const added = add.run(file, first.session_id, first.at, end.at, first.pos, end.pos, entries);
      for (const { pos } of members.slice(next, next + entries)) conversations.set(pos, Number(added.lastInsertRowid));
      next += entries;
    }
    return conversations;
  }

  return { regroup, begin, thaw: (id: number): void => void thaw.run(id) };
}

export function grouping(connection: Connection) {
  const { regroup, begin, thaw } = regrouping(connection);
  const isSubagent = connection
    .statement<[number], number>('SELECT subagent IS NOT NULL FROM files WHERE id = ?')
    .pluck();
  const last = connection.statement<[number], { pos: number; first_pos: number; own: number }>(
    `SELECT e.pos, c.first_pos, c.file_id = e.file_id AS own FROM entries e JOIN conversations c ON c.id = e.conversation_id
     WHERE e.file_id = ? ORDER BY e.pos DESC LIMIT 1`,
  );
  // An entry that a newer reader finds inside an archived conversation joins it without reopening it.
  const inArchived = connection.statement(
    `UPDATE entries SET conversation_id = (SELECT c.id FROM conversations c WHERE c.file_id = @file AND c.status = 'archived'
       AND entries.pos BETWEEN c.first_pos AND c.last_pos)
     WHERE file_id = @file AND conversation_id IS NULL AND pos >= 0 AND EXISTS (SELECT 1 FROM conversations c
       WHERE c.file_id = @file AND c.status = 'archived' AND entries.pos BETWEEN c.first_pos AND c.last_pos)`,
  );
  const recount = connection.statement(
    `UPDATE conversations SET entries = (SELECT count(*) FROM entries e WHERE e.conversation_id = conversations.id)
     WHERE file_id = ? AND status = 'archived'`,
  );
  const holder = connection
    .statement<[string, number], number>(
      `SELECT c.id FROM entries e JOIN conversations c ON c.id = e.conversation_id AND c.file_id = e.file_id AND c.${frozen}
       WHERE e.uuid = ? AND e.file_id = ?`,
    )
    .pluck();

  return {
    /**
     * Call it before an entry is withdrawn or moved within its file: that changes the conversation that contains it.
     */
    loosen(uuid: string, file: number): void {
      const id = holder.get(uuid, file);
      if (id !== undefined) thaw(id);
    },
    /**
     * Conversations for the first entries of a new file, by their positions. With their conversation from the start,
     * entries need not be written twice. Unless they are certain, `extend` corrects what turns out to be different.
     */
    foresee(
      file: number,
      entries: readonly NewEntry[],
      sessionOf: (entry: NewEntry) => number,
      rules: ConversationRules,
    ): { readonly conversations: ReadonlyMap<number, number>; readonly isCertain: boolean } {
      const members = entries.map((entry): Member => {
        const { pos, at } = entry;
        return { pos, at, session_id: sessionOf(entry), chars: charsOf(entry), frozen: null, ends: null };
      });
      const isInOrder = members.every(({ pos }, i) => i === 0 || pos > (members[i - 1] as Member).pos);
      // The store may count fewer characters, never more: without a split for length there would be none either.
      const fits = members.reduce((sum, one) => sum + one.chars, 0) <= rules.maxChars;
      return { conversations: isInOrder ? begin(file, members, rules) : new Map(), isCertain: isInOrder && fits };
    },
    /** Where the conversations begin that appended entries can change. Call it before the entries are added. */
    openFrom(file: number): number {
      const tail = last.get(file);
      return Math.max(0, tail === undefined ? 0 : tail.own === 1 ? tail.first_pos : tail.pos + 1);
    },
    /** Adds appended entries: only the last conversation can change. */
    extend(file: number, from: number, rules: ConversationRules): void {
      if (isSubagent.get(file) !== 1) regroup(file, from, rules);
    },
    /** Groups the whole file again. Conversations that are queued, being processed or archived stay unchanged. */
    rebuild(file: number, rules: ConversationRules): void {
      if (isSubagent.get(file) === 1) return;
      if (inArchived.run({ file }).changes > 0) recount.run(file);
      regroup(file, 0, rules);
    },
  };
}

/**
 * Left to right, so that a file read in pieces gives the same groups as one read whole. `grown`: frozen conversations
 * of this file that continue after their end without a silence, so the later entries belong to them.
 */
function split(entries: readonly Member[], rules: ConversationRules): { groups: Group[]; grown: number[] } {
  const groups: Group[] = [];
  const grown: number[] = [];
  let open: Group | undefined;
  let wall: Group | undefined;
  const goesOn = (group: Group, { at, chars }: Member): boolean =>
    group.entries < rules.maxEntries && group.chars + chars <= rules.maxChars && at - group.last.at <= rules.gapMs;
  for (const entry of entries) {
    if (entry.frozen !== null) {
      open = undefined;
      wall = wall?.first.frozen === entry.frozen ? added(wall, entry) : begun(entry);
    } else if (wall !== undefined) {
      const { frozen: id, ends } = wall.first;
      if (id !== null && ends !== null && entry.pos > ends && goesOn(wall, entry)) grown.push(id);
      wall = undefined;
      open = begun(entry);
      groups.push(open);
    } else if (open !== undefined && goesOn(open, entry)) added(open, entry);
    else {
      open = begun(entry);
      groups.push(open);
    }
  }
  return { groups, grown };
}

const begun = (entry: Member): Group => ({ first: entry, last: entry, entries: 1, chars: entry.chars });

function added(group: Group, entry: Member): Group {
  group.last = entry;
  group.entries++;
  group.chars += entry.chars;
  return group;
}
