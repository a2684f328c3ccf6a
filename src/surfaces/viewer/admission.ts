// How this page gets access. A code from `holdfast open` introduces this browser's key to the worker. Later the page signs the worker's
// challenge and gets a bearer token, which only the page and that worker hold, in memory. There are no cookies, and a copy of anything
// that is stored gives no access.
import { signal } from '@preact/signals';
import type { Clock } from '../../schema/clock.ts';
import { makeKey, ownKey } from './key-store.ts';
import { setClock } from './time.ts';

/** Whether the worker's machine has joined a hub, and so has a team to search. */
export const hasTeam = signal(false);

const pending = 'holdfast-code';

/** Keeps the code in this tab, so that leaving the page before the code is used does not lose it. */
export function takeCode(): void {
  if (location.pathname !== '/open') return;
  const code = location.hash.slice(1);
  if (code !== '') sessionStorage.setItem(pending, code);
  history.replaceState(null, '', '/');
}

let bearer: Promise<string | undefined> | undefined;

/** Undefined if the worker does not know this browser. Throws if the worker cannot be reached. */
export function admitted(): Promise<string | undefined> {
  bearer ??= enter().catch((error) => {
    bearer = undefined;
    throw error;
  });
  return bearer;
}

/** Call after a refusal, such as by a restarted worker: the next call asks for a new bearer, unless another call already has. */
export async function expired(refused: string): Promise<void> {
  const asked = bearer;
  // If asking for the bearer failed, it was not the one refused.
  if (asked !== undefined && (await asked.catch(() => undefined)) === refused && bearer === asked) bearer = undefined;
}

/** Sends a request with the bearer, and retries once with a new bearer. Undefined if the worker does not let this browser in. */
export async function asked(path: string, init: RequestInit = {}): Promise<Response | undefined> {
  for (let round = 0; round < 2; round++) {
    const shown = await admitted();
    if (shown === undefined) return undefined;
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${shown}` };
    const response = await fetch(path, { ...init, headers });
    if (response.status !== 401) return response;
    await expired(shown);
  }
  return undefined;
}

async function enter(): Promise<string | undefined> {
  const code = sessionStorage.getItem(pending);
  if (code !== null) {
    const key = (await ownKey()) ?? (await makeKey());
    const given = await say('/open/browser', { code, key: key.publicKey });
    sessionStorage.removeItem(pending);
    if (given !== undefined) return taken(given);
  }
  // Asked for while the browser fetches the key: both take a while.
  const [key, { challenge = '' } = {}] = await Promise.all([ownKey(), say('/open/challenge', {})]);
  if (key === undefined) return undefined;
  const signature = await key.sign(`holdfast browser ${location.port} ${challenge}`);
  return taken(await say('/open/ticket', { id: key.id, challenge, signature }));
}

interface Said {
  readonly bearer?: string;
  readonly challenge?: string;
  readonly clock?: Clock;
  readonly team?: boolean;
}

/** The rest comes with the bearer, so that no page needs a request for it. */
function taken({ bearer, clock, team = false }: Said = {}): string | undefined {
  if (clock !== undefined) setClock(clock);
  hasTeam.value = team;
  return bearer;
}

/** Undefined after a refusal. Throws if the worker does not answer, or another program does; the caller can then try again. */
async function say(path: string, body: object): Promise<Said | undefined> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: true,
  });
  if (response.ok) return response.json();
  if (response.status === 400 || response.status === 401) return undefined;
  throw new Error(`The worker answered with ${response.status}`);
}
