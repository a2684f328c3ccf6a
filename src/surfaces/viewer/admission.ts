// The bearer that each request shows, see door.ts.
import { signal } from '@preact/signals';
import { entered } from './door.ts';
import { setClock } from './time.ts';

/** Whether the worker's machine has joined a hub, and so has a team to search. */
export const hasTeam = signal(false);

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
  const given = await entered();
  if (given !== undefined) setClock(given.clock);
  hasTeam.value = given?.team ?? false;
  return given?.bearer;
}
