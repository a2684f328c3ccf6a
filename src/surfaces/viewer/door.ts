// How this page gets access. A code from `holdfast open` introduces this browser's key to the worker. Later the page signs the worker's
// challenge and gets a bearer token, which only the page and that worker hold, in memory. There are no cookies, and a copy of anything
// that is stored gives no access.
import type { Clock } from '../../schema/clock.ts';
import { makeKey, ownKey } from './key-store.ts';

/** What the worker gives with access. The rest comes with the bearer, so that no page needs a request for it. */
export interface Admission {
  readonly bearer: string;
  readonly clock: Clock;
  /** Whether the worker's machine has joined a hub, and so has a team to search. */
  readonly team: boolean;
}

const pending = 'holdfast-code';

/** Keeps the code in this tab, so that leaving the page before the code is used does not lose it. */
export function takeCode(): void {
  if (location.pathname !== '/open') return;
  const code = location.hash.slice(1);
  if (code !== '') sessionStorage.setItem(pending, code);
  history.replaceState(null, '', '/');
}

let begun: Promise<Admission | undefined> | undefined;

/** For the first script. Resolves when the request is sent: the next scripts may take the main thread while the worker answers. */
export function begin(): Promise<void> {
  return new Promise((resolve) => {
    begun = enter(resolve);
    // The caller that needs access gets the error.
    begun.catch(() => undefined).finally(resolve);
  });
}

/** Undefined if the worker does not know this browser. Throws if the worker does not answer, or another program does. */
export function entered(): Promise<Admission | undefined> {
  const first = begun;
  begun = undefined;
  return first ?? enter();
}

async function enter(asked: () => void = () => {}): Promise<Admission | undefined> {
  const ask = (path: string, body: object, more?: RequestInit) => {
    const answer = say<Admission>(path, body, more);
    asked();
    return answer;
  };
  const code = sessionStorage.getItem(pending);
  if (code !== null) {
    // Never the key that is there: a program that once had this port may have left one that it knows.
    const [before, key] = await Promise.all([ownKey().catch(() => undefined), makeKey(), dropServiceWorkers()]);
    const sent = { code, key: key.publicKey, before: before?.id };
    const given = await ask('/open/browser', sent, { keepalive: true });
    if (given !== undefined) await key.keep();
    sessionStorage.removeItem(pending);
    if (given !== undefined) return given;
  }
  const key = await ownKey();
  if (key === undefined) return undefined;
  const answered = async (challenge: string) => {
    const signature = await key.sign(`holdfast browser ${location.port} ${challenge}`);
    return ask('/open/ticket', { id: key.id, challenge, signature });
  };
  const own = ownChallenge();
  const given = own === undefined ? undefined : await answered(own);
  if (given !== undefined) return given;
  const { challenge = '' } = (await say<{ challenge?: string }>('/open/challenge', {})) ?? {};
  return answered(challenge);
}

/** This viewer has none; a program that once had this port may have left one. */
async function dropServiceWorkers(): Promise<void> {
  const found = (await navigator.serviceWorker?.getRegistrations().catch(() => [])) ?? [];
  await Promise.all(found.map((one) => one.unregister()));
}

/** The challenge that came with the page. It holds for a minute, and saves the first request. */
function ownChallenge(): string | undefined {
  const place = document.querySelector('meta[name=challenge]');
  const challenge = place?.getAttribute('content') || undefined;
  place?.remove();
  return challenge;
}

/** Undefined after a refusal. Throws if the worker does not answer, or another program does; the caller can then try again. */
async function say<T>(path: string, body: object, more: RequestInit = {}): Promise<T | undefined> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  });
  if (response.ok) return response.json();
  if (response.status === 400 || response.status === 401) return undefined;
  throw new Error(`The worker answered with ${response.status}`);
}
