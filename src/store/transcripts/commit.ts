// Chunk → rows: entries, copies, tool uses, sessions, conversations and the new offset, all in the caller's transaction.

import { formatState } from '../../schema/reader-state.ts';
import type { ConversationRules } from '../conversations/port.ts';
import { groupSessions } from '../groups/membership.ts';
import { entryIndexText } from '../search/index-text.ts';
import { toolIndex } from '../search/tool-index.ts';
import { touchWriting } from '../search/touches.ts';
import type { Connection } from '../sqlite/connection.ts';
import { branches } from './branches.ts';
import { withoutForgotten } from './forgotten-chunk.ts';
import { grouping } from './grouping.ts';
import { ownership } from './ownership.ts';
import type { Chunk, ChunkOutcome, NewEntry } from './port.ts';
import { sessionRows } from './session-rows.ts';

interface FileRow {
  readonly id: number;
  readonly offset: number;
  readonly generation: number;
  readonly sweeping: number;
  readonly shared: number;
}

interface KnownEntry {
  readonly id: number;
  readonly file_id: number;
  readonly session_id: number;
  readonly generation: number;
  readonly text: string;
  readonly tools: string | null;
}

const indexed = (entry: NewEntry): string => entry.indexed ?? entryIndexText(entry.text, entry.tools);

/** Longer than any file: subtracting it from a position puts an entry before all others. */
const beforeAll = 2 ** 40;

/**
 * The values of `files.sweeping` while a file is read from its start: what happens to entries that are not found again.
 */
const sweeps = {
  /** They are marked as gone or deleted: the file was truncated or rewritten. */
  all: 1,
  /** They stay unchanged: the file is the same, only the reader is newer. */
  renewal: 2,
} as const;

export function committer(connection: Connection) {
  const file = connection.statement<[string, string], FileRow>(
    'SELECT id, offset, generation, sweeping, shared FROM files WHERE agent = ? AND key = ?',
  );
  const addFile = connection.statement(
    `INSERT INTO files (agent, key, subagent, offset, lines, head, tail, state, born_at, malformed, status, error, reader)
     VALUES (@agent, @key, @subagent, @to, @lines, @head, @tail, @state, @bornAt, @malformed, @status, @error, coalesce(@reader, 0))`,
  );
  const advanceFile = connection.statement(
    `UPDATE files SET offset = @to, lines = @lines, head = @head, tail = @tail, state = @state, born_at = @bornAt,
       malformed = @malformed, status = @status, error = @error, generation = @generation, sweeping = @sweeping,
       reader = CASE WHEN @last = 1 THEN coalesce(@reader, reader) ELSE reader END WHERE id = @id`,
  );
  const noteCopy = connection.statement(
    'INSERT INTO file_copies (file_id, root, size) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET size = excluded.size',
  );
  const addEntry = connection.statement(
    `INSERT INTO entries (uuid, session_id, file_id, pos, at, role, author, form, text, tools, subagent, joins_at, generation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uuid) DO NOTHING`,
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
  // Without RETURNING: with it, SQLite journals every changed page to be able to undo the statement.
  const addToolUse = connection.statement(
    'INSERT INTO tool_uses (use_id, entry_id, tool, input, files) VALUES (?, ?, ?, ?, ?) ON CONFLICT (use_id, entry_id) DO NOTHING',
  );
  const knownUse = connection
    .statement<[string, number], number>('SELECT id FROM tool_uses WHERE use_id = ? AND entry_id = ?')
    .pluck();
  const renewToolUse = connection.statement('UPDATE tool_uses SET tool = ?, input = ?, files = ? WHERE id = ?');
  type UseRow = { readonly id: number; readonly entry_id: number };
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
  const markShared = connection.statement('UPDATE files SET shared = 1 WHERE id IN (?, ?)');
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
  // The vault's copy is of the same transcript, so it follows the generation. A transcript that was read from its copy
  // ends where the copy does.
  const followInVault = connection.statement(
    'UPDATE vault_copies SET generation = @generation, offset = coalesce(@size, offset) WHERE file_id = @id AND generation = @before',
  );
  const vanishedCopies = connection.statement<[number, number], { entry_id: number; session_id: number }>(
    'SELECT entry_id, session_id FROM entry_copies WHERE file_id = ? AND generation < ?',
  );
  const placeEntry = connection.statement('UPDATE entries SET pos = @pos WHERE uuid = @uuid AND file_id = @file');
  const placeCopy = connection.statement(
    'UPDATE entry_copies SET pos = @pos WHERE file_id = @file AND entry_id = (SELECT id FROM entries WHERE uuid = @uuid)',
  );
  const deleteCopy = connection.statement('DELETE FROM entry_copies WHERE entry_id = ? AND file_id = ?');
  const deleteEntry = connection.statement('DELETE FROM entries WHERE id = ?');

  const touches = touchWriting(connection);
  const tools = toolIndex(connection);
  const owners = ownership(connection);
  const groups = grouping(connection);
  const sessions = sessionRows(connection);
  const markAbandoned = branches(connection);
  const remembered = withoutForgotten(connection);
  const { ownOnly } = groupSessions(connection);

  /** What a chunk has touched; updated before the transaction ends. */
  interface Touched {
    readonly sessions: Set<number>;
    /** Files whose conversations must be rebuilt from the start. */
    readonly files: Set<number>;
    /** Entries with new tool uses or results. */
    readonly users: Set<number>;
    /** Those of them that this chunk added. */
    readonly fresh: Set<number>;
  }

  function takeEntry(entry: NewEntry, chunk: Chunk, at: FileRow, generation: number, touched: Touched): boolean {
    const session = sessions.idOf(chunk.agent, entry.session);
    touched.sessions.add(session);
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
      generation,
    );
    if (added.changes === 1) {
      indexEntry.run(added.lastInsertRowid, indexed(entry));
      const id = Number(added.lastInsertRowid);
      touched.fresh.add(id);
      takeToolUses(entry, id, touches.add, touched);
      return true;
    }
    const before = known.get(entry.uuid) as KnownEntry;
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
      takeToolUses(entry, before.id, touches.renew, touched);
    }
    return false;
  }

  function takeToolUses(entry: NewEntry, id: number, note: typeof touches.add, touched: Touched): void {
    if (entry.toolUses.length > 0) touched.users.add(id);
    for (const use of entry.toolUses) {
      const files = use.files.length > 0 ? JSON.stringify(use.files) : null;
      const added = addToolUse.run(use.id, id, use.tool, use.input, files);
      let row = Number(added.lastInsertRowid);
      if (added.changes === 0) {
        row = knownUse.get(use.id, id) as number;
        renewToolUse.run(use.tool, use.input, files, row);
      }
      note(row, entry.at, use.files);
    }
  }

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

  return function apply(read: Chunk, rules: ConversationRules): ChunkOutcome {
    const before = file.get(read.agent, read.key);
    const expected = read.restart ? read.renews?.at : read.from;
    if (expected !== undefined && (before?.offset ?? 0) !== expected) return { stale: true, added: 0 };
    const chunk = ownOnly(remembered(read));
    const generation = (before?.generation ?? 0) + (before !== undefined && chunk.restart ? 1 : 0);
    const renewing = chunk.renews?.from === 'transcript' && before?.sweeping !== sweeps.all;
    const began = renewing ? sweeps.renewal : sweeps.all;
    const sweeping = before === undefined ? 0 : chunk.restart ? began : before.sweeping;
    const row = {
      agent: chunk.agent,
      key: chunk.key,
      subagent: chunk.subagent ?? null,
      to: chunk.to,
      lines: chunk.lines,
      head: chunk.head,
      tail: chunk.tail,
      state: formatState(chunk.state),
      bornAt: chunk.bornAt ?? null,
      malformed: chunk.malformed,
      status: chunk.status,
      error: chunk.error ?? null,
      reader: chunk.reader ?? null,
      last: chunk.last ? 1 : 0,
    };
    if (before === undefined) addFile.run(row);
    else advanceFile.run({ ...row, id: before.id, generation, sweeping: chunk.last ? 0 : sweeping });
    if (before !== undefined && chunk.restart && chunk.renews !== undefined) {
      const size = chunk.renews.from === 'vault' ? chunk.renews.size : null;
      followInVault.run({ id: before.id, before: before.generation, generation, size });
    }
    const at = file.get(chunk.agent, chunk.key) as FileRow;
    noteCopy.run(at.id, chunk.root, chunk.size);

    const touched: Touched = { sessions: new Set(), files: new Set(), users: new Set(), fresh: new Set() };
    if (chunk.restart) for (const session of sessions.forgetNames(at.id)) touched.sessions.add(session);
    for (const session of chunk.sessions)
      touched.sessions.add(sessions.note(chunk.agent, at.id, session, chunk.restart));
    let added = 0;
    for (const entry of chunk.entries) if (takeEntry(entry, chunk, at, generation, touched)) added++;
    for (const session of sessions.nameByLeaf(at.id, chunk.titles ?? [])) touched.sessions.add(session);
    for (const uuid of chunk.withdrawn ?? []) {
      groups.loosen(uuid, at.id);
      withdraw(uuid, at.id, touched);
    }
    for (const { uuid, pos } of chunk.moved ?? []) {
      groups.loosen(uuid, at.id);
      const place = { uuid, pos, file: at.id };
      if (placeEntry.run(place).changes + placeCopy.run(place).changes > 0) touched.files.add(at.id);
    }
    const shared = file.get(chunk.agent, chunk.key)?.shared === 1;
    for (const result of chunk.results) {
      const { id, pos, outcome, output } = result;
      const use = (shared ? usedBeforeInFork : usedBefore).get({ id, pos, file: at.id });
      if (use === undefined) continue;
      setResult.run(outcome, output, use.id);
      touched.users.add(use.entry_id);
    }
    tools.renew(touched.users, touched.fresh);

    if (sweeping !== 0) {
      if (chunk.last && sweeping === sweeps.renewal) {
        keepEntries.run({ id: at.id, generation });
        keepCopies.run({ id: at.id, generation });
      } else if (chunk.last) sweep(at.id, generation, chunk.prune === true, touched);
      touched.files.add(at.id);
    }
    if (shared) {
      for (const moved of owners.settle(at.id)) {
        touched.files.add(moved.file);
        touched.sessions.add(moved.session);
      }
    }
    if (!touched.files.has(at.id) && chunk.entries.length > 0) {
      // Entries appended without a jump change no branch.
      if (chunk.entries.some(({ joinsAt, pos }) => joinsAt !== undefined || pos < chunk.from)) markAbandoned(at.id);
      groups.extend(at.id, rules);
    }
    for (const id of touched.files) {
      markAbandoned(id);
      groups.rebuild(id, rules);
    }
    for (const id of touched.sessions) sessions.refresh(id);
    return { stale: false, added };
  };
}
