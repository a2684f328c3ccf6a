// A machine joins a hub, shows where it stands, and leaves.
import os from 'node:os';
import { z } from 'zod';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { HubPorts } from '../ports.ts';
import { hubExchanged } from './hub-check.ts';
import { hub } from './hub-loading.ts';

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
      checkClock,
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
      await checkClock(client, context.clock, placeOf(address));
      const made = await initHub(client, address);
      if (known !== undefined) {
        // Also how another machine becomes the administrator's, when the first one is lost.
        if (known.adminUrl !== input.url) writeMembership(home, { ...known, adminUrl: input.url });
        return { hub: placeOf(address), ...made, person: known.person, machine: known.machine };
      }
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
