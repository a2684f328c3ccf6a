// How this page gets in. With a code from `holdfast open` the worker learns this browser's key; later the page signs what the worker asks, and gets a
// bearer that only the page and that worker have, in memory. Nothing here is a cookie, and nothing that is stored opens anything when it is copied.
import { makeKey, ownKey } from './key-store.ts';

const pending = 'holdfast-code';

/** The code waits in this tab, so that a page that is left before it was used does not lose it. */
export function takeCode(): void {
  if (location.pathname !== '/open') return;
  const code = location.hash.slice(1);
  if (code !== '') sessionStorage.setItem(pending, code);
  history.replaceState(null, '', '/');
}

let bearer: Promise<string | undefined> | undefined;

/** Undefined when the worker does not know this browser. Throws when it cannot be reached. */
export function admitted(): Promise<string | undefined> {
  bearer ??= enter().catch((error) => {
    bearer = undefined;
    throw error;
  });
  return bearer;
}

/** After a refusal, for a worker that was restarted: the next call asks for a new one, unless another call has done so. */
export async function expired(refused: string): Promise<void> {
  const asked = bearer;
  if (asked !== undefined && (await asked.catch(() => undefined)) === refused && bearer === asked) bearer = undefined;
}

/** A request that shows the bearer, and comes again once with a new one. Undefined: the worker does not let this browser in. */
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
    if (given !== undefined) return given.bearer;
  }
  const key = await ownKey();
  if (key === undefined) return undefined;
  const { challenge = '' } = (await say('/open/challenge', {})) ?? {};
  const signature = await key.sign(`holdfast browser ${location.port} ${challenge}`);
  return (await say('/open/ticket', { id: key.id, challenge, signature }))?.bearer;
}

/** Undefined after a refusal. Throws when nothing, or something else than the worker, answers: then it can be tried again. */
async function say(path: string, body: object): Promise<{ bearer?: string; challenge?: string } | undefined> {
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
