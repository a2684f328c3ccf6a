// Exports and imports with the real program: complete, stopped, and killed at any moment.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rounds } from '../rounds.ts';
import { ask, dice, holdfast, launch, place, temporaryFolder, until } from './holdfast.ts';
import { expectSameRows, growing, rowsOf, sizeOf } from './rows.ts';
import { writeSmallTranscripts } from './transcripts.ts';

it('an import killed at random moments and restarted leaves what an undisturbed one leaves', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const from = place({ folder: path.join(folder, 'from'), ...writeSmallTranscripts(path.join(folder, 'transcripts')) });
  await ask(from.env, 'ingest');
  const file = path.join(folder, 'all.jsonl');
  const { counts } = await ask(from.env, 'export', file);
  expect(counts.entry).toBeGreaterThan(1000);

  const whole = place({ folder: path.join(folder, 'whole') });
  await ask(whole.env, 'import', file);
  // Tool uses are indexed from the stored text here, and from the full output where the transcript was read.
  const carried = (database: string) =>
    new Map([...rowsOf(database, growing)].filter(([name]) => name !== 'index of tool uses'));
  expectSameRows(carried(whole.database), carried(from.database), 'undisturbed');

  const own = place({ folder: path.join(folder, 'killed') });
  const times = rounds(3, 10);
  let kills = 0;
  for (let round = 0; round < times; round++) {
    rmSync(own.home, { recursive: true, force: true });
    for (let n = 0; n < 2; n++) {
      const running = launch(own.env, ['import', file]);
      let over = false;
      void running.ended.then(() => {
        over = true;
      });
      // Kill by bytes written, not by time: the machine may be slower or faster now than before.
      const size = ((round + random.next()) / times) * 0.8 * sizeOf(whole);
      while (!over && sizeOf(own) <= size) await sleep(1);
      running.child.kill('SIGKILL');
      if ((await running.ended).signal === 'SIGKILL') kills++;
    }
    await ask(own.env, 'import', file);
    expectSameRows(rowsOf(own.database), rowsOf(whole.database), `seed ${seed}, round ${round}`);
  }
  console.log(`seed ${seed}: ${kills} kills`);
  expect(kills).toBeGreaterThan(times / 2);
  // Importing the transcripts themselves later adds nothing twice.
  const again = place({ folder: path.join(folder, 'killed'), claude: from.claude, pi: from.pi });
  expect((await ask(again.env, 'ingest')).entries.added).toBe(0);
  expectSameRows(rowsOf(again.database), rowsOf(whole.database), 'scanned');
});

it('an export that is stopped leaves no file; an export can go to standard output', async () => {
  const folder = temporaryFolder();
  const own = place({ folder, ...writeSmallTranscripts(path.join(folder, 'transcripts')) });
  await ask(own.env, 'ingest');
  const target = path.join(folder, 'out', 'all.jsonl');
  expect(await holdfast(own.env, 'export', target)).toMatchObject({ code: 3, stderr: expect.stringContaining('out') });
  const file = path.join(folder, 'all.jsonl');
  const begun = () => readdirSync(folder).some((name) => name.startsWith('all.jsonl'));
  const running = launch(own.env, ['export', file]);
  await until(() => begun() || running.child.exitCode !== null, 'a draft');
  running.child.kill('SIGINT');
  const { code } = await running.ended;
  // If it finished before the signal, it is complete.
  if (code === 130) expect(begun()).toBe(false);
  else rmSync(file);
  await ask(own.env, 'export', file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { stdout, stderr } = await holdfast(own.env, 'export', '-');
  expect(stderr).toBe('');
  expect(Buffer.byteLength(stdout)).toBe(statSync(file).size);
  expect(existsSync(path.join(folder, '-'))).toBe(false);
});
