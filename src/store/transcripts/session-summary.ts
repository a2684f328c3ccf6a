// Files and entries of a session → its row: folder, project, title, times, counts.
import { planLater } from '../jobs/plan.ts';
import type { Connection } from '../sqlite/connection.ts';

/** What the files of a session say about it. */
function saidOfSession(connection: Connection) {
  const place = connection.statement<[number], { cwd: string | null; project_id: number | null }>(
    `SELECT s.cwd, s.project_id FROM file_sessions s JOIN files f ON f.id = s.file_id
     WHERE s.session_id = ? AND s.cwd IS NOT NULL ORDER BY f.subagent IS NOT NULL, f.born_at, f.key LIMIT 1`,
  );
  const given = connection.statement<[number], { title: string; title_by: string | null }>(
    `SELECT s.title, s.title_by FROM file_sessions s JOIN files f ON f.id = s.file_id
     WHERE s.session_id = ? AND s.title IS NOT NULL ORDER BY s.title_by IS 'person' DESC, f.born_at DESC, f.key DESC LIMIT 1`,
  );
  // Of several titles, the one whose entry is last in the session wins. A title for the session itself comes before all
  // of them: agents write such titles only for names that a person gave.
  const byLeaf = connection.statement<{ session: number }, { title: string; title_by: string }>(
    `SELECT title, iif(direct, 'person', 'agent') AS title_by FROM (
       SELECT t.title, 1 AS direct, 0 AS at, '' AS uuid, f.key FROM sessions s JOIN leaf_titles t ON t.leaf = s.session
         JOIN files f ON f.id = t.file_id WHERE s.id = @session
       UNION ALL
       SELECT t.title, 0, e.at, e.uuid, f.key FROM leaf_titles t INDEXED BY leaf_titles_by_session
         CROSS JOIN entries e ON e.uuid = t.leaf JOIN files f ON f.id = t.file_id WHERE t.session_id = @session
     ) ORDER BY direct DESC, at DESC, uuid, key LIMIT 1`,
  );
  const firstPrompt = connection
    .statement<{ session: number }, string>(
      `SELECT text FROM (
       SELECT * FROM (SELECT text, pos, at, uuid FROM entries WHERE session_id = @session AND subagent IS NULL
                      AND author = 'person' AND substr(text, 1, 1) NOT IN ('/', '!') ORDER BY pos, at, uuid LIMIT 1)
       UNION ALL
       SELECT * FROM (SELECT e.text, c.pos, e.at, e.uuid FROM entry_copies c JOIN entries e ON e.id = c.entry_id
                      WHERE c.session_id = @session AND c.author = 'person' AND substr(e.text, 1, 1) NOT IN ('/', '!')
                      ORDER BY c.pos, e.at, e.uuid LIMIT 1)
     ) ORDER BY pos, at, uuid LIMIT 1`,
    )
    .pluck();
  const firstText = connection
    .statement<[number], string>(
      'SELECT text FROM entries WHERE session_id = ? ORDER BY subagent IS NOT NULL, pos, at, uuid LIMIT 1',
    )
    .pluck();

  /** A person's name counts before the agent's. */
  function nameOf(id: number): { readonly title: string; readonly title_by: string | null } | undefined {
    const inFiles = given.get(id);
    if (inFiles?.title_by === 'person') return inFiles;
    const elsewhere = byLeaf.get({ session: id });
    return elsewhere?.title_by === 'person' ? elsewhere : (inFiles ?? elsewhere);
  }

  return (session: number) => {
    const where = place.get(session);
    const named = nameOf(session);
    const title = named?.title ?? firstPrompt.get({ session }) ?? firstText.get(session) ?? '';
    return {
      project: where?.project_id ?? null,
      cwd: where?.cwd ?? null,
      title: headline(title),
      titleBy: named === undefined ? null : (named.title_by ?? 'agent'),
    };
  };
}

/** Tells processes that cache the positions of entries that this session's may have changed. */
export function changeNoting(connection: Connection): (session: number) => void {
  const note = connection.statement('INSERT OR REPLACE INTO session_changes (session_id) VALUES (?)');
  return (session) => void note.run(session);
}

/**
 * Updates a session's row from its files and entries, and marks its jobs
 * for planning. Deletes a session without entries.
 */
export function sessionRefreshing(connection: Connection): (session: number) => void {
  const said = saidOfSession(connection);
  const own = connection.statement<
    [number],
    {
      entries: number;
      started: number | null;
      ended: number | null;
      subagents: number;
      anyStarted: number | null;
      anyEnded: number | null;
    }
  >(
    `SELECT count(*) FILTER (WHERE subagent IS NULL) AS entries, count(*) FILTER (WHERE subagent IS NOT NULL) AS subagents,
       min(at) FILTER (WHERE subagent IS NULL) AS started, max(at) FILTER (WHERE subagent IS NULL) AS ended,
       min(at) AS anyStarted, max(at) AS anyEnded FROM entries WHERE session_id = ?`,
  );
  const copied = connection.statement<[number], { entries: number; started: number | null; ended: number | null }>(
    `SELECT count(*) AS entries, min(e.at) AS started, max(e.at) AS ended FROM entry_copies c JOIN entries e ON e.id = c.entry_id
     WHERE c.session_id = ? AND e.session_id <> c.session_id`,
  );
  const update = connection.statement(
    `UPDATE sessions SET project_id = ?, cwd = ?, title = ?, title_by = ?, started_at = ?, ended_at = ?, entries = ?, subagent_entries = ?, tool_uses = ?
     WHERE id = ?`,
  );
  const used = connection
    .statement<[number], number>(
      'SELECT count(*) FROM entries e JOIN tool_uses t ON t.entry_id = e.id WHERE e.session_id = ?',
    )
    .pluck();
  const pinned = connection
    .statement<[number], number>('SELECT EXISTS (SELECT 1 FROM conversations WHERE session_id = ?)')
    .pluck();
  const remove = connection.statement('DELETE FROM sessions WHERE id = ?');
  const planJobs = planLater(connection);
  const noteChange = changeNoting(connection);

  return (id) => {
    noteChange(id);
    const mine = own.get(id);
    const copies = copied.get(id);
    if (mine === undefined || copies === undefined) return;
    if (mine.entries + mine.subagents + copies.entries === 0 && pinned.get(id) === 0) {
      remove.run(id);
      return;
    }
    planJobs(id);
    const { project, cwd, title, titleBy } = said(id);
    update.run(
      project,
      cwd,
      title,
      titleBy,
      mine.started ?? copies.started ?? mine.anyStarted,
      mine.ended ?? copies.ended ?? mine.anyEnded,
      mine.entries + copies.entries,
      mine.subagents,
      used.get(id) ?? 0,
      id,
    );
  };
}

/** The first line of a text, at most 100 characters, cut between code points. */
export function headline(text: string): string {
  const line = text.slice(0, 2000).trim().split('\n', 1)[0] ?? '';
  const points = Array.from(line.trim());
  return points.length <= 100 ? points.join('') : `${points.slice(0, 99).join('')}…`;
}
