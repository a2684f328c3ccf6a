import type { Session } from '../../../schema/session.ts';
import { ageOf } from '../age.ts';
import { inColumns } from '../columns.ts';
import { titleOf } from '../session-title.ts';
import { clean, table } from '../style.ts';
import type { View } from '../view.ts';
import { tellingLength } from './sessions.ts';

interface Resumed {
  readonly session: Session;
  readonly command: readonly string[];
  readonly folder: string;
  readonly folderIsGone?: boolean | undefined;
  readonly before?: readonly string[] | undefined;
  readonly carried?: { readonly files: readonly string[] } | undefined;
  readonly restored: readonly string[];
  readonly ended?: number | undefined;
}

export const renderResume = (output: Resumed | { readonly sessions: readonly Session[] }, view: View): string =>
  'sessions' in output ? choices(output.sessions, view) : resumed(output, view);

/** After the agent has used the terminal there is nothing left to say. */
function resumed(output: Resumed, { style }: View): string {
  const { session, command, before, carried, folder, folderIsGone, restored, ended } = output;
  if (ended !== undefined) return '';
  const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return [
    style.dim(`${clean(session.title)} · ${clean(session.project)}`),
    ...restored.map((file) => style.dim(`restored: ${clean(file)}`)),
    ...(carried?.files ?? []).map((file) => style.dim(`written: ${clean(file)}`)),
    ...(folderIsGone
      ? [
          style.yellow(`The folder ${clean(folder)} does not exist. If it was moved, say where it is now:`),
          `  holdfast projects link ${quoted(clean(session.projectPath || folder))} <new folder>`,
        ]
      : []),
    [`cd ${quoted(folder)}`, ...(before ? [before.map(quoted).join(' ')] : []), command.map(quoted).join(' ')].join(
      ' && ',
    ),
  ].join('\n');
}

/** Without a terminal to choose in. */
function choices(sessions: readonly Session[], view: View): string {
  const { style } = view;
  if (sessions.length === 0) return `No sessions. ${style.dim('Import first: holdfast ingest')}`;
  const how =
    'Choose one with: holdfast resume <id>, or by words: holdfast resume retry queue. In another agent: --in codex';
  return `${numberedSessions(sessions, view)}\n\n${style.dim(how)}`;
}

export function numberedSessions(sessions: readonly Session[], view: Pick<View, 'style' | 'width' | 'now'>): string {
  const { style, width, now } = view;
  const length = tellingLength(sessions.map(({ id }) => id));
  const rows = sessions.map((session, i) => [
    String(i + 1),
    clean(session.id.slice(0, length)),
    ageOf(session.endedAt, now),
    inColumns(session.project, 20),
    inColumns(titleOf(session), Math.max(20, width - length - 36)),
  ]);
  const paint = [style.bold, style.cyan, style.dim, style.green];
  return table(rows, (cell, column) => (paint[column] ?? ((text: string) => text))(cell));
}
