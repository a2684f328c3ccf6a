// How a machine joins a hub and leaves it.
import { HoldfastError } from '../system/errors.ts';
import { checkName, hashOf, newSecret } from './admin.ts';
import { checkHub, connectTo, type HubClient } from './connect.ts';
import type { Membership } from './membership.ts';
import { placeOf, readAddress, writeAddress } from './url.ts';

/** A clock that is further off would give wrong dates to everything this machine shares. */
const mostOffMs = 15 * 60_000;

/** Contract: store the result at once; it is the only place with the machine's secret. */
export async function joinHub(
  url: string,
  machine: string,
  clock: () => number,
  adminUrl?: string,
): Promise<Membership> {
  checkName(machine, 'machine');
  const address = readAddress(url);
  if (address.code === undefined)
    throw new HoldfastError('BAD_INPUT', `The address of the hub ${placeOf(address)} holds no invitation`, {
      hint: 'Use the whole address that `holdfast hub invite` prints, with the part after #, in quotes. Nothing was changed.',
    });
  const client = await connectTo(address);
  try {
    await checkHub(client, address);
    await checkClock(client, clock, placeOf(address));
    const secret = newSecret();
    const { rows } = await client.query<{ id: number }>('SELECT holdfast.join_hub($1, $2, $3) AS id', [
      address.code,
      machine,
      hashOf(secret),
    ]);
    await client.query("SELECT set_config('holdfast.machine', $1, false)", [secret]);
    const hub = await client.query<{ id: string; person: number; name: string }>(
      'SELECT h.id, p.id AS person, p.name FROM holdfast.hub h, holdfast.people p WHERE p.id = holdfast.me()',
    );
    const [found] = hub.rows;
    if (found === undefined)
      throw new HoldfastError('INTERNAL', `The hub ${placeOf(address)} does not know who joined it`);
    return {
      url: writeAddress(address, address),
      ...(adminUrl === undefined ? {} : { adminUrl }),
      hub: found.id,
      person: found.name,
      personId: found.person,
      machine,
      machineId: rows[0]?.id ?? 0,
      secret,
      joinedAt: new Date(clock()).toISOString(),
    };
  } finally {
    await client.end();
  }
}

/** Refuses a clock that is far from the hub's. */
export async function checkClock(client: HubClient, clock: () => number, where: string): Promise<void> {
  const message = await clockProblem(client, clock, where);
  if (message !== undefined)
    throw new HoldfastError('CONFLICT', message, { hint: 'Set the clock, then join again. Nothing was changed.' });
}

/** What is wrong with a clock that is far from the hub's. */
export async function clockProblem(client: HubClient, clock: () => number, where: string): Promise<string | undefined> {
  const { rows } = await client.query<{ now: string }>('SELECT extract(epoch FROM now()) * 1000 AS now');
  const off = clock() - Number(rows[0]?.now);
  if (Math.abs(off) <= mostOffMs) return undefined;
  const hours = Math.abs(off) / 3_600_000;
  const far = hours >= 1 ? `${hours.toFixed(1)} hours` : `${Math.round(hours * 60)} minutes`;
  return `The clock of this machine is ${far} ${off > 0 ? 'ahead of' : 'behind'} that of the hub ${where}`;
}

/** An address with which one more machine of the same person can join. */
export async function inviteMachine(client: HubClient, membership: Membership): Promise<string> {
  const code = newSecret();
  await client.query('SELECT holdfast.new_code($1)', [hashOf(code)]);
  const address = readAddress(membership.url);
  return writeAddress(address, address, code);
}
