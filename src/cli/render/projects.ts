import type { Project } from '../../schema/project.ts';
import { plural } from '../../text/plural.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderProjects({ projects }: { projects: readonly Project[] }, view: View): string {
  const { style } = view;
  if (projects.length === 0) return `No projects. ${style.dim('Import first: holdfast ingest')}`;
  const rows = projects.map((project) => [
    oneLine(project.name, 32),
    String(project.sessions),
    String(project.entries),
    localTime(project.lastActivityAt, view),
    clean(project.path),
  ]);
  const paint = [style.bold, undefined, undefined, style.cyan, style.dim];
  return table([['project', 'sessions', 'entries', 'last entry', 'path'], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
}

export const renderLink = ({ project, sessions }: { project: string; sessions: number }): string =>
  `${plural(sessions, 'session')} now ${sessions === 1 ? 'belongs' : 'belong'} to ${clean(project)}. New imports follow.`;
