import { plural } from '../../../language/plural.ts';
import { clean, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

interface ShareRow {
  readonly project: string;
  readonly person: string;
  readonly with: 'me' | 'team';
  readonly entries: number;
  readonly here: boolean;
}

interface Status {
  readonly joined: boolean;
  readonly hub?: string | undefined;
  readonly person?: string | undefined;
  readonly machine?: string | undefined;
  readonly reachable?: boolean | undefined;
  readonly problem?: string | undefined;
  readonly lastExchange?: string | undefined;
  readonly vectors?: boolean | undefined;
  readonly machines?: readonly { readonly name: string; readonly seenAt?: string | undefined }[] | undefined;
  readonly shares?: readonly ShareRow[] | undefined;
}

interface Joined {
  readonly hub: string;
  readonly person: string;
  readonly machine: string;
}

const share = 'Nothing is shared yet. Share a project with: holdfast hub share <project> [--with team]';

export const renderInit = (
  { hub, made, vectors, person, machine }: Joined & { made: boolean; vectors: boolean },
  { style }: View,
): string =>
  [
    made ? `Created the hub ${clean(hub)}.` : `The hub ${clean(hub)} is up to date.`,
    vectors
      ? 'It searches by words and by meaning.'
      : 'It searches by words; with pgvector on the server it would also search by meaning.',
    `This machine is ${clean(machine)} of ${clean(person)}. ${share}`,
    style.dim('Invite a colleague with: holdfast hub invite NAME'),
  ].join('\n');

export const renderJoined = ({ hub, person, machine }: Joined): string =>
  `Joined the hub ${clean(hub)}. This machine is ${clean(machine)} of ${clean(person)}.\n${share}`;

export function renderStatus(status: Status, view: View): string {
  const { style } = view;
  if (!status.joined)
    return `This machine has not joined a hub. ${style.dim('Join one with: holdfast hub join <postgres-url>')}`;
  const last =
    status.lastExchange === undefined ? 'no exchange yet' : `last exchange ${localTime(status.lastExchange, view)}`;
  const lines = [
    `The hub ${clean(status.hub ?? '')}: ${clean(status.machine ?? '')} of ${clean(status.person ?? '')}, ${last}.`,
  ];
  if (!status.reachable) return [...lines, style.yellow(clean(status.problem ?? ''))].join('\n');
  const machines = (status.machines ?? []).map(
    ({ name, seenAt }) => `${clean(name)}${seenAt === undefined ? '' : ` (${localTime(seenAt, view)})`}`,
  );
  lines.push(`Your machines: ${machines.join(', ')}`);
  if (status.vectors === false) lines.push(style.dim('The server has no pgvector, so the hub searches by words.'));
  const shares = status.shares ?? [];
  if (shares.length === 0) return [...lines, share].join('\n');
  const rows = shares.map((one) => [
    clean(one.project),
    clean(one.person),
    one.with,
    String(one.entries),
    one.here ? 'here' : '',
  ]);
  return [...lines, table([['project', 'shared by', 'with', 'entries', ''], ...rows], (cell) => cell)].join('\n');
}

export const renderShared = (
  {
    project,
    with: audience,
    sessions,
    entries,
  }: { project: string; with: 'me' | 'team'; sessions: number; entries: number },
  { style }: View,
): string =>
  [
    `${clean(project)} is shared with ${audience === 'me' ? 'your other machines' : 'everyone in the hub'}: ${plural(sessions, 'session')}, ${plural(entries, 'entry', 'entries')} pushed now.`,
    style.dim('The worker keeps it up to date. End it with: holdfast hub unshare'),
  ].join('\n');

export const renderUnshared = ({
  project,
  unshared,
  entries,
  stays,
}: {
  project: string;
  unshared: boolean;
  entries: number;
  stays: string;
}): string =>
  unshared
    ? `${clean(project)} is no longer shared. The hub deleted ${plural(entries, 'entry', 'entries')}; other machines delete them at their next contact.\n${stays}`
    : 'Nothing was changed.';

export const renderLeft = ({
  left,
  hub,
  removed,
  stays,
}: {
  left: boolean;
  hub: string;
  removed: string;
  stays: string;
}): string => (left ? `Left the hub ${clean(hub)}. ${removed}\n${stays}` : 'Nothing was changed.');

export const renderInvite = (
  { person, command, isNew }: { person: string; command: string; isNew: boolean },
  { style }: View,
): string =>
  [
    isNew ? `For ${clean(person)}, on their machine:` : 'On your other machine:',
    `  ${command}`,
    style.dim('This contains a password and lets one machine join: hand it over in private.'),
  ].join('\n');

export const renderRevoked = ({
  revoked,
  machines,
  stays,
}: {
  revoked: string;
  machines: number;
  stays: string;
}): string =>
  revoked === ''
    ? 'Nothing was changed.'
    : `The access of ${clean(revoked)} has ended (${plural(machines, 'machine')}). ${stays}`;

export const renderSync = ({
  done,
  pushed,
  pulled,
}: {
  done: boolean;
  pushed: { sessions: number; entries: number; forgotten: number };
  pulled: { entries: number; forgotten: number };
}): string =>
  done
    ? `Pushed ${plural(pushed.entries, 'entry', 'entries')}, pulled ${plural(pulled.entries, 'entry', 'entries')}${pulled.forgotten > 0 ? `, forgot ${pulled.forgotten}` : ''}.`
    : 'Another process is exchanging with the hub right now.';

export const renderHidden = ({ session, title }: { session: string; title: string }): string =>
  `Hidden on this machine: ${clean(title)} (${clean(session)}). Others still see it.`;

export const renderForgottenForAll = ({
  forgotten,
  session,
  title,
  person,
}: {
  forgotten: boolean;
  session: string;
  title: string;
  person: string;
}): string =>
  forgotten
    ? `Forgot "${clean(title)}" (${clean(session.slice(0, 8))}) of ${clean(person)} in the hub. All machines delete it at their next contact.`
    : 'Nothing was changed.';
