// The worker's HTTP API as an editor needs it: quick, silent, and never in the way.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Route = 'init' | 'observations' | 'summarize' | 'complete';

export interface Worker {
  /** The briefing of the project that the folder belongs to; empty when there is none, or no worker. Never rejects. */
  briefing(folder: string): Promise<string>;
  /** Sends in the order of the calls, in the background. Without a worker, the request waits for the next call. Never throws. */
  tell(route: Route, body: Readonly<Record<string, unknown>>): void;
  /** Resolves when everything has been sent, or cannot be. Never rejects. */
  flush(): Promise<void>;
}

/** No request waits longer than this. */
const limitMs = 2000;
/** How many requests are kept while there is no worker. Beyond that, the oldest is dropped. */
const maxWaiting = 500;

type Environment = Readonly<Record<string, string | undefined>>;
type Call = (path: string, init?: RequestInit) => Promise<Response>;

export function openWorker(environment: Environment): Worker {
  const waiting: { route: Route; body: string }[] = [];
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    if (waiting.length === 0) return;
    const call = await reach(environment);
    if (call === undefined) return;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { route, body } = next;
      try {
        const response = await call(`/api/sessions/${route}`, { method: 'POST', body });
        await response.body?.cancel();
      } catch {
        // The worker may have received it, so it is not sent again. The others wait until the worker is back.
        return;
      }
    }
  }

  const start = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    async briefing(folder) {
      try {
        const call = await reach(environment);
        const response = await call?.(`/api/context/inject?project=${encodeURIComponent(folder)}`);
        return response?.ok ? (await response.text()).trim() : '';
      } catch {
        // An editor works without a briefing, too.
        return '';
      }
    },
    tell(route, body) {
      waiting.push({ route, body: JSON.stringify(body) });
      if (waiting.length > maxWaiting) waiting.shift();
      void start();
    },
    flush: start,
  };
}

/**
 * The connection to the worker, if there is one. The program on the port must prove that it knows the token before it gets the token or
 * anything else. Never rejects.
 */
async function reach(environment: Environment): Promise<Call | undefined> {
  const home = environment.HOLDFAST_HOME || join(environment.HOME || homedir(), '.holdfast');
  try {
    // Read again each time: the worker may have been installed, or its port changed, after the editor started.
    const token = (await readFile(join(home, 'token'), 'utf8')).trim();
    const port = environment.HOLDFAST_PORT || (await portIn(join(home, 'config.json')));
    const at = (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, redirect: 'error', signal: AbortSignal.timeout(limitMs) });
    const nonce = randomBytes(32).toString('hex');
    const health = (await (await at(`/api/health?nonce=${nonce}`)).json()) as { proof?: unknown } | null;
    const proof = createHmac('sha256', token).update(`holdfast ${port} ${nonce}`).digest('hex');
    if (health?.proof !== proof) return undefined;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (path, init) => at(path, { ...init, headers });
  } catch {
    // No token, nothing on the port, or no answer: there is no worker.
    return undefined;
  }
}

async function portIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')).port ?? 37777;
  } catch {
    // No settings, or unreadable ones: use the default.
    return 37777;
  }
}
