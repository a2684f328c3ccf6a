// Moved folders: stores the link, and moves the sessions of the old project to the new one.

import path from 'node:path';
import type { Connection, Statements } from '../sqlite/connection.ts';
import { relabelling } from './labels.ts';
import type { ProjectLink, ProjectsPort } from './port.ts';

export const allLinks = (connection: Statements): ProjectLink[] =>
  connection.statement<[], ProjectLink>('SELECT old_path AS "from", new_path AS "to" FROM project_links').all();

const nameOf = (folder: string): string => path.basename(folder) || folder;

export function projectLinks(connection: Connection): Pick<ProjectsPort, 'links' | 'link'> {
  const { read, write } = connection;
  const revive = connection.statement('DELETE FROM project_links WHERE old_path = ?');
  const redirect = connection.statement(
    `UPDATE project_links SET new_path = @to || substr(new_path, length(@from) + 1)
     WHERE new_path = @from OR substr(new_path, 1, length(@from) + 1) = @from || '/'`,
  );
  const forgetLoops = connection.statement('DELETE FROM project_links WHERE old_path = new_path');
  const add = connection.statement(
    'INSERT INTO project_links (old_path, new_path) VALUES (@from, @to) ON CONFLICT DO UPDATE SET new_path = excluded.new_path',
  );
  const find = connection.statement<[string], number>('SELECT id FROM projects WHERE path = ?').pluck();
  const addProject = connection.statement('INSERT INTO projects (path, name) VALUES (?, ?)');
  const moveInFiles = connection.statement('UPDATE file_sessions SET project_id = ? WHERE project_id = ?');
  const moveSessions = connection.statement('UPDATE sessions SET project_id = ? WHERE project_id = ?');
  const movePin = connection.statement("UPDATE OR REPLACE pins SET id = ? WHERE kind = 'project' AND id = ?");
  const removeProject = connection.statement('DELETE FROM projects WHERE id = ?');
  const relabel = relabelling(connection);

  return {
    async links() {
      return read(() => allLinks(connection));
    },
    async link(link, moves) {
      return write(() => {
        revive.run(link.to);
        redirect.run(link);
        add.run(link);
        forgetLoops.run();
        let moved = 0;
        for (const { from, to } of moves) {
          const old = find.get(from);
          if (old === undefined || from === to) continue;
          const now = find.get(to) ?? Number(addProject.run(to, nameOf(to)).lastInsertRowid);
          moveInFiles.run(now, old);
          moved += moveSessions.run(now, old).changes;
          movePin.run(to, from);
          removeProject.run(old);
          for (const folder of [from, to]) relabel(nameOf(folder));
        }
        return moved;
      });
    },
  };
}
