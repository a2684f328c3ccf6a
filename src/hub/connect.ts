// A connection to the hub, for one machine. Every error says what is wrong and what to do, and never contains the password.
import type { Client, ClientConfig } from 'pg';
import { HoldfastError, systemCode } from '../system/errors.ts';
import type { Membership } from './membership.ts';
import { type Refusal, refusalOf } from './schema/refusals.ts';
import { hubVersion } from './schema/steps.ts';
import { driverConfig, type HubAddress, placeOf, readAddress } from './url.ts';

/** What this folder needs of a connection. PGlite, which tests use, has it too. */
export interface HubClient {
  query<Row = Record<string, unknown>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
  end(): Promise<void>;
}

export interface Patience {
  /** How long to wait for the connection, and for one statement. */
  readonly connectMs: number;
  readonly statementMs: number;
}

export const patient: Patience = { connectMs: 10_000, statementMs: 120_000 };

/** What to do about a hub that does not answer: for a machine that has joined it, and before that. */
const later = 'What is stored here is complete without it, and nothing is lost: the worker tries again.';
const checkAddress = 'Check host and port in the address, and whether the server runs. Nothing was changed.';

/**
 * Node 21 and newer name themselves here. On an older one the driver makes a web response to find out whether it runs at Cloudflare, which loads
 * 10 MB of Node's own modules.
 */
async function driver() {
  if (!('navigator' in globalThis))
    Object.defineProperty(globalThis, 'navigator', {
      value: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` },
      configurable: true,
    });
  return import('pg');
}

export async function connectTo(
  address: HubAddress,
  { connectMs, statementMs }: Patience = patient,
  unreachable = checkAddress,
): Promise<HubClient> {
  const { default: pg } = await driver();
  const config: ClientConfig = {
    ...driverConfig(address),
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    application_name: 'holdfast',
  };
  const client: Client = new pg.Client(config);
  // Without a listener, a connection that breaks while idle would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    // Before version 15 every member may create functions in the schema public: no statement of ours may call one.
    await client.query('SET search_path = pg_catalog');
  } catch (error) {
    // The error that matters is the one of connecting.
    void client.end().catch(() => {});
    throw explainHub(error, address, unreachable);
  }
  return {
    async query<Row>(sql: string, values?: readonly unknown[]) {
      try {
        const { rows, rowCount } = await client.query(sql, values as unknown[]);
        return { rows: rows as Row[], rowCount };
      } catch (error) {
        throw explainHub(error, address);
      }
    },
    // Everything was committed before: a connection that breaks now loses nothing.
    end: () => client.end().catch(() => {}),
  };
}

/** Connects as this person's machine. Refuses a hub that is not the one it joined, or that has another version. */
export async function connectAs(membership: Membership, wait?: Patience): Promise<HubClient> {
  const address = readAddress(membership.url);
  const client = await connectTo(address, wait, later);
  try {
    await checkHub(client, address);
    // JIT compilation would take longer than any of our queries.
    await client.query("SELECT set_config('holdfast.machine', $1, false), set_config('jit', 'off', false)", [
      membership.secret,
    ]);
    const { rows } = await client.query<{ id: string; machine: number | null }>(
      'SELECT h.id, holdfast.machine() AS machine FROM holdfast.hub h',
    );
    if (rows[0]?.id !== membership.hub)
      throw new HoldfastError('CONFLICT', `${placeOf(address)} holds another hub than the one this machine joined`, {
        hint: 'Leave it with `holdfast hub leave`, and join again with a new invitation.',
      });
    if (rows[0]?.machine === null)
      throw new HoldfastError(
        'NO_PERMISSION',
        `The hub ${placeOf(address)} no longer accepts this machine (${membership.machine})`,
        {
          hint: 'It was revoked. What is stored here stays. To join again, ask for an invitation: `holdfast hub invite` on another machine of yours.',
        },
      );
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Refuses a database without a hub, one with another program's schema, and a hub that this version does not know. */
export async function checkHub(client: HubClient, address: HubAddress): Promise<void> {
  const hub = await hubIn(client, address);
  if (hub === undefined)
    throw new HoldfastError('NOT_FOUND', `There is no hub in the database ${placeOf(address)}`, {
      hint: 'Check the address. To make a hub there: `holdfast hub init <postgres-url>` with the address of an administrator. Nothing was changed.',
    });
  if (hub.version > hubVersion)
    throw new HoldfastError(
      'STORE_NEWER',
      `The hub ${placeOf(address)} has a newer version (${hub.version}; this one knows ${hubVersion})`,
      {
        hint: 'Update Holdfast on this machine. Nothing was changed.',
      },
    );
  if (hub.version < hubVersion)
    throw new HoldfastError(
      'CONFLICT',
      `The hub ${placeOf(address)} has an older version (${hub.version}; this one needs ${hubVersion})`,
      {
        hint: 'Ask its administrator to bring it up to date with `holdfast hub init`. Nothing was changed.',
      },
    );
}

export async function hubIn(
  client: HubClient,
  address: HubAddress,
): Promise<{ version: number; id: string } | undefined> {
  const { rows } = await client.query<{ schema: string | null; hub: string | null; usable: boolean | null }>(
    `SELECT to_regnamespace('holdfast')::text AS schema, to_regclass('holdfast.hub')::text AS hub,
       CASE WHEN to_regnamespace('holdfast') IS NULL THEN NULL ELSE has_schema_privilege('holdfast', 'USAGE') END AS usable`,
  );
  if (rows[0]?.schema == null) return undefined;
  if (rows[0].usable === false)
    throw new HoldfastError('NO_PERMISSION', `This role is not a member of the hub ${placeOf(address)}`, {
      hint: 'Ask its administrator for an invitation (`holdfast hub invite NAME`). Nothing was changed.',
    });
  const foreign = () =>
    new HoldfastError('CONFLICT', `The schema "holdfast" in ${placeOf(address)} belongs to another program`, {
      hint: 'Use another database for the hub. Nothing was changed.',
    });
  if (rows[0].hub === null) throw foreign();
  try {
    const found = await client.query<{ program: string; version: number; id: string }>(
      'SELECT program, version, id FROM holdfast.hub',
    );
    const [hub] = found.rows;
    if (hub?.program !== 'holdfast hub' || !Number.isInteger(hub.version)) throw foreign();
    return hub;
  } catch (error) {
    if ((error as { cause?: unknown }).cause === undefined) throw error;
    throw foreign();
  }
}

/** Contract: never throws; no message contains the password. */
export function explainHub(error: unknown, address: HubAddress, unreachable = later): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const where = placeOf(address);
  const code = systemCode(error) ?? '';
  const message = error instanceof Error ? error.message : String(error);
  const because = (kind: ConstructorParameters<typeof HoldfastError>[0], text: string, hint: string) =>
    new HoldfastError(kind, text, { hint, cause: error });
  // Two machines took the name at the same moment: the index refused the second, not the function.
  const isNameTaken = (error as { constraint?: unknown } | null)?.constraint === 'machines_by_name';
  const refusal = isNameTaken ? 'machineExists' : refusalOf(code, message);
  if (refusal !== undefined) return refused(refusal, where, error);
  if (code === '28P01' || code === '28000')
    return because(
      'NO_PERMISSION',
      `The hub ${where} refuses the user ${address.user}`,
      'Check user and password in the address, or ask for a new invitation. Nothing was changed.',
    );
  if (code === '3D000')
    return because('NOT_FOUND', `There is no database ${where}`, 'Check the address. Nothing was changed.');
  if (code === '42501')
    return because(
      'NO_PERMISSION',
      `The hub ${where} does not allow this to ${address.user}`,
      'This needs an administrator, or a new invitation.',
    );
  if (/does not support SSL/i.test(message))
    return because(
      'UNREACHABLE',
      `The hub ${where} offers no TLS`,
      'TLS is required except on this machine: set `ssl = on` in its postgresql.conf.',
    );
  if (/certificate|self[- ]signed|altnames/i.test(message) || code.startsWith('ERR_TLS') || code.startsWith('CERT_'))
    return because(
      'UNREACHABLE',
      `The certificate of the hub ${where} is not trusted: ${message}`,
      'Name the file of its authority with ?sslrootcert=/path/to/ca.pem in the address.',
    );
  if (code === '53100' || code === '53400' || code === '54000')
    return because('DISK_FULL', `The hub ${where} has no space left`, `Its administrator must make room. ${later}`);
  if (code === '25006')
    return because(
      'UNREACHABLE',
      `The hub ${where} accepts no changes at the moment`,
      `It is read-only, as a replica is, or a server whose disk is full: ask its administrator. ${later}`,
    );
  if (code === '40P01' || code === '40001' || code === '55P03')
    return because('STORE_BUSY', `The hub ${where} is busy`, later);
  if (code === '57014' || /timeout/i.test(message))
    return because('UNREACHABLE', `The hub ${where} did not answer in time`, unreachable);
  if (
    [
      'ECONNREFUSED',
      'ENOTFOUND',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ETIMEDOUT',
      'ECONNRESET',
      'EAI_AGAIN',
      'ENOENT',
      'EPIPE',
    ].includes(code)
  )
    return because('UNREACHABLE', `The hub ${where} cannot be reached (${code})`, unreachable);
  if (/^(57P|08|53)/.test(code) || /Connection terminated|not queryable|ended unexpectedly/i.test(message))
    return because('UNREACHABLE', `The hub ${where} broke off the connection`, later);
  return because(
    'INTERNAL',
    `The hub ${where}: ${message}${code === '' ? '' : ` (${code})`}`,
    'This is a bug in Holdfast. Please report it with `holdfast logs`.',
  );
}

function refused(refusal: Refusal, where: string, cause: unknown): HoldfastError {
  if (refusal === 'unknownCode')
    return new HoldfastError(
      'NO_PERMISSION',
      `The invitation to the hub ${where} was used already, or is not for this person`,
      {
        hint: 'Each invitation lets one machine join. Ask for another: `holdfast hub invite`. Nothing was changed.',
        cause,
      },
    );
  if (refusal === 'machineExists')
    return new HoldfastError('CONFLICT', `Another machine of yours has this name in the hub ${where}`, {
      hint: 'Choose another with --machine, or revoke the old one with `holdfast hub revoke --machine NAME`. Nothing was changed.',
      cause,
    });
  if (refusal === 'pushBetween')
    return new HoldfastError('STORE_BUSY', `Another process of this machine is pushing to the hub ${where}`, {
      hint: 'Try again in a moment; nothing is lost.',
      cause,
    });
  return new HoldfastError('NO_PERMISSION', `The hub ${where} does not accept this machine`, {
    hint: 'It was revoked, or never joined. What is stored here stays.',
    cause,
  });
}
