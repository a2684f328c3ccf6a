// A memory that holds the sample of this repository, for recall tests. Deleted with the test.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Holdfast, openHoldfast } from '../src/app/open.ts';
import { ingest } from '../src/capture/ingest.ts';
import { freshDatabase } from './fresh-database.ts';

const sample = fileURLToPath(new URL('../demo', import.meta.url));

/** A week after the last session of the sample. */
export const now = Date.parse('2026-11-03T12:00:00.000Z');

export type Memory = Holdfast & { readonly home: string };

/** An empty memory apart from the person's, with a clock that stands still. */
export async function emptyMemory(env: NodeJS.ProcessEnv = {}): Promise<Memory> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-recall-'));
  const all = { HOME: home, HOLDFAST_HOME: path.join(home, 'memory'), HOLDFAST_TIME_ZONE: 'UTC', ...env };
  await freshDatabase(all);
  const holdfast = await openHoldfast(all);
  onTestFinished(async () => {
    await holdfast.close();
    fs.rmSync(home, { recursive: true, force: true });
  });
  return { ...holdfast, context: { ...holdfast.context, clock: () => now }, home };
}

export async function demoMemory(env: NodeJS.ProcessEnv = {}): Promise<Memory> {
  const memory = await emptyMemory(env);
  await ingest(memory.context, { dir: sample });
  return memory;
}

export interface Said {
  readonly by: 'user' | 'assistant';
  readonly text?: string;
  readonly more?: Record<string, unknown>;
  /** Tool uses in this answer. */
  readonly uses?: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly failed?: string | boolean;
    readonly output?: string;
  }[];
}

/** Imports one session of Claude Code, one minute between entries. */
export async function tell(
  memory: Memory,
  session: string,
  cwd: string,
  start: string,
  said: readonly Said[],
): Promise<void> {
  const lines: unknown[] = [];
  let parent: string | null = null;
  said.forEach(({ by, text, uses = [], more }, i) => {
    const uuid = `${session}-e${i}`;
    const at = new Date(Date.parse(start) + i * 60_000).toISOString();
    const base = { parentUuid: parent, sessionId: session, cwd, timestamp: at };
    const blocks = [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...uses.map(({ name, input }, j) => ({ type: 'tool_use', id: `${uuid}-u${j}`, name, input })),
    ];
    lines.push({
      ...base,
      type: by,
      uuid,
      message: { role: by, model: 'm', content: by === 'user' ? text : blocks },
      ...more,
    });
    parent = uuid;
    uses.forEach(({ failed = false, output = 'ok' }, j) => {
      const id = `${uuid}-r${j}`;
      const content = [
        { type: 'tool_result', tool_use_id: `${uuid}-u${j}`, is_error: failed !== false, content: failed || output },
      ];
      lines.push({ ...base, type: 'user', uuid: id, parentUuid: parent, message: { role: 'user', content } });
      parent = id;
    });
  });
  const folder = path.join(memory.home, '.claude', 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await ingest(memory.context, {});
}
