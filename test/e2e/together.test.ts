// Many processes on one database while transcripts grow: no error appears, nothing is lost, nothing is doubled.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ask, holdfast, launch, type Place, place, type Result, temporaryFolder, until } from './holdfast.ts';
import { caughtUp, expectSameRows, expectTailsOf, rowsOf, growing as tails } from './rows.ts';
import { largest, writeTranscripts } from './transcripts.ts';
import { grow, holding } from './writer.ts';

function growth(folder: string, own: Place) {
  const transcripts = writeTranscripts(path.join(folder, 'transcripts'));
  for (const root of [own.claude, own.pi]) mkdirSync(root, { recursive: true });
  return largest(transcripts.claude, 12, 600_000).map((source) => ({
    source,
    target: path.join(own.claude, path.relative(transcripts.claude, source)),
  }));
}

it('two workers and three command lines share one database', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const folder = temporaryFolder();
  const own = place({ folder: path.join(folder, 'own') });
  const plan = growth(folder, own);
  // A data folder has one worker. A second folder whose database links to the first gives two workers that write at once.
  const other = place({ folder: path.join(folder, 'other'), claude: own.claude, pi: own.pi });
  for (const { home } of [own, other]) mkdirSync(home, { mode: 0o700 });
  symlinkSync(own.database, other.database);
  const eager = { HOLDFAST_POLL_INTERVAL_MS: '100' };
  // The transcripts are old but grow. Without this setting, a conversation would count as ended, be distilled, and start over.
  const undistilled = { HOLDFAST_MIN_CONVERSATION_MESSAGES: '1000000' };
  for (const { env } of [own, other]) Object.assign(env, undistilled);

  const { held, release } = holding();
  const writing = grow(plan, seed, held);
  let growing = true;
  void writing.finally(() => {
    growing = false;
  });
  const workers = [own, other].map(({ env }) => launch({ ...env, ...eager }, ['worker', 'run']));
  const results: { args: readonly string[]; result: Result }[] = [];
  let busy = 3;
  const loop = async (...commands: string[][]) => {
    for (let round = 1; growing; round++) {
      for (const args of commands) results.push({ args, result: await holdfast(own.env, ...args, '--json') });
      // After each command has had its turns, the files may end.
      if (round === 2 && --busy === 0) release();
    }
  };
  try {
    await Promise.all([
      loop(['ingest'], ['ingest', '--reimport']),
      loop(['search', 'the', 'test', 'file'], ['search', 'error', '--kind', 'session']),
      loop(['sessions'], ['doctor'], ['conversations']),
      ...workers.map((worker) => worker.says('Watching')),
    ]);
  } finally {
    release();
    await writing;
  }
  await until(() => caughtUp(own), 'the workers to catch up');
  for (const worker of workers) worker.child.kill('SIGTERM');
  const ends = await Promise.all(workers.map((worker) => worker.ended));

  console.log(`seed ${seed}: ${results.length} commands beside two workers`);
  expect(results.length).toBeGreaterThanOrEqual(14);
  for (const { args, result } of results)
    expect({ args, code: result.code, stderr: result.stderr, stdout: result.code === 0 ? '' : result.stdout }).toEqual({
      args,
      code: 0,
      stderr: '',
      stdout: '',
    });
  for (const end of ends) {
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout).not.toMatch(/held by another|error|failed|malformed|keep importing/i);
  }

  const fresh = place({ folder: path.join(folder, 'fresh'), claude: own.claude, pi: own.pi });
  await ask({ ...fresh.env, ...undistilled }, 'ingest');
  expectSameRows(rowsOf(own.database, tails), rowsOf(fresh.database, tails), `seed ${seed}`);
  expectTailsOf(own);
});

it('a second worker of the same data folder exits and names the first', async () => {
  const own = place();
  const first = launch(own.env, ['worker', 'run']);
  await first.says('Watching');
  const second = await holdfast(own.env, 'worker', 'run');
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toContain(`process ${first.child.pid}`);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);
});

it('commands that all create the same data folder at once all succeed', async () => {
  for (let round = 0; round < 4; round++) {
    const own = place();
    const commands = [['sessions'], ['doctor'], ['ingest'], ['projects'], ['search', 'x'], ['conversations']];
    const results = await Promise.all(commands.map((args) => holdfast(own.env, ...args, '--json')));
    for (const [i, { code, stderr, stdout }] of results.entries())
      expect({ round, command: commands[i], code, stderr, stdout: code === 0 ? '' : stdout }).toEqual({
        round,
        command: commands[i],
        code: 0,
        stderr: '',
        stdout: '',
      });
  }
});
