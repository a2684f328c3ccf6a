// Who may talk to the worker. Checks in this order: the Host name, the origin of the calling page, the token.
import type { IncomingMessage } from 'node:http';
import type { Browsers } from '../../processes/access/browsers.ts';
import { type Access, accessOf, type Born, type Tokens } from '../../processes/access/tokens.ts';
import { HoldfastError } from '../../system/errors.ts';

export interface Door {
  readonly tokens: Tokens;
  readonly port: number;
  readonly browsers: Browsers;
  readonly groupNamed: (name: string) => Promise<Born | undefined>;
}

/** What a caller may do, and whether that still holds: a stream may outlast the access to it. */
export interface Admission {
  readonly access: Access;
  readonly still: () => boolean;
}

/** Refuses what a foreign web page could send through the person's browser, whatever token it carries. */
export function refuseForeign(request: IncomingMessage, port: number): void {
  // A name that was made to resolve to this machine (DNS rebinding) is not ours.
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
  // Browsers send no Origin with an image or a script, but they send this header.
  const isForeign = valuesOf(request, 'sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none');
  if (isForeign && !isLedToTheDoor(request))
    throw new HoldfastError('NO_PERMISSION', 'Refused: the call comes from a foreign web page');
}

/**
 * `holdfast open` gives the browser a file that redirects here, and a browser calls this cross-site. The page at this
 * address holds no data, and does nothing without a code.
 */
function isLedToTheDoor(request: IncomingMessage): boolean {
  const says = (name: string, value: string) => valuesOf(request, name).join() === value;
  return (
    request.method === 'GET' &&
    /^\/open(?:\?[\w-]{22})?$/.test(request.url ?? '') &&
    says('sec-fetch-mode', 'navigate') &&
    says('sec-fetch-dest', 'document')
  );
}

/**
 * What the caller may do, according to the token in the Authorization header. Cookies do not count: a browser sends
 * them to every port of this machine.
 */
export async function identify(request: IncomingMessage, { tokens, browsers, groupNamed }: Door): Promise<Admission> {
  const given = valuesOf(request, 'authorization');
  const presented =
    given.length === 1
      ? /^Bearer ([0-9a-f]{1,128}|g\.[a-z0-9_-]{1,63}\.[0-9a-f]{64}|b\.[0-9a-f]{16}\.[0-9a-f]{64})$/i.exec(
          given[0] as string,
        )?.[1]
      : undefined;
  const browser = presented?.startsWith('b.') ? browsers.holderOf(presented) : undefined;
  if (browser !== undefined) return { access: 'full', still: () => browsers.admits(browser) };
  const access = presented === undefined ? undefined : await accessOf(tokens, presented, groupNamed);
  if (access !== undefined) return { access, still: () => true };
  throw new HoldfastError('NO_TOKEN', given.length === 0 ? 'The token is missing' : 'The token is wrong', {
    hint: 'Send the header Authorization: Bearer … with the content of the file `token` in the data folder; in a browser: holdfast open.',
  });
}

/** All values of a header as they were sent: Node drops all but the first of some headers, and joins others. */
function valuesOf(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
