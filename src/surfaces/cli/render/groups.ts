import { plural } from '../../../language/plural.ts';
import type { Bookmark, Group, Pointer } from '../../../schema/group.ts';
import type { IncomingMessage } from '../../../schema/group-message.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

interface Left {
  readonly session?: string | undefined;
  readonly bookmark?: Bookmark | undefined;
  readonly archive?: string | undefined;
}

interface Removed {
  readonly group: string;
  readonly removed: boolean;
  readonly session?: string | undefined;
  readonly bookmarks: number;
  readonly folders: readonly string[];
  readonly sessions: number;
}

const painted = (rows: readonly (readonly string[])[], { style }: View): string => {
  const paint = [style.cyan, style.dim, style.dim];
  return table(rows as string[][], (cell, column) => (paint[column] ?? ((text: string) => text))(cell));
};

export function renderGroups({ groups }: { groups: readonly Group[] }, view: View): string {
  if (groups.length === 0) return `No groups. ${view.style.dim('Create one: holdfast groups create main')}`;
  const rows = groups.map(({ name, createdAt, pointer, bookmarks, sessions }) => [
    name,
    localTime(createdAt, view),
    clean(pointer.session ?? 'none'),
    String(bookmarks),
    String(sessions),
  ]);
  return painted([['group', 'made', 'active session', 'earlier', 'sessions'], ...rows], view);
}

export const renderCreated = ({
  group,
  made,
  folders,
}: {
  group: Group;
  made: boolean;
  folders: { work: string };
}): string => `${made ? 'Created' : 'Already exists:'} ${group.name}. Its agent works in ${clean(folders.work)}`;

export function renderGroup(
  {
    group,
    bookmarks,
    unanswered,
    folders,
  }: {
    group: Group;
    bookmarks: readonly Bookmark[];
    unanswered: readonly IncomingMessage[];
    folders: Record<string, string>;
  },
  view: View,
): string {
  const { pointer } = group;
  const active =
    pointer.session === undefined
      ? 'none'
      : `${clean(pointer.session)}${pointer.since === undefined ? '' : `, since ${localTime(pointer.since, view)}`}`;
  return [
    view.style.bold(group.name),
    `active session  ${active}`,
    ...Object.entries(folders).map(([what, folder]) => `${what.padEnd(16)}${clean(folder)}`),
    ...(unanswered.length === 0
      ? []
      : [
          '',
          painted(
            unanswered.map((one) => waitingRow(one, view)),
            view,
          ),
        ]),
    '',
    renderHistory({ sessions: bookmarks }, view),
  ].join('\n');
}

const waitingRow = ({ arrivedAt, state, text }: IncomingMessage, view: View): string[] => [
  state,
  localTime(arrivedAt, view),
  oneLine(text, Math.max(20, view.width - 32)),
];

export function renderHistory({ sessions }: { sessions: readonly Bookmark[] }, view: View): string {
  if (sessions.length === 0) return 'No earlier sessions.';
  const rows = sessions.map(({ id, createdAt, archivedAt, name }) => [
    String(id),
    localTime(createdAt, view),
    localTime(archivedAt, view),
    oneLine(name, Math.max(20, view.width - 48)),
  ]);
  return painted([['id', 'began', 'left', 'name'], ...rows], view);
}

export function renderHits(
  {
    hits,
  }: {
    hits: readonly {
      id?: number | undefined;
      session: string;
      name: string;
      at: string;
      snippet: string;
      current: boolean;
    }[];
  },
  view: View,
): string {
  if (hits.length === 0) return 'Nothing found.';
  return hits
    .map(
      ({ id, session, name, at, snippet, current }) =>
        `${view.style.cyan(clean(String(id ?? session)))}  ${view.style.dim(localTime(at, view))}  ${view.style.bold(oneLine(name, 60))}${current ? ' (active)' : ''}\n  ${oneLine(snippet, Math.max(40, view.width - 4))}`,
    )
    .join('\n');
}

export function renderLeft({ session, bookmark, archive }: Left): string {
  if (session === undefined) return 'No session was active.';
  const kept = bookmark === undefined ? '' : ` It can be resumed as ${bookmark.id}.`;
  return `Left ${clean(session)}.${kept}${archive === undefined ? '' : `\n${clean(archive)}`}`;
}

export const renderResumed = ({ session, left }: { session: string; left: Left }): string =>
  `${left.session === undefined ? '' : `${renderLeft(left)}\n`}Active now: ${clean(session)}`;

export const renderPointed = ({ pointer }: { pointer: Pointer }): string =>
  `Active now: ${clean(pointer.session ?? 'none')}`;

export const renderToken = ({ token }: { token: string }): string => token;

export function renderRemoved({ group, removed, session, bookmarks, folders, sessions }: Removed): string {
  const word = removed ? 'Removed' : 'Would delete';
  return [
    `${word}: the group ${group}${session === undefined ? '' : `, its active session ${clean(session)}`}, ${plural(bookmarks, 'bookmark')}`,
    ...folders.map((folder) => `${word}: ${clean(folder)}, with everything in it`),
    `${plural(sessions, 'session')} ${removed ? 'stay' : 'would stay'} in the memory, and belong to no group.`,
    ...(removed ? [] : ['Nothing was changed. To remove it: --yes']),
  ].join('\n');
}
