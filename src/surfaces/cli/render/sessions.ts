import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { sessionsPurge } from '../../../operations/data/purge.ts';
import { inWords } from '../../../operations/data/remove-sessions.ts';
import type { sessionsDelete } from '../../../operations/recall/sessions.ts';
import { dollars } from '../../../schema/dollars.ts';
import type { Session } from '../../../schema/session.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { inColumns } from '../columns.ts';
import { titleOf } from '../session-title.ts';
import { clean } from '../style.ts';
import { type Column, renderTable } from '../table.ts';
import { localTime, type View } from '../view.ts';

export function renderSessions({ sessions }: { sessions: readonly Session[] }, view: View): string {
  if (sessions.length === 0)
    return `No sessions found. ${view.style.dim('Try fewer filters, or import first: holdfast ingest')}`;
  const length = tellingLength(sessions.map(({ id }) => id));
  return renderTable(sessions, sessionColumns(length), view, view.columns);
}

const sessionColumns = (length: number): readonly Column<Session>[] => [
  { name: 'session', cell: ({ id }) => id.slice(0, length), paint: 'cyan' },
  { name: 'last', cell: ({ endedAt }, view) => localTime(endedAt, view), paint: 'dim', goes: 3 },
  { name: 'project', cell: ({ project }) => inColumns(project, 24), paint: 'bold', cut: 'end', goes: 4 },
  { name: 'agent', cell: ({ agent }) => agent, paint: 'dim', goes: 1 },
  { name: 'entries', cell: ({ entries }) => String(entries), goes: 2 },
  { name: 'title', cell: titleOf, cut: 'end' },
  { name: 'tags', cell: ({ tags = [] }) => tags.join(', '), extra: true },
  { name: 'starred', cell: ({ starred }) => (starred ? '★' : ''), extra: true },
  { name: 'began', cell: ({ startedAt }, view) => localTime(startedAt, view), extra: true },
  { name: 'tools', cell: ({ toolUses }) => String(toolUses), extra: true },
  { name: 'tokens', cell: ({ tokens }) => (tokens === undefined ? '' : withCommas(tokens)), extra: true },
  { name: 'cost', cell: ({ cost }) => (cost === undefined ? '' : dollars(cost)), extra: true },
  { name: 'outcome', cell: ({ outcome }) => outcome ?? '', extra: true },
  { name: 'branch', cell: ({ branch }) => branch ?? '', extra: true },
  { name: 'path', cell: ({ projectPath }) => projectPath, cut: 'middle', extra: true },
  { name: 'folder', cell: ({ cwd }) => cwd, cut: 'middle', extra: true },
  { name: 'state', cell: ({ state }) => state ?? '', extra: true },
  { name: 'resume', cell: ({ resume }) => resume ?? '', extra: true },
];

/** Enough of the ids to distinguish them; ids that begin with a time share their first digits. */
export function tellingLength(ids: readonly string[]): number {
  const distinct = new Set(ids).size;
  let length = 8;
  while (length < 36 && new Set(ids.map((id) => id.slice(0, length))).size < distinct) length++;
  return length;
}

type Gone = z.infer<typeof sessionsDelete.output>;
type Purged = z.infer<typeof sessionsPurge.output>;

export const renderDeleted = (gone: Gone, view: View): string =>
  [
    `${gone.deleted ? 'Deleted' : 'Would delete'}: ${clean(gone.session)}: ${inWords({ ...gone, archives: gone.archives.length })}. The agent keeps its transcript.`,
    ...stays(gone.kept, view),
    ...(gone.deleted ? [] : ['Nothing was changed.']),
  ].join('\n');

const stays = (kept: readonly string[], { style }: View): string[] =>
  kept.map((file) => `${style.yellow('Left in place, because it was edited by hand:')} ${clean(file)}`);

export function renderPurged(gone: Purged, view: View): string {
  const { purged, sessions, oldest, newest, kept, spared } = gone;
  const spare = spared === 0 ? [] : [`${plural(spared, 'session')} stay: pinned, or active for a group.`];
  if (sessions === 0) return ['No session matches. Nothing was changed.', ...spare].join('\n');
  const span = oldest && newest ? `, from ${localTime(oldest, view)} to ${localTime(newest, view)}` : '';
  return [
    `${purged ? 'Deleted' : 'Would delete'}: ${plural(sessions, 'session')}${span}: ${inWords(gone)}. The agents keep their transcripts.`,
    ...stays(kept, view),
    ...spare,
    ...(purged ? [] : ['Nothing was changed. To delete them: --yes']),
  ].join('\n');
}
