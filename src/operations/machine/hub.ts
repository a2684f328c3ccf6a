// One memory on several machines and for a team: the commands for the hub. Only processes that run these load the
// driver.
import os from 'node:os';
import { z } from 'zod';
import { explain, HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { HubPorts, TracePorts } from '../ports.ts';
import { hubExchanged, hubTrouble } from './hub-check.ts';

const hub = async () => {
  const [admin, connect, join, local, membership, share, sync, url] = await Promise.all([
    import('../../hub/admin.ts'),
    import('../../hub/connect.ts'),
    import('../../hub/join.ts'),
    import('../../hub/local.ts'),
    import('../../hub/membership.ts'),
    import('../../hub/share.ts'),
    import('../../hub/sync.ts'),
    import('../../hub/url.ts'),
  ]);
  return { ...admin, ...connect, ...join, ...local, ...membership, ...share, ...sync, ...url };
};

const Url = z.string().min(1).describe('address of the database, such as postgres://user:password@host/database');
const Machine = z.string().min(1).optional().describe('name of this machine (default: its host name)');
const ownName = (): string =>
  os
    .hostname()
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63) || 'machine';

async function refuseSecond(context: Context<never>): Promise<void> {
  const { readMembership, placeOf, readAddress } = await hub();
  const known = readMembership(context.config.home);
  if (known === undefined) return;
  throw new HoldfastError(
    'CONFLICT',
    `This machine has joined the hub ${placeOf(readAddress(known.url))} already, as ${known.person}`,
    {
      hint: 'Leave it first with `holdfast hub leave`. Nothing was changed.',
    },
  );
}

export const hubInit = operation({
  name: 'hub init',
  ending: 'orderly',
  summary: 'Create a hub in a PostgreSQL database, or update one; this machine joins it',
  input: z.object({
    url: Url,
    as: z.string().min(1).optional().describe('your name in the hub (default: your user name)'),
    machine: Machine,
  }),
  output: z.object({
    hub: z.string(),
    made: z.boolean(),
    upgradedFrom: z.int().optional().describe('the version that the hub had before, if it was brought up to date'),
    version: z.int(),
    vectors: z.boolean().describe('false: the server has no pgvector, so the hub searches by words only'),
    person: z.string(),
    machine: z.string(),
  }),
  surfaces: ['cli'],
  positional: ['url'],
  examples: ["holdfast hub init 'postgres://postgres:secret@db.example.com/holdfast' --as anna"],
  async run(context: Context<never>, input) {
    const {
      checkName,
      connectTo,
      initHub,
      invitePerson,
      joinHub,
      placeOf,
      readAddress,
      readMembership,
      writeMembership,
    } = await hub();
    const { home } = context.config;
    const address = readAddress(input.url);
    const known = readMembership(home);
    if (known !== undefined && placeOf(readAddress(known.url)) !== placeOf(address)) await refuseSecond(context);
    const person = checkName(
      input.as ??
        known?.person ??
        os
          .userInfo()
          .username.toLowerCase()
          .replace(/[^a-z0-9_]+/g, '_'),
      'person',
    );
    const machine = checkName(input.machine ?? ownName(), 'machine');
    const client = await connectTo(address);
    try {
      const made = await initHub(client, address);
      if (known !== undefined) return { hub: placeOf(address), ...made, person: known.person, machine: known.machine };
      const { url } = await invitePerson(client, address, person);
      writeMembership(home, await joinHub(url, machine, context.clock, input.url));
      return { hub: placeOf(address), ...made, person, machine };
    } finally {
      await client.end();
    }
  },
});

export const hubJoin = operation({
  name: 'hub join',
  ending: 'orderly',
  summary: 'Join a hub with the address from an invitation; joining shares nothing',
  input: z.object({
    url: Url.describe('the whole address that `holdfast hub invite` printed, in quotes'),
    as: z.string().min(1).optional().describe('your name, to check that the invitation is yours'),
    machine: Machine,
  }),
  output: z.object({ hub: z.string(), person: z.string(), machine: z.string() }),
  surfaces: ['cli'],
  positional: ['url'],
  examples: ["holdfast hub join 'postgres://holdfast_anna:secret@db.example.com/holdfast#code'"],
  async run(context: Context<never>, { url, as, machine }) {
    await refuseSecond(context);
    const { joinHub, placeOf, readAddress, writeMembership } = await hub();
    const address = readAddress(url);
    if (as !== undefined && address.user !== `holdfast_${as}`)
      throw new HoldfastError('BAD_INPUT', `The invitation is for the role ${address.user}, not for ${as}`, {
        hint: 'Leave out --as, or ask for an invitation under that name. Nothing was changed.',
      });
    const joined = await joinHub(url, machine ?? ownName(), context.clock);
    writeMembership(context.config.home, joined);
    return { hub: placeOf(address), person: joined.person, machine: joined.machine };
  },
});

const ShareRow = z.object({
  project: z.string(),
  name: z.string(),
  person: z.string(),
  with: z.enum(['me', 'team']),
  entries: z.int(),
  here: z.boolean(),
});

export const hubStatus = operation({
  name: 'hub status',
  summary: 'Show the hub: your name there, what is shared, and whether it answers',
  input: z.object({}),
  output: z.object({
    joined: z.boolean(),
    hub: z.string().optional(),
    person: z.string().optional(),
    machine: z.string().optional(),
    reachable: z.boolean().optional(),
    problem: z.string().optional().describe('why it does not answer'),
    lastExchange: z.string().optional(),
    vectors: z.boolean().optional(),
    machines: z
      .array(z.object({ name: z.string(), seenAt: z.string().optional() }))
      .optional()
      .describe('your own'),
    shares: z.array(ShareRow).optional(),
  }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast hub status', 'holdfast hub status --json'],
  async run(context: Context<HubPorts>) {
    const { connectAs, localProjects, placeOf, readAddress, readMembership, statusOf } = await hub();
    const known = readMembership(context.config.home);
    if (known === undefined) return { joined: false };
    const last = await context.store.hub.note(hubExchanged);
    const base = {
      joined: true,
      ...{ hub: placeOf(readAddress(known.url)), person: known.person, machine: known.machine },
      ...(last === undefined ? {} : { lastExchange: last }),
    };
    try {
      const client = await connectAs(known, { connectMs: 3000, statementMs: 5000 });
      try {
        return { ...base, reachable: true, ...(await statusOf(client, known, await localProjects(context))) };
      } finally {
        await client.end();
      }
    } catch (error) {
      return { ...base, reachable: false, problem: (error as Error).message };
    }
  },
});

export const hubShare = operation({
  name: 'hub share',
  ending: 'orderly',
  summary: 'Share a project: with your other machines, or with everyone in the hub',
  input: z.object({
    project: z.string().min(1).describe('name of a project, or a path inside it'),
    with: z.enum(['me', 'team']).default('me').describe('me: your other machines; team: everyone in the hub'),
  }),
  output: z.object({
    project: z.string(),
    name: z.string(),
    with: z.enum(['me', 'team']),
    sessions: z.int(),
    entries: z.int(),
  }),
  surfaces: ['cli'],
  positional: ['project'],
  examples: ['holdfast hub share holdfast', 'holdfast hub share ~/code/shop --with team'],
  async run(context: Context<TracePorts | 'changes' | 'transfer'>, input) {
    const { connectAs, needMembership, shareProject, sync } = await hub();
    const known = needMembership(context.config.home);
    const client = await connectAs(known);
    let shared: { project: string; name: string };
    try {
      shared = await shareProject(context, client, input.project, input.with);
    } finally {
      await client.end();
    }
    const { pushed } = await exchange(context, sync);
    return { ...shared, with: input.with, sessions: pushed.sessions, entries: pushed.entries };
  },
});

export const hubUnshare = operation({
  name: 'hub unshare',
  ending: 'orderly',
  summary: 'Stop sharing a project: the hub deletes it at once, other machines at their next contact',
  input: z.object({
    project: z.string().min(1).describe('name of a project, a path inside it, or what `hub status` calls it'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    project: z.string(),
    unshared: z.boolean(),
    entries: z.int().describe('entries deleted from the hub'),
    stays: z.string(),
  }),
  surfaces: ['cli'],
  positional: ['project'],
  destroys: true,
  examples: ['holdfast hub unshare shop'],
  succeeded: ({ unshared }) => unshared,
  async run(context: Context<HubPorts>, { project, yes }) {
    const { connectAs, needMembership, unshareProject } = await hub();
    const client = await connectAs(needMembership(context.config.home));
    const stays =
      'What is stored on this machine stays here. Statements and edits on memory pages stay on your other machines. Holdfast cannot reach copies that others have made elsewhere.';
    try {
      if (
        !yes &&
        (await context.person?.agrees?.(
          `Stop sharing ${project}, and remove it from the hub and from other machines?`,
        )) === false
      )
        return { project, unshared: false, entries: 0, stays };
      const done = await unshareProject(context, client, project);
      return { ...done, unshared: true, stays };
    } finally {
      await client.end();
    }
  },
});

export const hubLeave = operation({
  name: 'hub leave',
  ending: 'orderly',
  summary: 'Leave the hub with this machine; what you shared stays there until you unshare it',
  input: z.object({
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
    force: z.boolean().default(false).describe('leave even if the hub does not answer'),
  }),
  output: z.object({ left: z.boolean(), hub: z.string(), removed: z.string(), stays: z.string() }),
  surfaces: ['cli'],
  destroys: true,
  examples: ['holdfast hub leave'],
  succeeded: ({ left }) => left,
  async run(context: Context<HubPorts>, { yes, force }) {
    const { leave, needMembership, placeOf, readAddress } = await hub();
    const known = needMembership(context.config.home);
    const answer = {
      hub: placeOf(readAddress(known.url)),
      removed: 'The address of the hub, and what teammates shared with you, are removed from this machine.',
      stays:
        'Your own memory stays here, with what came from your other machines. What you shared stays in the hub; `holdfast hub unshare` removes it, before you leave.',
    };
    if (!yes && (await context.person?.agrees?.(`Leave the hub ${answer.hub} with this machine?`)) === false)
      return { left: false, ...answer };
    await leave(context, known, force);
    return { left: true, ...answer };
  },
});

export const hubInvite = operation({
  name: 'hub invite',
  ending: 'orderly',
  summary: 'Print the command for a colleague to join; without a name, for another machine of yours',
  input: z.object({ name: z.string().min(1).optional().describe('name of the colleague: a-z, 0-9 and _') }),
  output: z.object({
    person: z.string(),
    command: z.string().describe('contains a password: hand it over in private'),
    isNew: z.boolean(),
  }),
  surfaces: ['cli'],
  positional: ['name'],
  examples: ['holdfast hub invite', 'holdfast hub invite bob'],
  async run(context: Context<never>, { name }) {
    const { connectAs, connectTo, inviteMachine, invitePerson, needAdmin, needMembership, readAddress } = await hub();
    const known = needMembership(context.config.home);
    const command = (url: string) => `holdfast hub join '${url}'`;
    if (name === undefined || name === known.person) {
      const client = await connectAs(known);
      try {
        return { person: known.person, command: command(await inviteMachine(client, known)), isNew: false };
      } finally {
        await client.end();
      }
    }
    const address = readAddress(needAdmin(known));
    const client = await connectTo(address);
    try {
      const { url } = await invitePerson(client, address, name);
      return { person: name, command: command(url), isNew: true };
    } finally {
      await client.end();
    }
  },
});

export const hubRevoke = operation({
  name: 'hub revoke',
  ending: 'orderly',
  summary: 'End the access of a person, or of one of your machines, at once',
  input: z.object({
    name: z.string().min(1).optional().describe('name of the person; only an administrator can'),
    machine: z.string().min(1).optional().describe('name of one of your own machines instead'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({ revoked: z.string(), machines: z.int(), stays: z.string() }),
  surfaces: ['cli'],
  positional: ['name'],
  destroys: true,
  examples: ['holdfast hub revoke bob', 'holdfast hub revoke --machine old-laptop'],
  succeeded: ({ machines, revoked }) => machines > 0 || revoked !== '',
  async run(context: Context<never>, { name, machine, yes }) {
    const { connectAs, connectTo, needAdmin, needMembership, readAddress, revokeMachine, revokePerson } = await hub();
    if ((name === undefined) === (machine === undefined))
      throw new HoldfastError(
        'BAD_INPUT',
        'Say who: the name of a person, or --machine with the name of one of your machines',
        {
          hint: 'Examples: holdfast hub revoke bob; holdfast hub revoke --machine old-laptop',
        },
      );
    const known = needMembership(context.config.home);
    const what = name ?? `the machine ${machine}`;
    const stays =
      name === undefined
        ? 'What that machine has pulled stays on it; it no longer sends or receives anything.'
        : 'What the person shared stays in the hub. What their machines have pulled stays on them.';
    if (!yes && (await context.person?.agrees?.(`End the access of ${what}?`)) === false)
      return { revoked: '', machines: 0, stays };
    const address = name === undefined ? undefined : readAddress(needAdmin(known));
    const client = address === undefined ? await connectAs(known) : await connectTo(address);
    try {
      if (name !== undefined && address !== undefined)
        return { revoked: name, ...(await revokePerson(client, address, name)), stays };
      await revokeMachine(client, machine ?? '');
      return { revoked: machine ?? '', machines: 1, stays };
    } finally {
      await client.end();
    }
  },
});

export const hubHide = operation({
  name: 'hub hide',
  ending: 'orderly',
  summary: 'Hide a session that a teammate shares, on this machine; others keep it',
  input: z.object({ id: z.string().min(1).describe('id of the session; its beginning is enough') }),
  output: z.object({ session: z.string(), title: z.string() }),
  surfaces: ['cli'],
  positional: ['id'],
  examples: ['holdfast hub hide 0f3c'],
  async run(context: Context<'hub'>, { id }) {
    const [{ openTeamStore }, { noteTeammates }, { conversationRules }, { find }] = await Promise.all([
      import('../../hub/sync.ts'),
      import('../../hub/teammates.ts'),
      import('../../capture/conversation-rules.ts'),
      import('../recall/find.ts'),
    ]);
    const team = await openTeamStore(context.config.home, false);
    if (team === undefined)
      throw new HoldfastError('NOT_FOUND', 'No teammate shares anything that is stored here', {
        hint: 'See `holdfast hub status`. Nothing was changed.',
      });
    try {
      const { session } = await find(team, id.trim(), undefined);
      const rules = conversationRules(context.config.settings);
      await team.removal.forget(
        { kind: 'session', agent: session.agent, id: session.id },
        { rules, now: context.clock() },
      );
      await noteTeammates(context.store, team);
      return { session: session.id, title: session.title };
    } finally {
      await team.close();
    }
  },
});

export const hubForget = operation({
  name: 'hub forget',
  ending: 'orderly',
  summary: "As the hub's administrator, forget any person's session, for everyone and for good",
  input: z.object({
    id: z.string().min(4).describe('id of the session; its beginning is enough'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({ forgotten: z.boolean(), session: z.string(), title: z.string(), person: z.string() }),
  surfaces: ['cli'],
  positional: ['id'],
  destroys: true,
  examples: ['holdfast hub forget 0f3c'],
  succeeded: ({ forgotten }) => forgotten,
  async run(context: Context<never>, { id, yes }) {
    const { connectTo, forgetForAll, needAdmin, needMembership, readAddress, sessionInHub } = await hub();
    const client = await connectTo(readAddress(needAdmin(needMembership(context.config.home))));
    try {
      const found = await sessionInHub(client, id.trim());
      const { session, title, person } = found;
      const question = `Remove "${title}" of ${person} from the hub now, and from all machines at their next contact, also from those of ${person}?`;
      if (!yes && (await context.person?.agrees?.(question)) === false)
        return { forgotten: false, session, title, person };
      await forgetForAll(client, found);
      return { forgotten: true, session, title, person };
    } finally {
      await client.end();
    }
  },
});

export const hubSync = operation({
  name: 'hub sync',
  ending: 'guarded',
  summary: 'Exchange with the hub now; the worker also does this by itself',
  input: z.object({}),
  output: z.object({
    done: z.boolean().describe('false: another process is doing it'),
    pushed: z.object({ sessions: z.int(), entries: z.int(), forgotten: z.int() }),
    pulled: z.object({ entries: z.int(), forgotten: z.int(), taken: z.int(), dropped: z.int() }),
  }),
  surfaces: ['cli'],
  examples: ['holdfast hub sync'],
  async run(context: Context<TracePorts | 'changes' | 'transfer'>) {
    const { sync } = await hub();
    return exchange(context, sync);
  },
});

type Sync = typeof import('../../hub/sync.ts').sync;

/** What was forgotten elsewhere is removed here too, from the database and from files. */
async function exchange(context: Context<TracePorts | 'changes' | 'transfer'>, sync: Sync): ReturnType<Sync> {
  const { store, clock } = context;
  let done: Awaited<ReturnType<Sync>>;
  try {
    done = await sync(context);
  } catch (error) {
    const { message, hint } = explain(error, 'The hub');
    if (!context.signal?.aborted)
      await store.hub.setNote(hubTrouble, JSON.stringify({ at: new Date(clock()).toISOString(), message, hint }));
    throw error;
  }
  if (done.done) await store.hub.setNote(hubExchanged, new Date(clock()).toISOString());
  if (done.done) await store.hub.setNote(hubTrouble, undefined);
  if (done.pulled.forgotten > 0) {
    const { finishForgetting } = await import('../data/forget-traces.ts');
    await finishForgetting(context);
  }
  return done;
}
