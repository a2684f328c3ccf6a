import type { Session } from '../../schema/session.ts';
import { clean, oneLine, plural, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderSessions({ sessions }: { sessions: readonly Session[] }, view: View): string {
  const { style } = view;
  if (sessions.length === 0) return `No sessions. ${style.dim('Import first: holdfast ingest')}`;
  const length = tellingLength(sessions.map(({ id }) => id));
  const rows = sessions.map((session) => [
    session.id.slice(0, length),
    localTime(session.endedAt, view),
    oneLine(session.project, 24),
    clean(session.agent),
    String(session.entries),
    oneLine(session.title, Math.max(20, view.width - 76)),
  ]);
  const paint = [style.cyan, style.dim, style.bold, style.dim];
  return table([['session', 'last entry', 'project', 'agent', 'entries', 'title'], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
}

/** Enough of the ids to tell them apart; ids that begin with a time share their first digits. */
export function tellingLength(ids: readonly string[]): number {
  const distinct = new Set(ids).size;
  let length = 8;
  while (length < 36 && new Set(ids.map((id) => id.slice(0, length))).size < distinct) length++;
  return length;
}

export const renderDeleted = (gone: { session: string; entries: number; toolUses: number }): string =>
  `Deleted ${gone.session}: ${plural(gone.entries, 'entry', 'entries')}, ${plural(gone.toolUses, 'tool use')}. Its transcript stays with the agent.`;

interface Purged {
  readonly purged: boolean;
  readonly sessions: number;
  readonly oldest?: string;
  readonly newest?: string;
  readonly entries: number;
  readonly toolUses: number;
  readonly conversations: number;
  readonly memories: number;
  readonly copies: number;
  readonly archives: number;
  readonly kept: readonly string[];
  readonly spared: number;
}

export function renderPurged(gone: Purged, view: View): string {
  const { purged, sessions, oldest, newest, kept, spared } = gone;
  const spare = spared === 0 ? [] : [`${plural(spared, 'session')} stay: pinned, or active for a group.`];
  if (sessions === 0) return ['No session is meant. Nothing was changed.', ...spare].join('\n');
  const span = oldest && newest ? `, from ${localTime(oldest, view)} to ${localTime(newest, view)}` : '';
  const parts = [
    plural(gone.entries, 'entry', 'entries'),
    plural(gone.toolUses, 'tool use'),
    plural(gone.conversations, 'conversation'),
    ...(gone.memories > 0 ? [`memories of ${plural(gone.memories, 'conversation')}`] : []),
    ...(gone.copies > 0 ? [`${plural(gone.copies, 'copy', 'copies')} in the vault`] : []),
    ...(gone.archives > 0 ? [plural(gone.archives, 'archive')] : []),
  ];
  return [
    `${purged ? 'Removed' : 'Would go'}: ${plural(sessions, 'session')}${span}: ${parts.join(', ')}. Transcripts stay with the agents.`,
    ...kept.map((file) => `${view.style.yellow('Stays, since somebody has changed it:')} ${clean(file)}`),
    ...spare,
    ...(purged ? [] : ['Nothing was changed. With --yes it is.']),
  ].join('\n');
}
