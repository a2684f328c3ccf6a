// The host as a person uses it: commands that talk with groups, and their answers.
import { spawn } from 'node:child_process';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { OutgoingKind } from '../../src/schema/group-message.ts';
import { ask, holdfast, launch, program, type Running, until } from './holdfast.ts';
import { hostStand, type Stand } from './host-stand.ts';
import type { Step } from './mock-anthropic.ts';

export const scripted = (text: string, script: readonly Step[]) => `${text} MOCK:${JSON.stringify(script)}`;

export async function begun(groups: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const stand = await hostStand(settings);
  for (const group of groups) await ask(stand.env, 'groups', 'create', group);
  return stand;
}

/** A host in a separate process. */
export async function hosting(stand: Stand): Promise<Running> {
  const running = launch(stand.env, ['host', 'run']);
  await running.says('Waiting for messages');
  return running;
}

/** Through a pipe. */
export async function pipe(env: NodeJS.ProcessEnv, group: string, text: string) {
  const child = spawn(program, ['chat', group], { env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

export const status = (stand: Stand) => ask(stand.env, 'host', 'status');
export const released = (stand: Stand) => until(() => runningAgents(stand) === 0, 'the release');

/** One message, and everything said until its answer. */
export async function said(stand: Stand, group: string, text: string, script: readonly Step[]): Promise<string[]> {
  const { stdout } = await holdfast(stand.env, 'chat', group, scripted(text, script), '--json');
  return JSON.parse(stdout).said.map((out: { text: string }) => out.text);
}

/** Reads the store of a stand directly: to poll it takes less than a command. */
function inStore<T>({ config }: Stand, read: (db: Database.Database) => T): T {
  const db = new Database(config.databasePath, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Everything that a group was told. */
export const outgoing = (
  stand: Stand,
  group: string,
): { id: number; kind: OutgoingKind; text: string; answers: number[] }[] =>
  inStore(stand, (db) =>
    db
      .prepare<[string], { id: number; kind: OutgoingKind; text: string; answers: string }>(
        'SELECT id, kind, text, answers FROM outgoing WHERE group_name = ? ORDER BY id',
      )
      .all(group)
      .map((row) => ({ ...row, answers: JSON.parse(row.answers) as number[] })),
  );

/** How many agents run now. */
export const runningAgents = (stand: Stand): number =>
  inStore(stand, (db) =>
    db.prepare<[], number>('SELECT count(*) FROM host_runs WHERE ended_at IS NULL').pluck().get(),
  ) ?? 0;
