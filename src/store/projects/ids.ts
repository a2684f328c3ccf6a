// Resolves a name or a path to projects.
import type { Statements } from '../sqlite/connection.ts';
import { followLinks } from './follow-links.ts';
import { allLinks } from './links.ts';
import type { ProjectFilter } from './port.ts';

export function projectIds(connection: Statements, filter: ProjectFilter): number[] {
  if ('name' in filter) {
    return connection
      .statement('SELECT id FROM projects WHERE name = ? COLLATE NOCASE')
      .pluck()
      .all(filter.name) as number[];
  }
  // The innermost project around the path; if no project contains it, the projects below it.
  const inside = connection.statement(
    "SELECT id FROM projects WHERE ? = path OR substr(?, 1, length(path) + 1) = path || '/' ORDER BY length(path) DESC LIMIT 1",
  );
  const folder = followLinks(filter.path, allLinks(connection));
  const found = inside.pluck().all(folder, folder) as number[];
  if (found.length > 0) return found;
  const below = connection.statement("SELECT id FROM projects WHERE substr(path, 1, length(?) + 1) = ? || '/'");
  return below.pluck().all(folder, folder) as number[];
}
