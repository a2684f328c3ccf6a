// The worker's HTTP API as an editor needs it: quick, silent, and never in the way.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Route = 'init' | 'observations' | 'summarize' | 'complete';

export interface Worker {
  /** The briefing of the project that the folder belongs to; empty when there is none, or no worker. Never rejects. */
  briefing(folder: string): Promise<string>;
  /** Sends in the order of the calls, in the background. Never throws. */
  tell(route: Route, body: Readonly<Record<string, unknown>>): void;
  /** Resolves when all has been sent, or cannot be. Never rejects. */
  flush(): Promise<void>;
}

/** Nothing waits longer for the worker than this. */
const limitMs = 2000;
/** What is kept while there is no worker. Beyond it, the oldest goes. */
const maxWaiting = 500;

type Environment = Readonly<Record<string, string | undefined>>;

export function openWorker(environment: Environment): Worker {
  const home = environment.HOLDFAST_HOME || join(environment.HOME || homedir(), '.holdfast');
  const waiting: { route: Route; body: string }[] = [];
  let sending: Promise<void> | undefined;

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    // Read anew for each call: the worker may have been installed, or its port changed, after the editor started.
    const [port, token] = await Promise.all([portOf(home, environment), readFile(join(home, 'token'), 'utf8')]);
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' };
    return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, signal: AbortSignal.timeout(limitMs) });
  }

  async function send(): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const { route, body } = next;
      try {
        const response = await call(`/api/sessions/${route}`, { method: 'POST', body });
        await response.body?.cancel();
      } catch (error) {
        // Nobody was there to hear it: it waits for the next occasion. Whatever was perhaps heard is not said twice.
        if (neverArrived(error)) return;
      }
      if (waiting[0] === next) waiting.shift();
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
        const response = await call(`/api/context/inject?project=${encodeURIComponent(folder)}`);
        return response.ok ? (await response.text()).trim() : '';
      } catch {
        // No worker, no briefing: an editor works without one.
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

async function portOf(home: string, environment: Environment): Promise<number> {
  if (environment.HOLDFAST_PORT) return Number(environment.HOLDFAST_PORT);
  try {
    return JSON.parse(await readFile(join(home, 'config.json'), 'utf8')).port ?? 37777;
  } catch {
    // No settings, or none that can be read: the default holds.
    return 37777;
  }
}

/** No token means that no worker has ever run; a refused connection, that none runs now. */
function neverArrived(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return code === 'ENOENT' || cause?.code === 'ECONNREFUSED';
}
