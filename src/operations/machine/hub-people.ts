// People and machines of a hub, and what its administrator hides or forgets.
import { z } from 'zod';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from '../recall/find.ts';
import { hub } from './hub-loading.ts';

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
    const { home, settings } = context.config;
    const [{ openTeamStore }, { noteTeammates }, { conversationRules }] = await Promise.all([
      import('../../hub/team-store.ts'),
      import('../../hub/teammates.ts'),
      import('../../capture/conversation-rules.ts'),
    ]);
    const at = { rules: conversationRules(settings), now: context.clock() };
    let team = await openTeamStore(home, false);
    try {
      const pulled = team === undefined ? undefined : await find(team, id.trim(), undefined).catch(unlessMissing);
      if (team !== undefined && pulled !== undefined) {
        const { agent, id: session, title } = pulled.session;
        await team.removal.forget({ kind: 'session', agent, id: session }, at);
        await noteTeammates(context.store, team);
        return { session, title };
      }
      // A session of a repository that is not on this machine: a search of the team finds it in the hub.
      const { print, session, title } = await teammatesSessionInHub(home, id.trim());
      team ??= (await openTeamStore(home, true)) as Store;
      await team.removal.takeTombstones([{ print: print.replaceAll('-', ''), at: at.now }], [], at);
      return { session, title };
    } finally {
      await team?.close();
    }
  },
});

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof HoldfastError && error.code === 'NOT_FOUND')) throw error;
}

async function teammatesSessionInHub(home: string, id: string) {
  const { connectAs, needMembership, sessionInHub } = await hub();
  const membership = needMembership(home);
  const client = await connectAs(membership, { connectMs: 5000, statementMs: 10_000 });
  try {
    const found = await sessionInHub(client, id);
    if (found.personId !== membership.personId) return found;
    throw new HoldfastError('BAD_INPUT', `Session ${found.session} is your own`, {
      hint: 'To remove it everywhere, run `holdfast forget`. Nothing was changed.',
    });
  } finally {
    await client.end();
  }
}

export const hubForget = operation({
  name: 'hub forget',
  ending: 'orderly',
  summary: "As the hub's administrator, forget any person's session, for everyone and for good",
  input: z.object({
    id: z.string().min(4).describe('id of the session; its beginning is enough'),
    person: z.string().min(1).optional().describe('whose, if several persons share the same session'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({ forgotten: z.boolean(), session: z.string(), title: z.string(), person: z.string() }),
  surfaces: ['cli'],
  positional: ['id'],
  destroys: true,
  examples: ['holdfast hub forget 0f3c'],
  succeeded: ({ forgotten }) => forgotten,
  async run(context: Context<never>, { id, person: of, yes }) {
    const { connectTo, forgetForAll, needAdmin, needMembership, readAddress, sessionInHub } = await hub();
    const client = await connectTo(readAddress(needAdmin(needMembership(context.config.home))));
    try {
      const found = await sessionInHub(client, id.trim(), of);
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
