// A store with sessions in it, a distiller that does as it is told, and a clock that the test sets.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Distiller } from '../src/distill/distiller.ts';
import { nothingKnown } from '../src/distill/memory/known.ts';
import { type RunDeps, runJobs } from '../src/distill/run.ts';
import { Settings } from '../src/schema/settings.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import type { NewEntry } from '../src/store/transcripts/port.ts';
import { base, chunk, entry, rules } from './contracts/chunks.ts';

export const minute = 60_000;
export const gapMs = 60 * minute;

/** A prompt, work with a tool, and an answer. */
export const turn = (session: string, n: number): NewEntry[] => {
  const at = base + n * 3 * minute;
  const id = (name: string) => `${session}-${name}${n}`;
  const model = { role: 'assistant', author: 'model', session } as const;
  return [
    entry(id('p'), `Please repair part ${n} of the harbour crane`, { session, at }),
    entry(id('t'), '', {
      ...model,
      at: at + 1000,
      tools: ['Bash'],
      toolUses: [{ id: id('u'), tool: 'Bash', input: `{"command":"repair ${n}"}`, files: [] }],
    }),
    entry(id('a'), `Part ${n} was worn out and is replaced.`, { ...model, at: at + 2000 }),
  ];
};

export interface Bench {
  readonly store: Store;
  readonly location: string;
  readonly deps: RunDeps;
  /** What was given to the memory pages: the conversation, and by which distiller. */
  readonly kept: string[];
  now: number;
  /** Stores a session of this many turns. */
  session(id: string, turns: number): Promise<void>;
  run(more?: Partial<RunDeps>, filter?: Parameters<typeof runJobs>[1]): ReturnType<typeof runJobs>;
  /** Kind, subject and status of every job. */
  jobs(): Promise<string[]>;
}

export async function distillBench(distiller: Distiller, env: Record<string, unknown> = {}): Promise<Bench> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-distill-'));
  const location = path.join(folder, 'holdfast.db');
  const store = await openSqliteStore(location);
  onTestFinished(async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const settings = Settings.parse({ agents: {}, timeZone: 'UTC', ...env });
  const kept: string[] = [];
  const bench: Bench = {
    store,
    location,
    kept,
    now: base + 24 * 60 * minute,
    deps: {
      store,
      settings,
      clock: () => bench.now,
      distiller,
      known: async () => nothingKnown,
      async keep({ session, id }, _, by) {
        kept.push(`${session} ${id} ${by}`);
      },
    },
    async session(id, turns) {
      const entries = Array.from({ length: turns }, (_, i) => turn(id, i)).flat();
      const results = entries.flatMap(({ toolUses }) =>
        toolUses.map((use) => ({ id: use.id, pos: 10_000, outcome: 'ok' as const, output: 'repaired' })),
      );
      await store.transcripts.commit([chunk(entries, { key: `p/${id}.jsonl`, results })], rules);
      await store.conversations.markReady(bench.now, { gapMs, minEntries: 5 });
    },
    run: (more = {}, filter = {}) => runJobs({ ...bench.deps, ...more }, filter),
    jobs: async () =>
      (await store.jobs.list({}))
        .map(({ kind, session, subject, status }) => `${session} ${kind} ${subject} ${status}`.replace('  ', ' '))
        .sort(),
  };
  return bench;
}
