// The address of a hub. It contains a password, so messages name only the host and the database.
import fs from 'node:fs';
import type { ClientConfig } from 'pg';
import { explain, HoldfastError } from '../system/errors.ts';

export interface HubAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** `verify`: the certificate must be valid for the host. `encrypt`: any certificate (`sslmode=require`). */
  readonly tls: 'verify' | 'encrypt' | 'none';
  /** A file of certificates to trust (`sslrootcert`). */
  readonly trust: string | undefined;
  /** The code with which one machine can join, once: the part behind `#`. */
  readonly code: string | undefined;
}

const example = 'postgres://holdfast_anna:password@hub.example.com/holdfast';
const bad = (
  what: string,
  hint = `An address looks like ${example}. In a password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25.`,
): HoldfastError => new HoldfastError('BAD_INPUT', what, { hint });

export function readAddress(text: string): HubAddress {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw bad('The address of the hub is not a URL');
  }
  if (!/^postgres(ql)?:$/.test(url.protocol))
    throw bad(`The address of the hub begins with ${url.protocol}//, not with postgres://`);
  const query = url.searchParams;
  const host = query.get('host') ?? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const database = decoded(url.pathname.replace(/^\//, ''));
  if (host === '') throw bad('The address of the hub names no host');
  if (database === '') throw bad(`The address of the hub at ${host} names no database`);
  if (url.username === '') throw bad(`The address of the hub at ${host} names no user`);
  const mode = query.get('sslmode') ?? undefined;
  const known = ['disable', 'require', 'verify-ca', 'verify-full'];
  if (mode !== undefined && !known.includes(mode))
    throw bad(`sslmode=${mode} is not allowed in the address of the hub at ${host}`, `Allowed: ${known.join(', ')}.`);
  if (mode === 'disable' && !isLoopback(host))
    throw bad(
      `The hub at ${host} is another machine: without TLS everything could be read on the way`,
      'Leave out sslmode=disable. TLS is required except on this machine.',
    );
  const plain = isLoopback(host) && (mode === undefined || mode === 'disable');
  return {
    host,
    port: portIn(query.get('port') ?? (url.port || '5432'), host),
    database,
    user: decoded(url.username),
    password: decoded(url.password),
    tls: plain ? 'none' : mode === 'require' ? 'encrypt' : 'verify',
    trust: query.get('sslrootcert') ?? undefined,
    code: url.hash === '' ? undefined : decoded(url.hash.slice(1)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('The address of the hub holds a % that encodes nothing', 'Write %25 for a percent sign in a password.');
  }
}

function portIn(text: string, host: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw bad(`The address of the hub at ${host} names no port from 1 to 65535`);
}

/** A path is a Unix socket, which is local. */
export const isLoopback = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** The same hub's address for another role. */
export function writeAddress(
  address: HubAddress,
  role: { readonly user: string; readonly password: string },
  code?: string,
): string {
  const socket = address.host.startsWith('/');
  const host = socket ? 'localhost' : address.host.includes(':') ? `[${address.host}]` : address.host;
  const url = new URL(`postgres://${host}:${address.port}/${encodeURIComponent(address.database)}`);
  url.username = encodeURIComponent(role.user);
  url.password = encodeURIComponent(role.password);
  if (socket) url.searchParams.set('host', address.host);
  if (socket) url.searchParams.set('port', String(address.port));
  if (address.tls === 'encrypt') url.searchParams.set('sslmode', 'require');
  if (address.tls === 'verify' && isLoopback(address.host)) url.searchParams.set('sslmode', 'verify-full');
  if (address.trust !== undefined) url.searchParams.set('sslrootcert', address.trust);
  if (code !== undefined) url.hash = code;
  return url.href;
}

/** For messages. */
export const placeOf = ({ host, port, database }: HubAddress): string => `${database} on ${host}:${port}`;

export function driverConfig(address: HubAddress): ClientConfig {
  const { host, port, database, user, password, tls, trust } = address;
  return { host, port, database, user, password, ssl: tls === 'none' ? false : tlsOptions(tls, trust) };
}

function tlsOptions(tls: 'verify' | 'encrypt', trust: string | undefined) {
  try {
    const ca = trust === undefined ? {} : { ca: fs.readFileSync(trust, 'utf8') };
    return { rejectUnauthorized: tls === 'verify', ...ca };
  } catch (error) {
    throw explain(error, `The file of certificates ${trust}`);
  }
}
