import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { ComparedProject } from '../../../operations/recall/compare-projects.ts';
import { dollars } from '../../../schema/dollars.ts';
import type { Project } from '../../../schema/project.ts';
import { clean } from '../style.ts';
import { type Column, renderTable } from '../table.ts';
import { localTime, type View } from '../view.ts';

export function renderProjects({ projects }: { projects: readonly Project[] }, view: View): string {
  if (projects.length === 0) return `No projects. ${view.style.dim('Import first: holdfast ingest')}`;
  return renderTable(projects, columns, view, view.columns);
}

const columns: readonly Column<Project>[] = [
  { name: 'project', cell: ({ label }) => label, paint: 'bold', cut: 'end' },
  { name: 'sessions', cell: ({ sessions }) => String(sessions), goes: 2 },
  { name: 'entries', cell: ({ entries }) => String(entries), goes: 1 },
  { name: 'last', cell: ({ lastActivityAt }, view) => localTime(lastActivityAt, view), paint: 'cyan', goes: 3 },
  { name: 'path', cell: ({ path }) => path, paint: 'dim', cut: 'middle' },
];

export const renderLink = ({ project, sessions }: { project: string; sessions: number }): string =>
  `${plural(sessions, 'session')} now ${sessions === 1 ? 'belongs' : 'belong'} to ${clean(project)}. New imports follow.`;

type Compared = z.infer<typeof ComparedProject>;

const compared: readonly Column<Compared>[] = [
  { name: 'project', cell: ({ name }) => name, paint: 'bold', cut: 'end' },
  { name: 'sessions', cell: ({ sessions }) => String(sessions) },
  { name: 'prompts', cell: ({ prompts }) => String(prompts), goes: 3 },
  { name: 'entries', cell: ({ entries }) => String(entries), goes: 2 },
  { name: 'days', cell: ({ days }) => String(days), goes: 1 },
  { name: 'tokens', cell: ({ tokens, counted }) => (counted === 0 ? 'not counted' : String(tokens)) },
  { name: 'cost', cell: ({ cost }) => (cost === undefined ? 'not known' : dollars(cost)) },
  // Tokens and cost are those of the counted sessions.
  { name: 'counted', cell: ({ counted, sessions }) => (counted === sessions ? 'all' : String(counted)), goes: 4 },
];

export function renderCompared({ projects }: { projects: readonly Compared[] }, view: View): string {
  const files = projects.flatMap(({ name, files: touched }) => [
    '',
    view.style.bold(`Files of ${clean(name)}`),
    ...touched.map(({ file, modified, read }) => {
      const often = modified > 0 ? plural(modified, 'change') : `read ${plural(read, 'time')}`;
      return `  ${clean(file)}  ${view.style.dim(often)}`;
    }),
  ]);
  return [renderTable(projects, compared, view), ...files].join('\n');
}
