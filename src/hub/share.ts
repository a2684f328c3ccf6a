// What a person shares, with whom, and what the hub says about it.
import fs from 'node:fs';
import path from 'node:path';
import { projectOf } from '../capture/project.ts';
import { teammatesNote } from '../recall/briefing/teammates.ts';
import { HoldfastError } from '../system/errors.ts';
import { connectAs, type HubClient } from './connect.ts';
import { type HubDeps, type LocalProject, localProjects, visibleShares } from './local.ts';
import { type Membership, removeMembership } from './membership.ts';
import { pullNoteName } from './pull.ts';
import { teamStorePath } from './team-store.ts';

type Deps = Pick<HubDeps, 'store' | 'config'>;

/** The repository that a name or a path means. */
async function projectNamed(deps: Deps, text: string): Promise<{ project: string; name: string }> {
  const local = await localProjects(deps);
  const folder = path.resolve(text);
  const isPath = /[/\\]|^\.+$/.test(text);
  const found = [...local].filter(
    ([project, folders]) =>
      project === text ||
      folders.some(({ path: at, name }) => (isPath ? at === folder || at === projectOf(folder) : name === text)),
  );
  const [first] = found;
  if (found.length === 1 && first !== undefined) return { project: first[0], name: nameOf(first[1]) };
  if (found.length > 1)
    throw new HoldfastError('AMBIGUOUS', `${found.length} repositories are called ${text}`, {
      hint: `Name one by its folder or its address:\n  ${found.map(([project]) => project).join('\n  ')}`,
    });
  const known = (await deps.store.projects.list()).some(
    ({ name, path: at }) => name === text || at === folder || at === projectOf(folder),
  );
  throw new HoldfastError(
    'NOT_FOUND',
    known ? `${text} is no git repository with a remote or a commit` : `No project ${text} is known here`,
    {
      hint: known
        ? 'Other machines know a project by its remote or its first commit. Nothing was changed.'
        : 'List projects with `holdfast projects`. Nothing was changed.',
    },
  );
}

const nameOf = ([first]: readonly LocalProject[]): string => first?.name ?? '';

export async function shareProject(
  deps: Deps,
  client: HubClient,
  text: string,
  audience: 'me' | 'team',
): Promise<{ project: string; name: string }> {
  const found = await projectNamed(deps, text);
  await client.query('SELECT holdfast.share($1, $2, $3)', [found.project, found.name, audience]);
  return found;
}

export async function unshareProject(
  deps: Deps,
  client: HubClient,
  text: string,
): Promise<{ project: string; entries: number }> {
  const shared = (await visibleShares(client)).find(({ project }) => project === text);
  const project = shared?.project ?? (await projectNamed(deps, text)).project;
  const { rows } = await client.query<{ entries: string | null }>('SELECT holdfast.unshare($1) AS entries', [project]);
  if (rows[0]?.entries == null)
    throw new HoldfastError('NOT_FOUND', `You do not share ${project}`, {
      hint: 'See `holdfast hub status`. Nothing was changed.',
    });
  return { project, entries: Number(rows[0].entries) };
}

export async function statusOf(client: HubClient, membership: Membership, local: ReadonlyMap<string, unknown>) {
  const shares = await client.query<{
    project: string;
    name: string;
    person: string;
    with: 'me' | 'team';
    entries: string;
  }>(
    `SELECT s.project, s.name, p.name AS person, s.audience AS with, s.entries FROM holdfast.shares s JOIN holdfast.people p ON p.id = s.person
     ORDER BY s.person <> $1, p.name, s.project`,
    [membership.personId],
  );
  const machines = await client.query<{ name: string; seen: Date | null }>(
    'SELECT name, seen_at AS seen FROM holdfast.machines WHERE person = $1 AND left_at IS NULL ORDER BY name',
    [membership.personId],
  );
  const hub = await client.query<{ vectors: boolean }>('SELECT vector_schema IS NOT NULL AS vectors FROM holdfast.hub');
  return {
    vectors: hub.rows[0]?.vectors === true,
    machines: machines.rows.map(({ name, seen }) => ({
      name,
      ...(seen === null ? {} : { seenAt: seen.toISOString() }),
    })),
    shares: shares.rows.map((share) => ({ ...share, entries: Number(share.entries), here: local.has(share.project) })),
  };
}

/** With `force`, leaves even if the hub does not answer. The hub then keeps the machine on its list until it is revoked. */
export async function leave({ store, config }: Deps, membership: Membership, force: boolean): Promise<void> {
  try {
    const client = await connectAs(membership, { connectMs: 5000, statementMs: 10_000 });
    try {
      await client.query('SELECT holdfast.leave_hub($1)', [membership.machine]);
    } finally {
      await client.end();
    }
  } catch (error) {
    const { code, message } = error as HoldfastError;
    // A revoked machine has already left.
    if (!force && code !== 'NO_PERMISSION')
      throw new HoldfastError(code, message, {
        hint: 'Nothing was changed. To leave without telling the hub: --force.',
        cause: error,
      });
  }
  fs.rmSync(path.dirname(teamStorePath(config.home)), { recursive: true, force: true });
  await store.hub.setNote(pullNoteName, undefined);
  await store.hub.setNote('hub: pushed', undefined);
  await store.hub.setNote(teammatesNote, undefined);
  removeMembership(config.home);
}

export async function revokeMachine(client: HubClient, machine: string): Promise<void> {
  const { rows } = await client.query<{ done: boolean }>('SELECT holdfast.leave_hub($1) AS done', [machine]);
  if (rows[0]?.done !== true)
    throw new HoldfastError('NOT_FOUND', `You have no machine ${machine} in the hub`, {
      hint: 'See `holdfast hub status`. Nothing was changed.',
    });
}

export function needAdmin({ adminUrl }: Membership): string {
  if (adminUrl !== undefined) return adminUrl;
  throw new HoldfastError('NO_PERMISSION', 'Only the administrator of the hub can do this', {
    hint: 'Ask the person who made the hub: a machine that ran `holdfast hub init` with the address of an administrator can.',
  });
}
