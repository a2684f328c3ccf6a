// Folders that were moved: the link is remembered, and the sessions of the old project become the new one's.
import path from 'node:path';
import type { Database } from 'better-sqlite3';
import type { ProjectLink, Store } from '../store.ts';

type Run = <T>(work: () => T) => T;

export const allLinks = (db: Database): ProjectLink[] =>
  db.prepare<[], ProjectLink>('SELECT old_path AS "from", new_path AS "to" FROM project_links').all();

export function projectLinks(db: Database, read: Run, write: Run): Pick<Store, 'projectLinks' | 'linkProject'> {
  const revive = db.prepare('DELETE FROM project_links WHERE old_path = ?');
  const redirect = db.prepare(
    `UPDATE project_links SET new_path = @to || substr(new_path, length(@from) + 1)
     WHERE new_path = @from OR substr(new_path, 1, length(@from) + 1) = @from || '/'`,
  );
  const forgetLoops = db.prepare('DELETE FROM project_links WHERE old_path = new_path');
  const add = db.prepare(
    'INSERT INTO project_links (old_path, new_path) VALUES (@from, @to) ON CONFLICT DO UPDATE SET new_path = excluded.new_path',
  );
  const find = db.prepare<[string], number>('SELECT id FROM projects WHERE path = ?').pluck();
  const addProject = db.prepare('INSERT INTO projects (path, name) VALUES (?, ?)');
  const moveInFiles = db.prepare('UPDATE file_sessions SET project_id = ? WHERE project_id = ?');
  const moveSessions = db.prepare('UPDATE sessions SET project_id = ? WHERE project_id = ?');
  const movePin = db.prepare("UPDATE OR REPLACE pins SET id = ? WHERE kind = 'project' AND id = ?");
  const removeProject = db.prepare('DELETE FROM projects WHERE id = ?');

  return {
    async projectLinks() {
      return read(() => allLinks(db));
    },
    async linkProject(link, moves) {
      return write(() => {
        revive.run(link.to);
        redirect.run(link);
        add.run(link);
        forgetLoops.run();
        let moved = 0;
        for (const { from, to } of moves) {
          const old = find.get(from);
          if (old === undefined || from === to) continue;
          const now = find.get(to) ?? Number(addProject.run(to, path.basename(to) || to).lastInsertRowid);
          moveInFiles.run(now, old);
          moved += moveSessions.run(now, old).changes;
          movePin.run(to, from);
          removeProject.run(old);
        }
        return moved;
      });
    },
  };
}
