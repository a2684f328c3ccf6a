// Who may speak with the worker. In this order: the name it was called by, where the page came from that calls, the token.
import type { IncomingMessage } from 'node:http';
import { HoldfastError } from '../errors.ts';
import { opensByCookie } from './entrance.ts';
import { type Access, accessOf, type Born, type Tokens } from './tokens.ts';

export interface Door {
  readonly tokens: Tokens;
  readonly port: number;
  readonly clock: () => number;
  readonly groupNamed: (name: string) => Promise<Born | undefined>;
}

/** Refuses what a foreign web page could send through the person's browser, whatever token it carries. */
export function refuseForeign(request: IncomingMessage, port: number): void {
  // A name that was made to lead to this machine (DNS rebinding) is not one of ours.
  const hosts = valuesOf(request, 'host');
  const ownHosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (hosts.length !== 1 || !ownHosts.includes((hosts[0] as string).toLowerCase()))
    throw new HoldfastError('NO_PERMISSION', 'Refused: this Host is not the worker', {
      hint: `Call it by its address: http://127.0.0.1:${port}`,
    });
  const origins = valuesOf(request, 'origin');
  const ownOrigins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  if (origins.some((origin) => !ownOrigins.includes(origin)))
    throw new HoldfastError('NO_PERMISSION', 'Refused: the call comes from a foreign web page');
  // Browsers send no Origin with an image or a script, but they say this.
  if (valuesOf(request, 'sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none'))
    throw new HoldfastError('NO_PERMISSION', 'Refused: the call comes from a foreign web page');
}

/** What the caller may do: by the token in the Authorization header, or by the cookie of a browser that a code has let in. */
export async function identify(request: IncomingMessage, { tokens, port, clock, groupNamed }: Door): Promise<Access> {
  const given = valuesOf(request, 'authorization');
  const presented =
    given.length === 1
      ? /^Bearer ([0-9a-f]{1,128}|g\.[a-z0-9_-]{1,63}\.[0-9a-f]{64})$/i.exec(given[0] as string)?.[1]
      : undefined;
  const access = presented === undefined ? undefined : await accessOf(tokens, presented, groupNamed);
  if (access !== undefined) return access;
  const cookies = valuesOf(request, 'cookie').join(';');
  if (given.length === 0 && opensByCookie(cookies, tokens.full, port, clock())) {
    refuseUnsigned(request);
    return 'full';
  }
  throw new HoldfastError('NO_TOKEN', given.length === 0 ? 'The token is missing' : 'The token is wrong', {
    hint: 'Send the header Authorization: Bearer … with what the file `token` in the data folder holds; in a browser: holdfast open.',
  });
}

/**
 * A browser sends a cookie whoever asks it to, pages on other ports of this machine among them. So a cookie counts only with the
 * browser's word that our own page asks; what only reads may also be asked for by the person, in the address line.
 */
function refuseUnsigned(request: IncomingMessage): void {
  const site = valuesOf(request, 'sec-fetch-site');
  const signed =
    valuesOf(request, 'origin').length > 0 ||
    site.includes('same-origin') ||
    (request.method === 'GET' && site.includes('none'));
  if (!signed) throw new HoldfastError('NO_PERMISSION', 'Refused: it cannot be told which page has sent this');
}

/** All values of a header as they were sent: Node shows only the first of some, and joins others. */
function valuesOf(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
