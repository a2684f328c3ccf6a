// Pauses, the ignore list and the redaction of older rows, with the real program and a running worker.
import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { ask, holdfast, launch, type Place, place, until } from './holdfast.ts';
import { rowsOf } from './rows.ts';

const token = `ghp_${'0123456789aBcDeFgHiJ'.repeat(2).slice(0, 36)}`;

/** Writes a prompt now, as an agent would. */
function say(own: Place, session: string, text: string, cwd = '/srv/app'): void {
  const file = path.join(own.claude, 'p', `${session}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  const uuid = `${session}-${statSync(file, { throwIfNoEntry: false })?.size ?? 0}`;
  const [timestamp, message] = [new Date().toISOString(), { role: 'user', content: text }];
  appendFileSync(file, `${JSON.stringify({ type: 'user', uuid, sessionId: session, timestamp, cwd, message })}\n`);
}

const stored = (own: Place): string => JSON.stringify([...rowsOf(own.database).values()]);

it('a pause keeps everything of its time out, with a running worker and in a full re-import', async () => {
  const own = place();
  await ask(own.env, 'ingest');
  const worker = launch(own.env, ['worker', 'run']);
  await worker.says('Watching');
  say(own, 's1', 'said before');
  await until(() => stored(own).includes('said before'), 'the first prompt');

  const paused = await holdfast(own.env, 'pause');
  expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('Capture is paused') });
  say(own, 's1', 'said meanwhile');
  say(own, 's2', 'said meanwhile');
  expect((await holdfast(own.env, 'worker', 'status')).stdout).toContain('Capture has been paused since');
  const checks = (await ask(own.env, 'doctor')).checks as { name: string; message: string }[];
  expect(checks.find(({ name }) => name === 'capture')?.message).toContain('paused since');
  expect((await holdfast(own.env, 'resume-capture')).stdout).toContain('Capture has resumed');
  expect((await holdfast(own.env, 'resume-capture')).stdout).toContain('was not paused');

  say(own, 's1', 'said after');
  await until(() => stored(own).includes('said after'), 'the last prompt');
  worker.child.kill();
  await worker.ended;
  await ask(own.env, 'ingest', '--reimport');
  expect(stored(own)).toContain('said before');
  expect(stored(own)).not.toContain('said meanwhile');
  expect((await ask(own.env, 'worker', 'status')).pausedSince).toBeUndefined();
});

it('a running worker leaves a folder alone once it is on the ignore list', async () => {
  const own = place();
  await ask(own.env, 'ingest');
  const worker = launch(own.env, ['worker', 'run']);
  await worker.says('Watching');
  await ask(own.env, 'config', 'set', 'ignore', '/srv/diary, letters');
  say(own, 's1', 'dear diary', '/srv/diary/2026');
  say(own, 's2', 'dear friend', '/home/me/letters');
  say(own, 's3', 'to the point', '/srv/app');
  await until(() => stored(own).includes('to the point'), 'the prompt of the other folder');
  worker.child.kill();
  await worker.ended;
  await ask(own.env, 'ingest');
  expect(stored(own)).not.toContain('dear');
  expect(await ask(own.env, 'config', 'get', 'ignore')).toMatchObject({ value: ['/srv/diary', 'letters'] });
});

it('rows from before a rule existed are redacted, even if the program is killed meanwhile', async () => {
  const own = place();
  for (let i = 0; i < 5000; i++) say(own, 's1', `number ${i} WORD`);
  await ask(own.env, 'ingest');
  const db = new Database(own.database);
  db.prepare("UPDATE entries SET text = replace(text, 'WORD', ?)").run(token);
  db.prepare("UPDATE facts SET value = json_set(value, '$.done', 0, '$.version', 0)").run();
  const progress = () =>
    db.prepare("SELECT json_extract(value, '$.after') FROM facts WHERE name = 'redaction'").pluck().get() as number;
  for (let kills = 0; kills < 3; kills++) {
    const before = progress();
    const run = launch(own.env, ['ingest']);
    await until(() => progress() > before || run.child.exitCode !== null, 'a step');
    run.child.kill('SIGKILL');
    await run.ended;
  }
  db.close();
  await ask(own.env, 'ingest');
  expect(stored(own)).not.toContain(token);
  expect((await ask(own.env, 'search', 'redacted', '--limit', '3')).hits).toHaveLength(3);
  expect((await holdfast(own.env, 'doctor')).stdout).toContain('All is well');
});
