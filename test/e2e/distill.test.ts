// Distilling in real processes: killed at any moment, shared by several processes, started by the worker without a poll.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { ask, dice, launch, type Place, place, prepare, temporaryFolder, until } from './holdfast.ts';
import { filesBelow, writeSmallTranscripts } from './transcripts.ts';

/** Everything that distilling leaves: rows, statuses of conversations, and the pages a person reads. */
function distilled(own: Place): Record<string, unknown> {
  const db = new Database(own.database, { readonly: true });
  try {
    const all = (sql: string) => db.prepare(sql).all();
    const pages = path.join(own.home, 'memory');
    return {
      jobs: all(
        'SELECT kind, subject, version, status, by, count(*) AS n FROM jobs GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3',
      ),
      observations: all(
        `SELECT o.uid, o.prompt, o.at, o.type, o.title, o.subtitle, o.facts, o.narrative, o.by, group_concat(e.uuid) AS cited
         FROM observations o JOIN observation_entries x ON x.observation_id = o.id JOIN entries e ON e.id = x.entry_id
         GROUP BY o.id ORDER BY o.uid`,
      ),
      summaries: all('SELECT uid, at, prompts, title, request, completed, next_steps, by FROM summaries ORDER BY uid'),
      extractions: all(
        'SELECT agent, file, first_pos, first_at, last_at, session, by, json FROM extractions ORDER BY 1, 2, 3',
      ),
      conversations: all(
        'SELECT status, reason, count(*) AS n FROM conversations GROUP BY status, reason ORDER BY status, reason',
      ),
      pages: existsSync(pages)
        ? Object.fromEntries(
            filesBelow(pages)
              .filter((file) => file.endsWith('.md'))
              .map((file) => [path.relative(pages, file), readFileSync(file, 'utf8')]),
          )
        : {},
    };
  } finally {
    db.close();
  }
}

/** A number from the store: to poll it takes less than a command. */
function numberIn(own: Place, sql: string): number {
  const db = new Database(own.database, { readonly: true });
  try {
    return db.prepare<[], number>(sql).pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

const jobsIn = (own: Place, status: 'ready' | 'claimed' | 'done'): number =>
  numberIn(own, `SELECT count(*) FROM jobs WHERE status = '${status}'`);
const doneIn = (own: Place): number => jobsIn(own, 'done');

/** Of all tests of this file: transcripts after an import, and the same after one undisturbed run. Tests work on copies. */
let source: Place;
let whole: Place;
let undisturbed: { done: Record<string, number>; left: unknown };
const shared = mkdtempSync(path.join(tmpdir(), 'holdfast-distill-'));

beforeAll(() => {
  const transcripts = writeSmallTranscripts(path.join(shared, 'transcripts'));
  source = place({ folder: path.join(shared, 'imported'), ...transcripts });
  prepare(source.env, 'ingest');
  whole = copyOf(source, path.join(shared, 'whole'));
  undisturbed = prepare(whole.env, 'process');
});
afterAll(() => rmSync(shared, { recursive: true, force: true }));

const copyOf = (from: Place, folder = temporaryFolder()): Place => {
  const own = place({ folder, claude: from.claude, pi: from.pi });
  rmSync(own.home, { recursive: true, force: true });
  cpSync(from.home, own.home, { recursive: true });
  return own;
};

it('a run killed at random moments and restarted until done leaves what an undisturbed run leaves', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const folder = temporaryFolder();
  expect(undisturbed.done.observe).toBeGreaterThan(20);
  expect(undisturbed.left).toEqual({ ready: 0, failed: 0 });
  const expected = distilled(whole);
  const all = doneIn(whole);

  let [killed, inside] = [0, 0];
  for (let round = 0; round < rounds(3, 10); round++) {
    const random = dice(seed + round * 7919);
    const own = copyOf(source, path.join(folder, `round-${round}`));
    for (let kills = 0; kills < 3; kills++) {
      const running = launch(own.env, ['process', '--json']);
      let over = false;
      void running.ended.then(() => {
        over = true;
      });
      // Kill by progress, not by time: the machine may be slower or faster now than before.
      const from = doneIn(own);
      const wanted = from + Math.floor(random.next() * 0.6 * (all - from));
      while (!over && doneIn(own) <= wanted) await sleep(1);
      await sleep(random.below(20));
      running.child.kill('SIGKILL');
      const { signal } = await running.ended;
      if (signal === 'SIGKILL') killed++;
      if (signal === 'SIGKILL' && jobsIn(own, 'claimed') + doneIn(own) > 0) inside++;
    }
    expect(await ask(own.env, 'process'), `seed ${seed}, round ${round}`).toMatchObject({
      left: { ready: 0, failed: 0 },
    });
    expect(distilled(own), `seed ${seed}, round ${round}`).toEqual(expected);
  }
  console.log(`seed ${seed}: ${killed} kills, ${inside} in the middle of the work`);
  expect(inside).toBeGreaterThan(3);
});

it('three processes share one queue: each job is done once, and the result is that of one process', async () => {
  const own = copyOf(source);
  const reports = await Promise.all([1, 2, 3].map(() => ask(own.env, 'process')));
  const sum = (kind: string) => reports.reduce((all, { done }) => all + done[kind], 0);
  expect({ observe: sum('observe'), summarize: sum('summarize'), remember: sum('remember') }).toEqual(undisturbed.done);
  expect(distilled(own)).toEqual(distilled(whole));
});

it('everything derived can be made again, byte for byte', async () => {
  const own = copyOf(whole);
  const before = distilled(own);
  const db = new Database(own.database);
  db.pragma('foreign_keys = ON');
  db.exec("DELETE FROM observations; DELETE FROM summaries; UPDATE jobs SET status = 'ready', by = NULL");
  db.close();
  await ask(own.env, 'process');
  expect(distilled(own)).toEqual(before);
});

it('a worker distills by itself what is due, and ends with nothing half done', async () => {
  const own = copyOf(source);
  const env = { ...own.env, HOLDFAST_DISTILL_AUTO: 'true' };
  const worker = launch(env, ['worker', 'run']);
  await worker.says('Watching');
  await until(() => doneIn(own) > 20 && jobsIn(own, 'ready') + jobsIn(own, 'claimed') === 0, 'the jobs');
  worker.child.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
  expect(distilled(own)).toEqual(distilled(whole));
});

it('the end of a turn is distilled at once, without waiting for a poll', async () => {
  const own = place();
  const env: NodeJS.ProcessEnv = {
    ...own.env,
    HOLDFAST_DISTILL_AUTO: 'true',
    HOLDFAST_POLL_INTERVAL_MS: '86400000',
  };
  const session = '0d9a5a50-0000-4000-8000-000000000001';
  const file = path.join(own.claude, '-srv-crane', `${session}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  const worker = launch(env, ['worker', 'run']);
  await worker.says('listening');
  const line = (uuid: string, type: string, content: unknown) =>
    `${JSON.stringify({ type, uuid, sessionId: session, cwd: '/srv/crane', timestamp: new Date().toISOString(), message: { role: type, content } })}\n`;
  const use = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } };
  writeFileSync(
    file,
    line('u1', 'user', 'Repair the winch of the harbour crane') +
      line('u2', 'assistant', [use]) +
      line('u3', 'user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }]) +
      line('u4', 'assistant', [{ type: 'text', text: 'The winch is repaired; the brake was worn out.' }]),
  );
  await until(() => numberIn(own, 'SELECT count(*) FROM sessions') === 1, 'the session');
  await sleep(1000);
  expect((await ask(env, 'observations')).observations, 'a turn that goes on').toEqual([]);
  const token = readFileSync(path.join(own.home, 'token'), 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${env.HOLDFAST_PORT}/api/hooks/claude-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ session_id: session, transcript_path: file, cwd: '/srv/crane', hook_event_name: 'Stop' }),
  });
  expect(answer.status).toBe(200);
  await until(() => numberIn(own, 'SELECT count(*) FROM summaries') === 1, 'the summary');
  expect((await ask(env, 'observations')).observations).toMatchObject([{ session, prompt: 1, by: 'offline' }]);
  worker.child.kill('SIGTERM');
  await worker.ended;
});

it('Ctrl+C stops it between two jobs, and the next run continues', async () => {
  const own = copyOf(source);
  const running = launch(own.env, ['process']);
  await until(() => doneIn(own) > 0 || running.child.exitCode !== null);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  if (code !== 0) {
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'Stopped. What was done so far is kept; the next run continues from there.\n',
    });
    expect((await ask(own.env, 'jobs')).counts.claimed).toBe(0);
  }
  expect(await ask(own.env, 'process')).toMatchObject({ left: { ready: 0, failed: 0 } });
});
