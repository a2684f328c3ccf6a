import { plural } from '../../../language/plural.ts';
import type { Project } from '../../../schema/project.ts';
import { clean } from '../style.ts';
import { type Column, renderTable } from '../table.ts';
import { localTime, type View } from '../view.ts';

export function renderProjects({ projects }: { projects: readonly Project[] }, view: View): string {
  if (projects.length === 0) return `No projects. ${view.style.dim('Import first: holdfast ingest')}`;
  return renderTable(projects, columns, view, view.columns);
}

const columns: readonly Column<Project>[] = [
  { name: 'project', cell: ({ name }) => name, paint: 'bold', cut: 'end' },
  { name: 'sessions', cell: ({ sessions }) => String(sessions), goes: 2 },
  { name: 'entries', cell: ({ entries }) => String(entries), goes: 1 },
  { name: 'last', cell: ({ lastActivityAt }, view) => localTime(lastActivityAt, view), paint: 'cyan', goes: 3 },
  { name: 'path', cell: ({ path }) => path, paint: 'dim', cut: 'middle' },
];

export const renderLink = ({ project, sessions }: { project: string; sessions: number }): string =>
  `${plural(sessions, 'session')} now ${sessions === 1 ? 'belongs' : 'belong'} to ${clean(project)}. New imports follow.`;
