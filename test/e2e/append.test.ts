// Transcripts grow by random bytes while the worker watches. The result must equal one import of the final files.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ask, dice, launch, type Place, place, temporaryFolder, until } from './holdfast.ts';
import { caughtUp, expectSameRows, expectTailsOf, growing, rowsOf } from './rows.ts';
import { largest, writeTranscripts } from './transcripts.ts';
import { grow, holding } from './writer.ts';

/** Old sessions count as silent at once, so with a short poll the worker closes and reopens every conversation all the time. */
const eager = { HOLDFAST_POLL_INTERVAL_MS: '100' };

async function growWhileWatched(
  disturb: (own: Place, written: Promise<void>, finish: () => void) => Promise<void>,
): Promise<void> {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  console.log(`seed ${seed}`);
  const folder = temporaryFolder();
  const transcripts = writeTranscripts(path.join(folder, 'transcripts'));
  const sources = [...largest(transcripts.claude, 6, 400_000), ...largest(transcripts.pi, 1, 1_000_000)];
  const own = place({ folder: path.join(folder, 'own') });
  for (const root of [own.claude, own.pi]) mkdirSync(root, { recursive: true });
  const plan = sources.map((source) => {
    const pi = source.startsWith(transcripts.pi);
    const relative = path.relative(pi ? transcripts.pi : transcripts.claude, source);
    return { source, target: path.join(pi ? own.pi : own.claude, relative) };
  });

  const { held, release } = holding();
  const written = grow(plan, seed, held);
  try {
    await disturb({ ...own, env: { ...own.env, ...eager } }, written, release);
  } finally {
    release();
    await written;
  }

  const fresh = place({ folder: path.join(folder, 'fresh'), claude: own.claude, pi: own.pi });
  const report = await ask(fresh.env, 'ingest');
  expect(report.files).toMatchObject({ imported: sources.length, failed: 0 });
  expect(report.entries.malformed).toBe(0);
  expectSameRows(rowsOf(own.database, growing), rowsOf(fresh.database, growing), `seed ${seed}`);
  expectTailsOf(own);
}

it('nothing is lost and nothing doubled while files grow by pieces that cut lines and characters', async () => {
  await growWhileWatched(async (own, written, finish) => {
    const worker = launch(own.env, ['worker', 'run']);
    await worker.says('Watching');
    finish();
    await written;
    await until(() => caughtUp(own), 'the worker to catch up');
    worker.child.kill('SIGTERM');
    const { code, stderr, stdout } = await worker.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/malformed|error|failed/i);
  });
});

it('nothing is lost or doubled when the worker is killed and restarted as files grow', async () => {
  const random = dice(Date.now());
  await growWhileWatched(async (own, written, finish) => {
    let writing = true;
    void written.finally(() => {
      writing = false;
    });
    let kills = 0;
    while (writing) {
      const worker = launch(own.env, ['worker', 'run']);
      await Promise.race([sleep(200 + random.below(900)), written]);
      worker.child.kill('SIGKILL');
      await worker.ended;
      if (++kills === 5) finish();
    }
    expect(kills).toBeGreaterThanOrEqual(5);
    const worker = launch(own.env, ['worker', 'run']);
    await worker.says('Watching');
    await until(() => caughtUp(own), 'the worker to catch up');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
