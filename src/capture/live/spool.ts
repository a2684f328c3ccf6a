// ① Notes that hooks leave in the data folder. A shell appends lines `{"given": hash, "payload": …}` to `spool/<agent>.<anything>.note`;
// `<agent>.<anything>.json` holds one payload, as older hooks wrote it. The spool takes in each file, then removes it.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { asObject, asString } from '../../agents/json.ts';
import { BriefingSource } from '../../schema/briefing.ts';
import { briefingFolder } from '../../system/briefing-folder.ts';
import { systemCode } from '../../system/errors.ts';
import { type LiveDeps, receiveHook } from './hook.ts';
import { liveLimits } from './live-limits.ts';

export interface Spool {
  /** Takes in all waiting files, oldest first. Contract: never throws. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const maxBytes = 8 << 20;
/** After this long, a half-written file counts as abandoned. */
const abandonedMs = 60 * 60_000;

/** Takes in what is waiting, then watches for new files. */
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
      if (name === null || /\.(?:json|note)$/.test(name)) void drain();
    });
    watcher.on('error', complain);
  } catch (error) {
    // Without a watch, polling finds the files.
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
    const abandoned = deps.clock() - at > abandonedMs;
    const text = size <= maxBytes && /\.(?:json|note)$/.test(name) ? read(file) : '';
    // A shell may still be writing.
    const half = name.endsWith('.note') ? !text.endsWith('\n') && size <= maxBytes : !name.endsWith('.json');
    if (half && !abandoned) continue;
    for (const { payload, given } of notesIn(name, text))
      await receive({ ...deps, clock: () => Math.trunc(at), onPrompt: undefined }, agent, payload, given);
    fs.rmSync(file, { force: true });
  }
}

interface Note {
  readonly payload: unknown;
  /** The hash of the briefing that the hook printed. */
  readonly given?: string | undefined;
}

function notesIn(name: string, text: string): Note[] {
  if (!name.endsWith('.note')) return [{ payload: parse(text) }];
  return text.split('\n').flatMap((line) => {
    const { payload, given, event } = asObject(parse(line));
    if (payload === undefined) return [];
    // Not every agent names the event in the payload; the hook knows which event it was called for.
    return [
      {
        payload: { ...(event === undefined ? {} : { hook_event_name: event }), ...asObject(payload) },
        given: asString(given),
      },
    ];
  });
}

/** Drops an invalid payload, which will never become valid. Any other failure may pass: then this throws, and the file stays. */
async function receive(deps: LiveDeps, agent: Agent | undefined, payload: unknown, given = ''): Promise<void> {
  const event = agent?.readHook?.(payload);
  if (agent === undefined || event === undefined) return;
  await receiveHook(deps, agent, payload);
  const told = given === '' ? undefined : briefingFolder(deps.config.home).text(given);
  if (told === undefined || event.kind !== 'start' || liveLimits(deps).isIgnored(event.cwd)) return;
  const { session } = event;
  // A reason that only newer clients use counts as `startup`.
  const source = BriefingSource.safeParse(event.reason).data ?? 'startup';
  await deps.store.briefings.save({ ...told, agent: agent.name, session, source, at: deps.clock() });
  deps.events.publish({ kind: 'briefing', agent: agent.name, session });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    // Another process has already taken it in.
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
