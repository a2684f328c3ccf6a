// Derives sessions and projects from what each file says about a session, and from its entries.

import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import { planLater } from '../jobs/plan.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SessionInFile } from './port.ts';

export function sessionRows(connection: Connection) {
  const find = connection
    .statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?')
    .pluck();
  const add = connection.statement('INSERT INTO sessions (session, agent) VALUES (?, ?)');
  const findProject = connection.statement<[string], number>('SELECT id FROM projects WHERE path = ?').pluck();
  const addProject = connection.statement('INSERT INTO projects (path, name) VALUES (?, ?)');
  const noteInFile = connection.statement(
    `INSERT INTO file_sessions (file_id, session_id, cwd, project_id, title, title_by)
     VALUES (@file, @session, @cwd, @project, @title, @titleBy)
     ON CONFLICT DO UPDATE SET cwd = coalesce(cwd, excluded.cwd), project_id = coalesce(project_id, excluded.project_id),
       title = coalesce(excluded.title, title), title_by = CASE WHEN excluded.title IS NULL THEN title_by ELSE excluded.title_by END`,
  );
  const addFact = connection.statement(
    `INSERT INTO session_facts (file_id, session_id, kind, value, pos) VALUES (@file, @session, @kind, @value, @pos)
     ON CONFLICT DO UPDATE SET pos = max(pos, excluded.pos)`,
  );
  const dropFacts = connection.statement('DELETE FROM session_facts WHERE file_id = ? AND session_id = ?');
  const addLeafTitle = connection.statement(
    `INSERT INTO leaf_titles (leaf, file_id, title, session_id)
     VALUES (@leaf, @file, @title, (SELECT session_id FROM entries WHERE uuid = @leaf))
     ON CONFLICT DO UPDATE SET title = excluded.title, session_id = excluded.session_id`,
  );
  const dropLeafTitles = connection.statement('DELETE FROM leaf_titles WHERE file_id = ?');
  // A leaf is an entry of the session, or the session itself.
  const sessionOfLeaf = connection
    .statement<{ leaf: string }, number>(
      'SELECT session_id FROM entries WHERE uuid = @leaf UNION SELECT id FROM sessions WHERE session = @leaf',
    )
    .pluck();
  const leavesIn = connection
    .statement<{ file: number }, number>(
      `SELECT e.session_id FROM leaf_titles t JOIN entries e ON e.uuid = t.leaf WHERE t.file_id = @file
       UNION SELECT s.id FROM leaf_titles t JOIN sessions s ON s.session = t.leaf WHERE t.file_id = @file`,
    )
    .pluck();

  const projectInFile = connection
    .statement<[number, number], number | null>(
      'SELECT project_id FROM file_sessions WHERE file_id = ? AND session_id = ?',
    )
    .pluck();
  const forgetInFile = connection.statement(
    'UPDATE file_sessions SET cwd = NULL, project_id = NULL, title = NULL, title_by = NULL WHERE file_id = ? AND session_id = ?',
  );
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
  const update = connection.statement(
    `UPDATE sessions SET project_id = ?, cwd = ?, title = ?, title_by = ?, started_at = ?, ended_at = ?, entries = ?, subagent_entries = ?
     WHERE id = ?`,
  );
  const pinned = connection
    .statement<[number], number>('SELECT EXISTS (SELECT 1 FROM conversations WHERE session_id = ?)')
    .pluck();
  const remove = connection.statement('DELETE FROM sessions WHERE id = ?');
  const planJobs = planLater(connection);
  const noteChange = connection.statement('INSERT OR REPLACE INTO session_changes (session_id) VALUES (?)');

  const idOf = (agent: AgentName, session: string): number =>
    find.get(session, agent) ?? Number(add.run(session, agent).lastInsertRowid);

  const projectOf = (folder: string): number =>
    findProject.get(folder) ?? Number(addProject.run(folder, path.basename(folder) || folder).lastInsertRowid);

  /** A person's name counts before the agent's. */
  function nameOf(id: number): { readonly title: string; readonly title_by: string | null } | undefined {
    const inFiles = given.get(id);
    if (inFiles?.title_by === 'person') return inFiles;
    const elsewhere = byLeaf.get({ session: id });
    return elsewhere?.title_by === 'person' ? elsewhere : (inFiles ?? elsewhere);
  }

  return {
    idOf,

    /** Tells processes that cache the positions of entries that this session's may have changed. */
    noteChange: (id: number): void => void noteChange.run(id),

    /** Records what a file says about a session. A read from the start first clears what the file said before. */
    note(agent: AgentName, file: number, said: SessionInFile, restart: boolean): number {
      const session = idOf(agent, said.session);
      if (restart) {
        forgetInFile.run(file, session);
        dropFacts.run(file, session);
      }
      // The first folder that a file names counts. A later one must not create a project without sessions.
      const isKnown = typeof projectInFile.get(file, session) === 'number';
      const project = said.projectPath === undefined || isKnown ? null : projectOf(said.projectPath);
      const titleBy = said.titleBy ?? null;
      noteInFile.run({ file, session, cwd: said.cwd ?? null, project, title: said.title ?? null, titleBy });
      for (const fact of said.facts ?? []) addFact.run({ file, session, ...fact });
      return session;
    },

    /** A read from the start names sessions again. Clears the old names and returns the sessions that had them. */
    forgetNames(file: number): number[] {
      const named = leavesIn.all({ file });
      dropLeafTitles.run(file);
      return named;
    },

    /** Records names of sessions by an entry; returns the sessions that are known. */
    nameByLeaf(file: number, titles: readonly { readonly leaf: string; readonly title: string }[]): number[] {
      return titles.flatMap(({ leaf, title }) => {
        addLeafTitle.run({ leaf, file, title });
        return sessionOfLeaf.all({ leaf });
      });
    },

    /**
     * Updates a session's row from its files and entries, and marks its jobs
     * for planning. Deletes a session without entries.
     */
    refresh(id: number): void {
      noteChange.run(id);
      const mine = own.get(id);
      const copies = copied.get(id);
      if (mine === undefined || copies === undefined) return;
      if (mine.entries + mine.subagents + copies.entries === 0 && pinned.get(id) === 0) {
        remove.run(id);
        return;
      }
      planJobs(id);
      const where = place.get(id);
      const named = nameOf(id);
      const title = named?.title ?? firstPrompt.get({ session: id }) ?? firstText.get(id) ?? '';
      update.run(
        where?.project_id ?? null,
        where?.cwd ?? null,
        headline(title),
        named === undefined ? null : (named.title_by ?? 'agent'),
        mine.started ?? copies.started ?? mine.anyStarted,
        mine.ended ?? copies.ended ?? mine.anyEnded,
        mine.entries + copies.entries,
        mine.subagents,
        id,
      );
    },
  };
}

/** The first line of a text, at most 100 characters, cut between code points. */
export function headline(text: string): string {
  const line = text.slice(0, 2000).trim().split('\n', 1)[0] ?? '';
  const points = Array.from(line.trim());
  return points.length <= 100 ? points.join('') : `${points.slice(0, 99).join('')}…`;
}
