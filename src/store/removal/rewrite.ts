// Applies a change to all stored texts, a few at a time: entries with their
// index, tool uses, then the small tables and titles.

import path from 'node:path';
import { formatState, parseState } from '../../schema/reader-state.ts';
import { rewriteDistilled } from '../distilled/rewriting.ts';
import { entryIndexText } from '../search/index-text.ts';
import { toolIndex } from '../search/tool-index.ts';
import { touchWriting } from '../search/touches.ts';
import type { Connection } from '../sqlite/connection.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { RemovalPort, TextChange } from './port.ts';
import { rewriteMemories } from './rewrite-memories.ts';

/** Stored in `facts`: the version that all texts have, and the progress of the next one. */
interface Progress {
  readonly done: number;
  readonly version: number;
  readonly phase: Phase;
  readonly after: number;
  readonly changed: number;
}

/** `outside`: all rows have the version; the caller still has to clean up outside the database. */
type Phase = 'entries' | 'tool_uses' | 'rest' | 'outside';

const fact = 'redaction';

/** Tables with few texts, changed in one step. */
const small = [
  { table: 'session_states', key: ['agent', 'session'], columns: ['last_user', 'last_assistant', 'end_reason'] },
  { table: 'session_labels', key: ['agent', 'session'], columns: ['name'] },
  { table: 'briefings', key: ['id'], columns: ['text'] },
  { table: 'file_sessions', key: ['file_id', 'session_id'], columns: ['title', 'cwd'] },
] as const;

export function textRewriting(connection: Connection): Pick<RemovalPort, 'rewriteTexts' | 'finishRewriting'> {
  const { write } = connection;
  const get = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const put = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const entries = connection.statement<
    [number, number],
    { id: number; session_id: number; text: string; tools: string | null }
  >('SELECT id, session_id, text, tools FROM entries WHERE id > ? ORDER BY id LIMIT ?');
  const setText = connection.statement('UPDATE entries SET text = ?, tools = ? WHERE id = ?');
  const unindex = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)');
  const copiedTo = connection
    .statement<[number], number>('SELECT DISTINCT session_id FROM entry_copies WHERE entry_id = ?')
    .pluck();
  const uses = connection.statement<
    [number, number],
    {
      id: number;
      entry_id: number;
      tool: string;
      input: string;
      output: string | null;
      files: string | null;
      at: number;
    }
  >(
    `SELECT u.id, u.entry_id, u.tool, u.input, u.output, u.files, e.at FROM tool_uses u JOIN entries e ON e.id = u.entry_id
     WHERE u.id > ? ORDER BY u.id LIMIT ?`,
  );
  const setUse = connection.statement('UPDATE tool_uses SET tool = ?, input = ?, output = ?, files = ? WHERE id = ?');
  const touches = touchWriting(connection);
  const states = connection.statement<[], { id: number; state: string }>('SELECT id, state FROM files');
  const projects = connection.statement<[], { id: number; path: string }>('SELECT id, path FROM projects');
  const projectAt = connection.statement<[string], number>('SELECT id FROM projects WHERE path = ?').pluck();
  const setProject = connection.statement('UPDATE projects SET path = ?, name = ? WHERE id = ?');
  const setState = connection.statement('UPDATE files SET state = ? WHERE id = ?');
  const sessions = sessionRows(connection);
  const tools = toolIndex(connection);

  function rewriteEntries(after: number, limit: number, change: TextChange) {
    const rows = entries.all(after, limit);
    const touched = new Set<number>();
    let changed = 0;
    for (const { id, session_id, text, tools } of rows) {
      const clean = change.text(text);
      const cleanTools = tools === null ? null : change.json(tools);
      if (clean === text && cleanTools === tools) continue;
      changed++;
      setText.run(clean, cleanTools, id);
      unindex.run(id);
      index.run(id, entryIndexText(clean, cleanTools === null ? [] : (JSON.parse(cleanTools) as string[])));
      for (const session of [session_id, ...copiedTo.all(id)]) touched.add(session);
    }
    // A session without a title of its own takes it from its first prompt.
    for (const id of touched) sessions.refresh(id);
    return { rows, changed };
  }

  function rewriteUses(after: number, limit: number, change: TextChange) {
    const rows = uses.all(after, limit);
    let changed = 0;
    const users = new Set<number>();
    for (const { id, entry_id, tool, input, output, files, at } of rows) {
      const before = [tool, input, output, files] as const;
      const next = [
        change.text(tool),
        change.json(input),
        output === null ? null : change.text(output),
        files === null ? null : change.json(files),
      ] as const;
      if (next.every((text, i) => text === before[i])) continue;
      changed++;
      setUse.run(...next, id);
      users.add(entry_id);
      if (next[3] !== null && next[3] !== files) touches.renew(id, at, JSON.parse(next[3]) as string[]);
    }
    tools.renew(users);
    return { rows, changed };
  }

  function rewriteRest(change: TextChange): number {
    let changed = 0;
    const touched = new Set<number>();
    for (const { table, key, columns } of small) {
      const rows = connection.statement(`SELECT ${[...key, ...columns].join(', ')} FROM ${table}`).all() as Record<
        string,
        string | number | null
      >[];
      const where = key.map((name) => `${name} = @${name}`).join(' AND ');
      const set = connection.statement(
        `UPDATE ${table} SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE ${where}`,
      );
      for (const row of rows) {
        const next = { ...row };
        for (const name of columns) if (typeof row[name] === 'string') next[name] = change.text(row[name]);
        if (columns.every((name) => next[name] === row[name])) continue;
        changed++;
        set.run(next);
        if (typeof row.session_id === 'number') touched.add(row.session_id);
      }
    }
    for (const { id, state } of states.all()) {
      const next = parseState(state);
      for (const name of ['title', 'cwd', 'folder'] as const) {
        const value = next.capture[name];
        if (value !== undefined) next.capture[name] = change.text(value);
      }
      const text = formatState(next);
      if (text !== state) setState.run(text, id);
    }
    for (const { id, path: folder } of projects.all()) {
      const clean = change.text(folder);
      if (clean === folder) continue;
      changed++;
      // Two folder names may differ only in the secret.
      const free = projectAt.get(clean) === undefined ? clean : `${clean} (${id})`;
      setProject.run(free, path.posix.basename(free), id);
    }
    for (const id of touched) sessions.refresh(id);
    return changed + rewriteDistilled(connection, change) + rewriteMemories(connection, change);
  }

  function step(progress: Progress, limit: number, change: TextChange): Progress & { looked: number } {
    const { phase, after } = progress;
    if (phase === 'outside') return { ...progress, looked: 0 };
    if (phase === 'rest') {
      const changed = progress.changed + rewriteRest(change);
      // The index keeps words of removed texts until its segments are merged.
      if (changed > 0)
        for (const table of ['entries_fts', 'uses_fts', 'observations_fts', 'summaries_fts', 'memories_fts'])
          connection.statement(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
      return { ...progress, phase: 'outside', changed, looked: 0 };
    }
    const { rows, changed } = (phase === 'entries' ? rewriteEntries : rewriteUses)(after, limit, change);
    const last = rows.at(-1)?.id;
    const next =
      last === undefined
        ? { phase: phase === 'entries' ? ('tool_uses' as const) : ('rest' as const), after: 0 }
        : { phase, after: last };
    return { ...progress, ...next, changed: progress.changed + changed, looked: rows.length };
  }

  return {
    async rewriteTexts(version, change, limit) {
      const stored = get.get(fact);
      const known = stored === undefined ? undefined : (JSON.parse(stored) as Progress);
      if (known !== undefined && known.done >= version) return { done: true, outside: false, changed: 0 };
      // Free pages of the file must not keep the removed data.
      connection.db.pragma('secure_delete = ON');
      const after = write(() => {
        // Read again inside the transaction: another process may be working on it.
        const value = get.get(fact);
        const before = value === undefined ? undefined : (JSON.parse(value) as Progress);
        if (before !== undefined && before.done >= version) return { ...before, looked: 0 };
        const fresh: Progress = { done: before?.done ?? 0, version, phase: 'entries', after: 0, changed: 0 };
        const next = step(before?.version === version ? before : fresh, limit, change);
        const { looked: _, ...kept } = next;
        put.run(fact, JSON.stringify(kept));
        return next;
      });
      const done = after.done >= version;
      const outside = !done && after.phase === 'outside';
      // Until this checkpoint, the log still contains the old pages. A reader may delay it; that is not a failure.
      if (outside && after.changed > 0) connection.db.pragma('wal_checkpoint(TRUNCATE)');
      return { done, outside, changed: after.changed };
    },
    async finishRewriting(version) {
      write(() => {
        const value = get.get(fact);
        const progress = value === undefined ? undefined : (JSON.parse(value) as Progress);
        if (progress?.version === version && progress.phase === 'outside')
          put.run(fact, JSON.stringify({ ...progress, done: version }));
      });
    },
  };
}
