// A used data folder with something of every kind that a database can lose, and a backup that is older than the rest.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openHoldfast } from '../src/app/open.ts';
import { ingest } from '../src/capture/ingest.ts';
import { copyPath, fillVault } from '../src/capture/vault/vault.ts';
import { bringInLine } from '../src/distill/memory/librarian.ts';
import { keepBackups } from '../src/operations/data/backups.ts';
import { forget } from '../src/operations/data/forget.ts';
import { processJobs } from '../src/operations/data/process.ts';
import { rememberThis } from '../src/operations/memory/memory-change.ts';
import { type RowCounts, rowCounts } from '../src/store/sqlite/merge-tables.ts';
import { now } from './demo-memory.ts';

const demo = fileURLToPath(new URL('../demo', import.meta.url));

export interface LivedIn {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly counts: RowCounts;
  /** Entries by where else they exist beside the database. */
  readonly entries: { readonly all: readonly string[]; readonly onlyInVault: string; readonly onlyInDatabase: string };
  readonly forgotten: readonly string[];
  readonly pages: Readonly<Record<string, string>>;
  /** Pinned before the backup, and after it. */
  readonly pins: readonly [string, string];
  /** The text of a prompt that was typed during a pause. */
  readonly paused: string;
}

/** Leaves the folder as a crash would: the last commits are in the log beside the database. */
export async function livedIn(): Promise<LivedIn> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-lived-'));
  const env = {
    HOME: folder,
    HOLDFAST_HOME: path.join(folder, 'data'),
    HOLDFAST_TIME_ZONE: 'UTC',
    PATH: process.env.PATH,
  };
  const claude = path.join(folder, '.claude/projects');
  fs.cpSync(path.join(demo, 'claude-code/projects'), claude, { recursive: true });
  fs.cpSync(path.join(demo, 'pi/sessions'), path.join(folder, '.pi/agent/sessions'), { recursive: true });
  const holdfast = await openHoldfast(env);
  const context = { ...holdfast.context, clock: () => now };
  const { store, config } = context;
  const session = (name: string, at: string, text: string) => {
    const file = path.join(claude, '-home-dev-tide', `${name}.jsonl`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const line = (uuid: string, parentUuid: string | null, minute: number, said: string) =>
      JSON.stringify({
        ...{ type: 'user', uuid, parentUuid, sessionId: name, cwd: '/home/dev/tide' },
        ...{ timestamp: new Date(Date.parse(at) + minute * 60_000).toISOString() },
        message: { role: 'user', content: said },
      });
    fs.writeFileSync(
      file,
      `${line(`${name}-1`, null, 0, text)}\n${line(`${name}-2`, `${name}-1`, 1, `${text}, again`)}\n`,
    );
    return file;
  };
  const inVault = session('vaulted', '2026-10-20T09:00:00Z', 'Only the vault has this prompt about herons');
  const inDatabase = session('stranded', '2026-10-20T10:00:00Z', 'Only the database has this prompt about otters');
  session('regretted', '2026-10-20T11:00:00Z', 'This prompt about a marmot will be forgotten');
  await ingest(context, {});
  await processJobs.run(context, { all: true, again: false, dryRun: false, due: false });
  await fillVault({ ...context, clock: Date.now }, { quietMs: 0 });
  fs.rmSync(inVault);
  fs.rmSync(inDatabase);
  fs.rmSync(copyPath(config, 'claude-code', '-home-dev-tide/stranded.jsonl'));

  await store.pins.set({ kind: 'session', id: 'vaulted', agent: 'claude-code' }, 'pinned', 1);
  await rememberThis.run(context, { text: 'Deploys happen on Tuesdays', key: 'deploy day' });
  await store.sessions.note({ agent: 'claude-code', session: 'vaulted', at: 7, event: 'end', reason: 'exit' });
  await store.projects.link({ from: '/old/place', to: '/new/place' }, []);
  await store.groups.create('tide', 3);
  await store.groups.setPointer('tide', { agent: 'claude-code', session: 'g-1', resumeAt: 'e1' }, { at: 5 });
  const leaving = { agent: 'claude-code', session: 'g-1' } as const;
  await store.groups.leaveSession('tide', leaving, { leaving: { ...leaving, name: 'One', createdAt: 5 }, at: 6 });
  const daily = { group: 'tide', kind: 'cron', when: '0 9 * * *', timeZone: 'UTC', context: 'group' } as const;
  await store.tasks.add({ ...daily, prompt: 'Read the gauge', next: 90 }, 8);
  await store.messages.add('tide', { text: 'How high is it?', from: 'Ada' }, 9);
  const run = await store.runs.begin({ group: 'tide', epoch: 2 }, 10);
  const waiting = (await store.messages.waiting('tide')).map(({ id }) => id);
  const answers = await store.messages.hand(run, waiting);
  await store.messages.putOut({ group: 'tide', kind: 'answer', text: 'High.', answers, run }, 11);
  await store.messages.add('tide', { text: 'And now?' }, 12);
  await store.pauses.start({ at: Date.parse('2026-11-01T00:00:00Z') });
  await store.pauses.end({ at: Date.parse('2026-11-01T12:00:00Z') });
  await forget.run(context, { id: 'regretted-1', dryRun: false, yes: true });
  const page = path.join(config.memoryPath, pageWithFacts(config.memoryPath));
  edit(page, 'A line of the person, from before the backup');
  await bringInLine(context);
  await keepBackups(context, true);
  const raw = new Database(config.databasePath);
  raw.pragma('wal_checkpoint(TRUNCATE)');
  raw.close();

  // After the backup:
  session('later', '2026-11-02T09:00:00Z', 'A prompt about a kingfisher since the backup');
  await ingest(context, {});
  await processJobs.run(context, { all: true, again: false, dryRun: false, due: false });
  await store.pins.set({ kind: 'session', id: 'later', agent: 'claude-code' }, 'pinned', 2);
  edit(page, 'A line of the person, since the backup');
  await bringInLine(context);
  const rules = { gapMs: 3_600_000, maxEntries: 500, maxChars: 200_000 };
  await store.removal.forget({ kind: 'entry', agent: 'claude-code', id: 'regretted-2' }, { rules, now });
  await store.pauses.start({ at: Date.parse('2026-11-02T20:00:00Z') });
  const paused = 'A prompt about a weasel that was typed during the pause';
  session('unseen', '2026-11-02T21:00:00Z', paused);
  await ingest(context, {});

  const found: string[] = [];
  for (const { agent, id } of await store.sessions.list({}))
    for (const { id: entry } of await store.entries.transcript(agent, id, { subagents: true })) found.push(entry);
  const counts = rowCounts(config.databasePath);
  const left = `${folder}.left`;
  fs.cpSync(folder, left, { recursive: true });
  await holdfast.close();
  fs.rmSync(folder, { recursive: true });
  fs.renameSync(left, folder);
  return {
    ...{ folder, env, counts, paused, forgotten: ['regretted-1', 'regretted-2'], pins: ['vaulted', 'later'] },
    entries: { all: [...new Set(found)], onlyInVault: 'vaulted-1', onlyInDatabase: 'stranded-1' },
    pages: pagesIn(config.memoryPath),
  };
}

const edit = (page: string, line: string) => fs.appendFileSync(page, `\n${line}\n`);

function pageWithFacts(folder: string): string {
  const found = Object.keys(pagesIn(folder)).find((page) => page.startsWith('episodes/') || page.includes('/'));
  if (found === undefined) throw new Error('The sample gave no page');
  return found;
}

export function pagesIn(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(names.sort().map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]));
}
