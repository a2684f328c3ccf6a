// A memory with groups in a separate folder, and processes that stand in for their agents.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Holdfast, openHoldfast } from '../src/app/open.ts';
import { groupDeps } from '../src/operations/groups/group-deps.ts';
import { globalMemory } from '../src/sessions/groups/group-folders.ts';
import { createGroup, type GroupSessions, openGroup } from '../src/sessions/groups/groups.ts';
import { freshDatabase } from './fresh-database.ts';

export interface Said {
  readonly session: string;
  readonly resumed?: string;
  readonly file: string;
  readonly history?: { sessions: { name: string }[] };
  readonly snapshots: string[];
  readonly append: string;
}

export async function groupStand(env: Record<string, string> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-groups-'));
  const all = {
    ...{ HOME: folder, PATH: process.env.PATH, HOLDFAST_TIME_ZONE: 'UTC', HOLDFAST_ASSISTANT_NAME: 'G2' },
    ...env,
  };
  await freshDatabase(all);
  const holdfast: Holdfast = await openHoldfast(all);
  const running = new Map<string, ChildProcess>();
  /** What happened, in order, to check what must come before what. */
  const events: string[] = [];
  const close = async (group: string) => {
    events.push(`close ${group}`);
    const child = running.get(group);
    if (child === undefined) return;
    running.delete(group);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const deps = groupDeps(holdfast.context, close);
  const lines: Promise<unknown>[] = [];

  return {
    folder,
    holdfast,
    deps,
    events,
    home: holdfast.config.home,
    async group(name: string): Promise<GroupSessions> {
      await createGroup(deps, name);
      return openGroup(deps, name);
    },
    /** As a host does it: snapshot, pointer, process. Everything that the process reports is stored under the epoch it began with. */
    async run(group: GroupSessions, prompt: string, tasks: Record<string, unknown>[] = []): Promise<Said> {
      group.prepare();
      await group.snapshot(tasks);
      const { session, epoch } = await group.pointer();
      const child = spawn(process.execPath, [path.join(import.meta.dirname, 'group-process.mjs')], {
        env: {
          HOME: group.folders.agentHome,
          RESUME: session ?? '',
          PROMPT: prompt,
          SNAPSHOTS: group.folders.snapshots,
          SYSTEM_PROMPT_APPEND: globalMemory(holdfast.config, group.name) ?? '',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.set(group.name, child);
      let errors = '';
      child.stderr.on('data', (text) => (errors += text));
      return new Promise<Said>((resolve, reject) => {
        child.once('exit', () => reject(new Error(errors || 'it ended without a word')));
        createInterface(child.stdout).on('line', (text) => {
          const said = JSON.parse(text) as Said;
          const stored = group.activate(said.session, { epoch }).then((taken) => {
            events.push(`${taken ? 'stored' : 'refused'} ${group.name}`);
            resolve(said);
          });
          lines.push(stored.catch(reject));
        });
      });
    },
    /** Resolves when everything that the processes reported is handled. */
    settled: () => Promise.all(lines),
    async end(): Promise<void> {
      for (const name of [...running.keys()]) await close(name);
      await Promise.all(lines);
      await holdfast.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type GroupStand = Awaited<ReturnType<typeof groupStand>>;
