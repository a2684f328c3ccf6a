// Transcripts built line by line, and a separate memory to import them into: real files, real store, real ingest.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { runWorker } from '../../src/app/worker/run.ts';
import type { Source } from '../../src/capture/chunk.ts';
import { type IngestDeps, type IngestRequest, ingest } from '../../src/capture/ingest.ts';
import { ingestSources } from '../../src/capture/ingest-sources.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { rowsOf } from '../e2e/rows.ts';
import { freshDatabase } from '../fresh-database.ts';

export type Json = Record<string, unknown>;
export type Part = Json | string | Buffer;

export const start = Date.parse('2026-03-02T09:00:00.000Z');
export const minute = 60_000;
/** Long after every date of the builders. */
export const later = start + 30 * 24 * 60 * minute;

/** `minutes` counts from the start. A line without it has the time of the start. */
const stamp = (minutes = 0): string => new Date(start + minutes * minute).toISOString();

export const prompt = (uuid: string, text: string, minutes?: number, more: Json = {}): Json => ({
  type: 'user',
  uuid,
  parentUuid: null,
  sessionId: 's1',
  timestamp: stamp(minutes),
  message: { role: 'user', content: text },
  ...more,
});

export const answer = (uuid: string, content: string | readonly Json[], minutes?: number, more: Json = {}): Json => ({
  type: 'assistant',
  uuid,
  sessionId: 's1',
  timestamp: stamp(minutes),
  message: {
    role: 'assistant',
    model: 'm',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  },
  ...more,
});

export const toolUse = (id: string, name: string, input: Json = {}): Json => ({ type: 'tool_use', id, name, input });

export const toolResult = (uuid: string, id: string, content: unknown, minutes?: number, more: Json = {}): Json =>
  prompt(uuid, '', minutes, {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
  });

/** `count` prompts, `step` minutes apart, beginning at `from`. */
export const prompts = (prefix: string, count: number, from = 0, step = 1, more: Json = {}): Json[] =>
  Array.from({ length: count }, (_, i) => prompt(`${prefix}${i}`, `${prefix} number ${i}`, from + i * step, more));

/** Objects become lines. Text and bytes stay as they are. */
export const bytesOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : `${JSON.stringify(part)}\n`),
    ),
  );

export type Bench = Awaited<ReturnType<typeof workbench>>;

/** A person's home folder with Claude Code's transcripts in it, and a memory beside it. Deleted with the test. */
export async function workbench(env: NodeJS.ProcessEnv = {}) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-contract-'));
  const config = await freshDatabase({ HOME: home, HOLDFAST_HOME: path.join(home, 'memory'), ...env });
  const root = config.watchPath(claudeCode);
  fs.mkdirSync(root, { recursive: true });
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openSqliteStore(config.databasePath);
    stores.push(store);
    return store;
  };
  const closeStores = async () => {
    for (const store of stores.splice(0)) await store.close();
  };
  const dispose = async () => {
    await closeStores();
    fs.rmSync(home, { recursive: true, force: true });
  };
  onTestFinished(dispose);
  const first = await open();
  const place = (key: string, below = root): string => {
    const file = path.join(below, key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  /** What tests can do with a store that is open on this home. */
  const onto = (store: Store) => {
    const deps: IngestDeps & { readonly store: Store } = { store, config, clock: () => later };
    return {
      store,
      deps,
      ingest: (request: IngestRequest = {}) => ingest(deps, request),
      /** Imports one file as it was at a given size, as an earlier scan would. */
      take(key: string, size = fs.statSync(place(key)).size, below = root) {
        const source: Source = { agent: claudeCode, path: place(key, below), root: below, key, size };
        return ingestSources(deps, [source], false);
      },
      /** The worker, scanning in this process, until the signal. */
      work: (signal: AbortSignal, clock = deps.clock) =>
        runWorker({ ...deps, clock, scan: () => ingest({ ...deps, clock }, {}), log: () => {} }, signal),
      state: (key: string) => store.transcripts.state('claude-code', key),
      /** What the entries of a session say, in order. */
      texts: async (session = 's1', subagents = false): Promise<string[]> =>
        (await store.entries.transcript('claude-code', session, { subagents })).map((entry) => entry.text),
    };
  };
  return {
    ...onto(first),
    onto,
    home,
    config,
    root,
    open,
    closeStores,
    dispose,
    write(key: string, parts: readonly Part[], below = root): string {
      const file = place(key, below);
      fs.writeFileSync(file, bytesOf(parts));
      return file;
    },
    append(key: string, ...parts: readonly Part[]): void {
      fs.appendFileSync(place(key), bytesOf(parts));
    },
    rows: () => comparable(config.databasePath),
  };
}

/** All rows, without what may differ between two ways to the same result: where the passes were cut. */
export function comparable(database: string): Record<string, string[]> {
  const rows = Object.fromEntries([...rowsOf(database)].map(([table, lines]) => [table, [...lines]]));
  rows.files = (rows.files ?? []).map((line) => {
    const { head, tail, shared, ...row } = JSON.parse(line) as Json;
    return JSON.stringify(row);
  });
  return rows;
}

/** The rows that only one of two databases has, each shortened to its distinctive part. */
export function differences(actual: Record<string, string[]>, expected: Record<string, string[]>): string[] {
  return [...new Set([...Object.keys(actual), ...Object.keys(expected)])].flatMap((table) => {
    const [mine, theirs] = [actual[table] ?? [], expected[table] ?? []];
    const [has, wants] = [new Set(mine), new Set(theirs)];
    return [
      ...mine.filter((row) => !wants.has(row)).map((row) => `+ ${table} ${row.slice(0, 600)}`),
      ...theirs.filter((row) => !has.has(row)).map((row) => `- ${table} ${row.slice(0, 600)}`),
      ...(mine.length === theirs.length ? [] : [`${table} has ${mine.length} rows, not ${theirs.length}`]),
    ];
  });
}
