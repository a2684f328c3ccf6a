// ① Hooks that could not be delivered, or never are over HTTP, wait as files `<agent>.<anything>.json` in the data folder. Each is
// received like any other hook, then removed.
import fs from 'node:fs';
import path from 'node:path';
import { agentNamed } from '../agents/index.ts';
import { systemCode } from '../errors.ts';
import { type LiveDeps, receiveHook } from './hook.ts';

export interface Spool {
  /** Takes in what is there, oldest first. Contract: never throws. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const maxBytes = 8 << 20;
/** Half a file that nobody will complete. */
const abandonedMs = 60 * 60_000;

/** Takes in what waits, and from then on what comes. */
export async function openSpool(deps: LiveDeps, complain: (error: unknown) => void): Promise<Spool> {
  const folder = path.join(deps.config.home, 'spool');
  let watcher: fs.FSWatcher | undefined;
  let work = Promise.resolve();
  let again = false;

  function drain(): Promise<void> {
    if (!again) {
      again = true;
      work = work.then(async () => {
        again = false;
        await drainOnce(deps, folder).catch(complain);
      });
    }
    return work;
  }

  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    watcher = fs.watch(folder, (_, name) => {
      if (name?.endsWith('.json') !== false) void drain();
    });
    watcher.on('error', complain);
  } catch (error) {
    // Without a watch the poll looks.
    complain(error);
  }
  await drain();
  return {
    drain,
    async close() {
      watcher?.close();
      await work;
    },
  };
}

async function drainOnce(deps: LiveDeps, folder: string): Promise<void> {
  const found = fs.readdirSync(folder).flatMap((name) => {
    const stat = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ name, file: path.join(folder, name), at: stat.mtimeMs, size: stat.size }] : [];
  });
  for (const { name, file, at, size } of found.sort((a, b) => a.at - b.at)) {
    const agent = agentNamed(name.split('.')[0] ?? '');
    if (!name.endsWith('.json')) {
      if (deps.clock() - at > abandonedMs) fs.rmSync(file, { force: true });
      continue;
    }
    const payload = size <= maxBytes ? read(file) : undefined;
    // What is no payload will never be one. Whatever else goes wrong may go better later, so it is left where it is.
    if (agent?.readHook?.(payload) !== undefined)
      await receiveHook({ ...deps, clock: () => Math.trunc(at), onPrompt: undefined }, agent, payload);
    fs.rmSync(file, { force: true });
  }
}

function read(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    // No JSON, so no payload; or somebody else has taken it in meanwhile.
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
