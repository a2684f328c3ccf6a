// Derives sessions and projects from what each file says about a session, and from its entries.

import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import { relabelling } from '../projects/labels.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SessionInFile } from './port.ts';
import { changeNoting, sessionRefreshing } from './session-summary.ts';

/** Names of sessions that a file gives by one of their entries. */
function leafNames(connection: Connection) {
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

  return {
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
  };
}

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
  const projectInFile = connection
    .statement<[number, number], number | null>(
      'SELECT project_id FROM file_sessions WHERE file_id = ? AND session_id = ?',
    )
    .pluck();
  const forgetInFile = connection.statement(
    'UPDATE file_sessions SET cwd = NULL, project_id = NULL, title = NULL, title_by = NULL WHERE file_id = ? AND session_id = ?',
  );
  const { forgetNames, nameByLeaf } = leafNames(connection);

  const idOf = (agent: AgentName, session: string): number =>
    find.get(session, agent) ?? Number(add.run(session, agent).lastInsertRowid);

  const relabel = relabelling(connection);
  const projectOf = (folder: string): number => {
    const known = findProject.get(folder);
    if (known !== undefined) return known;
    const name = path.basename(folder) || folder;
    const added = Number(addProject.run(folder, name).lastInsertRowid);
    relabel(name);
    return added;
  };

  return {
    idOf,
    forgetNames,
    nameByLeaf,
    noteChange: changeNoting(connection),
    refresh: sessionRefreshing(connection),

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
  };
}
