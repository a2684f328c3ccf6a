// What a hub's administrator does: create it, update it, invite a person, revoke a person, forget a session for everyone.
import { createHash, randomBytes } from 'node:crypto';
import { HoldfastError } from '../system/errors.ts';
import { type HubClient, hubIn } from './connect.ts';
import { hubFunctions, hubSteps, hubVersion } from './schema/steps.ts';
import { type HubAddress, placeOf, writeAddress } from './url.ts';

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
export const newSecret = (): string => randomBytes(24).toString('base64url');

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A person's name becomes part of a role's name, so PostgreSQL must accept it without quotes. */
export function checkName(name: string, what: 'person' | 'machine'): string {
  const allowed = what === 'person' ? /^[a-z][a-z0-9_]{0,31}$/ : /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
  if (allowed.test(name)) return name;
  throw new HoldfastError('BAD_INPUT', `${JSON.stringify(name)} cannot be the name of a ${what}`, {
    hint:
      what === 'person'
        ? 'Up to 32 of a-z, 0-9 and _, beginning with a letter.'
        : 'Up to 63 letters, digits, dots, _ and -, beginning with a letter or digit.',
  });
}

export interface MadeHub {
  readonly made: boolean;
  /** The version that the hub had before, if this call brought it up to date. */
  readonly upgradedFrom?: number;
  readonly version: number;
  readonly vectors: boolean;
}

/** Creates the hub, or brings it up to date. Contract: one transaction; run twice, it changes nothing. */
export async function initHub(client: HubClient, address: HubAddress): Promise<MadeHub> {
  await needRights(client, address);
  return inTransaction(client, async () => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('holdfast hub'))");
    const before = await hubIn(client, address);
    if (before !== undefined && before.version > hubVersion)
      throw new HoldfastError('STORE_NEWER', `The hub ${placeOf(address)} has a newer version (${before.version})`, {
        hint: 'Update Holdfast on this machine. Nothing was changed.',
      });
    if (before === undefined) await makeHub(client, address);
    else if (before.version < hubVersion) await upgradeHub(client, before.version);
    const { rows } = await client.query<{ vector_schema: string | null }>('SELECT vector_schema FROM holdfast.hub');
    return {
      made: before === undefined,
      ...(before === undefined || before.version === hubVersion ? {} : { upgradedFrom: before.version }),
      version: hubVersion,
      vectors: rows[0]?.vector_schema != null,
    };
  });
}

async function makeHub(client: HubClient, address: HubAddress): Promise<void> {
  const members = `holdfast_members_${address.database}`.slice(0, 63);
  const vectors = await vectorSchema(client);
  const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [members]);
  if (rows.length === 0) await client.query(`CREATE ROLE ${quoted(members)} NOLOGIN`);
  await runSteps(client, 0, members, vectors);
  await client.query('INSERT INTO holdfast.hub (version, members, vector_schema) VALUES ($1, $2, $3)', [
    hubVersion,
    members,
    vectors ?? null,
  ]);
}

/** Runs as the role that made the hub: its functions must be allowed to use the new tables. */
async function upgradeHub(client: HubClient, from: number): Promise<void> {
  const { rows } = await client.query<{ owner: string; members: string; vectors: string | null }>(
    `SELECT pg_get_userbyid(n.nspowner) AS owner, h.members, h.vector_schema AS vectors
     FROM holdfast.hub h, pg_namespace n WHERE n.nspname = 'holdfast'`,
  );
  const { owner = '', members = '', vectors = null } = rows[0] ?? {};
  await client.query(`SET LOCAL ROLE ${quoted(owner)}`);
  await runSteps(client, from, members, vectors ?? undefined);
  await client.query('UPDATE holdfast.hub SET version = $1', [hubVersion]);
}

async function runSteps(client: HubClient, from: number, members: string, vectors: string | undefined): Promise<void> {
  const schema = vectors === undefined ? undefined : quoted(vectors);
  for (const { version, sql } of hubSteps(schema)) if (version > from) await client.query(sql);
  await client.query(hubFunctions(quoted(members), schema));
}

async function needRights(client: HubClient, address: HubAddress): Promise<void> {
  const { rows } = await client.query<{ may: boolean; version: number }>(
    `SELECT (r.rolsuper OR r.rolcreaterole) AND has_database_privilege(current_database(), 'CREATE') AS may,
       current_setting('server_version_num')::int AS version FROM pg_roles r WHERE r.rolname = current_user`,
  );
  if ((rows[0]?.version ?? 0) < 140_000)
    throw new HoldfastError('CONFLICT', `The hub needs PostgreSQL 14 or newer; ${placeOf(address)} is older`, {
      hint: 'Use a newer server. Nothing was changed.',
    });
  if (rows[0]?.may !== true)
    throw new HoldfastError(
      'NO_PERMISSION',
      `The user ${address.user} is not allowed to create roles in ${placeOf(address)}`,
      {
        hint: 'Use the address of an administrator: a superuser, or the owner of the database with CREATEROLE. Nothing was changed.',
      },
    );
}

/** The schema of pgvector. Installs it if the server has it and allows that. */
async function vectorSchema(client: HubClient): Promise<string | undefined> {
  const { rows } = await client.query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  if (rows.length === 0) return undefined;
  await client.query('SAVEPOINT vector');
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS vector SCHEMA public');
    const found = await client.query<{ schema: string }>(
      // From 0.8 on, a search with a filter can continue in the index until it has enough.
      `SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
       WHERE e.extname = 'vector' AND (string_to_array(e.extversion, '.'))[1:2]::int[] >= ARRAY[0, 8]`,
    );
    return found.rows[0]?.schema;
  } catch {
    // The server has pgvector but does not let us install it: the hub works without.
    await client.query('ROLLBACK TO SAVEPOINT vector');
    return undefined;
  }
}

export interface Invitation {
  readonly person: string;
  readonly url: string;
  /** False: a further machine of a known person. */
  readonly isNew: boolean;
}

/**
 * Gives a person their own role. A revoked person, or one without a machine, whose invitation may be lost, gets a new password under the same
 * name; earlier invitations end.
 */
export async function invitePerson(client: HubClient, address: HubAddress, name: string): Promise<Invitation> {
  checkName(name, 'person');
  const role = `holdfast_${name}`;
  const [password, code] = [newSecret(), newSecret()];
  await inTransaction(client, async () => {
    const known = await client.query<{ joined: boolean }>(
      `SELECT p.revoked_at IS NULL AND EXISTS (
         SELECT 1 FROM holdfast.machines m WHERE m.person = p.id AND m.left_at IS NULL) AS joined
       FROM holdfast.people p WHERE p.name = $1 FOR UPDATE`,
      [name],
    );
    const [person] = known.rows;
    if (person?.joined)
      throw new HoldfastError('CONFLICT', `${name} is a member of the hub ${placeOf(address)} already`, {
        hint: 'For a further machine, run `holdfast hub invite` on one that has joined. Nothing was changed.',
      });
    const { rows } = await client.query<{ members: string; exists: boolean; is_member: boolean }>(
      `SELECT h.members, to_regrole($1) IS NOT NULL AS exists, EXISTS (
         SELECT 1 FROM pg_auth_members a WHERE a.member = to_regrole($1) AND a.roleid = to_regrole(quote_ident(h.members))) AS is_member
       FROM holdfast.hub h`,
      [role],
    );
    const { members = '', exists = false, is_member: isMember = false } = rows[0] ?? {};
    // A hub that was restored from a backup does not know the people who joined since; their roles are members of it.
    if (exists && person === undefined && !isMember)
      throw new HoldfastError('CONFLICT', `The server already has a role ${role} that does not belong to this hub`, {
        hint: 'Choose another name. Nothing was changed.',
      });
    // An administrator who is no superuser may give a role no other attributes, not even those that it has.
    await client.query(`${exists ? 'ALTER' : 'CREATE'} ROLE ${quoted(role)} LOGIN PASSWORD ${literal(password)}`);
    if (!isMember) await client.query(`GRANT ${quoted(members)} TO ${quoted(role)}`);
    await client.query(`GRANT CONNECT ON DATABASE ${quoted(address.database)} TO ${quoted(role)}`);
    const made = await client.query<{ id: number }>(
      person === undefined
        ? 'INSERT INTO holdfast.people (name, role) VALUES ($1, $2) RETURNING id'
        : 'UPDATE holdfast.people SET revoked_at = NULL WHERE name = $1 AND role = $2 RETURNING id',
      [name, role],
    );
    await client.query('DELETE FROM holdfast.codes WHERE person = $1 AND used_at IS NULL', [made.rows[0]?.id]);
    await client.query('INSERT INTO holdfast.codes (hash, person) VALUES ($1, $2)', [hashOf(code), made.rows[0]?.id]);
  });
  return { person: name, url: writeAddress(address, { user: role, password }, code), isNew: true };
}

export interface HubSession {
  readonly person: string;
  readonly personId: number;
  readonly agent: string;
  readonly session: string;
  readonly print: string;
  readonly title: string;
}

/** The one session in the hub whose id begins with the text, of this person if one is given. */
export async function sessionInHub(client: HubClient, id: string, of?: string): Promise<HubSession> {
  const { rows } = await client.query<HubSession>(
    `SELECT DISTINCT ON (p.id, s.print) p.name AS person, p.id AS "personId", t.agent, s.session, s.print, s.title
     FROM holdfast.sessions s JOIN holdfast.transcripts t ON t.id = s.transcript JOIN holdfast.shares x ON x.id = s.share
     JOIN holdfast.people p ON p.id = x.person WHERE starts_with(s.session, $1) AND ($2::text IS NULL OR p.name = $2) ORDER BY p.id, s.print, s.seq DESC LIMIT 10`,
    [id, of ?? null],
  );
  const exact = rows.filter(({ session }) => session === id);
  const found = exact.length > 0 ? exact : rows;
  const [only] = found;
  if (only === undefined)
    throw new HoldfastError('NOT_FOUND', `No session in the hub begins with ${JSON.stringify(id)}`, {
      hint: 'Find it with `holdfast search <words> --scope team`. Nothing was changed.',
    });
  if (found.length > 1)
    throw new HoldfastError('AMBIGUOUS', `${found.length} sessions in the hub begin with ${JSON.stringify(id)}`, {
      hint: `Give more of the id${exact.length > 1 ? ', or the person' : ''}:\n  ${found.map(({ session, person, title }) => `${session} ${person}: ${title}`).join('\n  ')}`,
    });
  return only;
}

/** Works as if its owner had forgotten it: permanently, from the hub at once and from every machine at its next contact. */
export async function forgetForAll(client: HubClient, { personId, print }: HubSession): Promise<void> {
  await client.query('SELECT holdfast.forget_for_all($1, $2)', [personId, print]);
}

/** The role can no longer log in, the hub no longer knows its machines, and open connections end. What was shared stays. */
export async function revokePerson(
  client: HubClient,
  address: HubAddress,
  name: string,
): Promise<{ machines: number }> {
  const { role, machines } = await inTransaction(client, async () => {
    const { rows } = await client.query<{ id: number; role: string }>(
      'UPDATE holdfast.people SET revoked_at = now() WHERE name = $1 AND revoked_at IS NULL RETURNING id, role',
      [name],
    );
    const [person] = rows;
    if (person === undefined)
      throw new HoldfastError('NOT_FOUND', `${name} is not a member of the hub ${placeOf(address)}`, {
        hint: 'List members with `holdfast hub status`. Nothing was changed.',
      });
    const { rowCount } = await client.query(
      'UPDATE holdfast.machines SET left_at = now() WHERE person = $1 AND left_at IS NULL',
      [person.id],
    );
    await client.query('DELETE FROM holdfast.codes WHERE person = $1', [person.id]);
    await client.query(`ALTER ROLE ${quoted(person.role)} NOLOGIN PASSWORD NULL`);
    return { role: person.role, machines: rowCount ?? 0 };
  });
  // Not every administrator may end other roles' connections. One that stays open can read and write nothing: the hub no longer knows its machine.
  await client
    .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
    .catch(() => {});
  return { machines };
}

async function inTransaction<T>(client: HubClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A lost connection rolls back by itself. The first error is the cause.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
