// The port of projects: the list and its figures.

import { toMoment } from '../../schema/time.ts';
import { digestSql } from '../sessions/digest.ts';
import type { Connection } from '../sqlite/connection.ts';
import { followLinks, isWithin } from './follow-links.ts';
import { projectIds } from './ids.ts';
import { allLinks, projectLinks } from './links.ts';
import type { ProjectDigest, ProjectsPort } from './port.ts';

export function projectsPort(connection: Connection): ProjectsPort {
  const { read: run, write } = connection;
  const places = connection.statement<[], { id: number; path: string; name: string; repository: string | null }>(
    'SELECT id, path, name, repository FROM projects WHERE id IN (SELECT project_id FROM sessions) ORDER BY path',
  );
  const repositories = connection.statement<[], { project: number; value: string }>(
    `SELECT DISTINCT s.project_id AS project, x.value FROM session_facts x JOIN sessions s ON s.id = x.session_id
     WHERE x.kind = 'repository' AND s.project_id IS NOT NULL ORDER BY x.value`,
  );
  const unidentified = connection
    .statement<[string | null], string>(
      'SELECT path FROM projects WHERE repository IS NULL OR repository = ? ORDER BY path',
    )
    .pluck();
  const identify = connection.statement('UPDATE projects SET repository = ? WHERE path = ?');
  const digest = connection.statement<[number], ProjectDigest>(digestSql.digest);

  const { links, link } = projectLinks(connection);
  return {
    links,
    link,
    async places() {
      return run(() => {
        const named = new Map<number, string[]>();
        for (const { project, value } of repositories.all()) named.set(project, [...(named.get(project) ?? []), value]);
        return places.all().map(({ id, path, name, repository }) => ({
          ...{ path, name, repositories: named.get(id) ?? [] },
          repository: repository || undefined,
        }));
      });
    },
    async unidentified(missed) {
      return run(() => unidentified.all(missed ? '' : null));
    },
    async identify(path, repository = '') {
      write(() => identify.run(repository, path));
    },
    async list() {
      return run(() => {
        const rows = connection
          .statement(
            `SELECT p.name, coalesce(p.label, p.name) AS label, p.path, count(*) AS sessions, sum(s.entries) AS entries, max(s.ended_at) AS last
             FROM projects p JOIN sessions s ON s.project_id = p.id GROUP BY p.id ORDER BY last DESC, p.path`,
          )
          .all() as {
          name: string;
          label: string;
          path: string;
          sessions: number;
          entries: number;
          last: number | null;
        }[];
        return rows.map(({ last, ...row }) => ({ ...row, lastActivityAt: toMoment(last ?? 0) }));
      });
    },
    async digest(project) {
      return run(() => {
        const folder = 'path' in project ? followLinks(project.path, allLinks(connection)) : undefined;
        const found = projectIds(connection, project)
          .flatMap((id) => digest.get(id) ?? [])
          .filter(({ path }) => folder === undefined || isWithin(folder, path));
        return found.sort((a, b) => b.lastAt - a.lastAt || (a.path < b.path ? -1 : 1))[0];
      });
    },
  };
}
