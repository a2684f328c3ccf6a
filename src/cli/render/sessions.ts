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
