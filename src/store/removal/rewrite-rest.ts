// Rewrites the texts of the small tables, in one step: states, labels, titles, folders, briefings.
import path from 'node:path';
import { formatState, parseState } from '../../schema/reader-state.ts';
import { rewriteDistilled } from '../distilled/rewriting.ts';
import { relabelling } from '../projects/labels.ts';
import type { Connection } from '../sqlite/connection.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { TextChange } from './port.ts';
import { rewriteMemories } from './rewrite-memories.ts';

/** Tables with few texts, changed in one step. */
const small = [
  { table: 'session_states', key: ['agent', 'session'], columns: ['last_user', 'last_assistant', 'end_reason'] },
  { table: 'session_labels', key: ['agent', 'session'], columns: ['name'] },
  { table: 'briefings', key: ['id'], columns: ['text'] },
  { table: 'file_sessions', key: ['file_id', 'session_id'], columns: ['title', 'cwd'] },
] as const;

/** Returns how many rows changed. */
export function rewriteRest(connection: Connection, change: TextChange): number {
  const changed = rewriteSmall(connection, change) + rewriteProjects(connection, change);
  rewriteStates(connection, change);
  return changed + rewriteDistilled(connection, change) + rewriteMemories(connection, change);
}

function rewriteSmall(connection: Connection, change: TextChange): number {
  const sessions = sessionRows(connection);
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
  for (const id of touched) sessions.refresh(id);
  return changed;
}

/** What the readers of files keep. */
function rewriteStates(connection: Connection, change: TextChange): void {
  const states = connection.statement<[], { id: number; state: string }>('SELECT id, state FROM files');
  const setState = connection.statement('UPDATE files SET state = ? WHERE id = ?');
  for (const { id, state } of states.all()) {
    const next = parseState(state);
    for (const name of ['title', 'cwd', 'folder'] as const) {
      const value = next.capture[name];
      if (value !== undefined) next.capture[name] = change.text(value);
    }
    const text = formatState(next);
    if (text !== state) setState.run(text, id);
  }
}

function rewriteProjects(connection: Connection, change: TextChange): number {
  const projects = connection.statement<[], { id: number; path: string }>('SELECT id, path FROM projects');
  const projectAt = connection.statement<[string], number>('SELECT id FROM projects WHERE path = ?').pluck();
  const setProject = connection.statement('UPDATE projects SET path = ?, name = ? WHERE id = ?');
  const relabel = relabelling(connection);
  let changed = 0;
  for (const { id, path: folder } of projects.all()) {
    const clean = change.text(folder);
    if (clean === folder) continue;
    changed++;
    // Two folder names may differ only in the secret.
    const free = projectAt.get(clean) === undefined ? clean : `${clean} (${id})`;
    setProject.run(free, path.posix.basename(free), id);
    for (const name of [folder, free].map((one) => path.posix.basename(one))) relabel(name);
  }
  return changed;
}
