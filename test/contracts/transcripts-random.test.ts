// Statements 5, 6, 9 and 18 together: however files grow, are cut and arrive, the rows are the same.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { random, randomTranscripts } from './random-transcripts.ts';
import { bytesOf, differences, later, workbench } from './transcript-builder.ts';

const seeds = Array.from({ length: 200 }, (_, i) => i + 1);
const batches = Array.from({ length: 10 }, (_, i) => seeds.slice(i * 20, i * 20 + 20));

describe('the way files arrive does not matter', () => {
  it.each(batches.map((batch) => [`${batch[0]}–${batch.at(-1)}`, batch] as const))(
    '9. whole, in pieces, in any order, interleaved: the same rows (seeds %s)',
    async (_, batch) => {
      for (const seed of batch) await compare(seed);
    },
  );
});

async function compare(seed: number): Promise<void> {
  const { below, chance, pick, shuffle } = random(seed + 10_000);
  const files = new Map([...randomTranscripts(seed)].map(([key, parts]) => [key, bytesOf(parts)]));
  const bench = await workbench({ HOLDFAST_CONVERSATION_MAX_ENTRIES: '4' });
  for (const [key, bytes] of files) bench.write(key, [bytes]);
  await bench.ingest();
  const whole = bench.rows();

  // The same folder, so that paths agree; another database.
  for (const key of files.keys()) fs.rmSync(`${bench.root}/${key}`);
  const pieces = await reopened(bench);
  const left = new Map(files);
  const written = new Map<string, number>();
  for (const key of shuffle([...files.keys()])) bench.write(key, []);
  while (left.size > 0) {
    const key = pick([...left.keys()]);
    const bytes = left.get(key) as Buffer;
    const from = written.get(key) ?? 0;
    const to = chance(0.2) ? bytes.length : Math.min(bytes.length, from + 1 + below(900));
    bench.append(key, bytes.subarray(from, to));
    written.set(key, to);
    if (to === bytes.length) left.delete(key);
    if (chance(0.7)) await pieces.take(key);
    if (chance(0.05)) await pieces.ingest({ reimport: true });
  }
  await pieces.ingest();
  await pieces.store.conversations.markReady(later, { gapMs: 3_600_000, minEntries: 5 });
  expect(differences(bench.rows(), whole), `seed ${seed}`).toEqual([]);
  expect(await pieces.store.admin.integrity(), `seed ${seed}`).toEqual([]);
  await bench.dispose();
}

/** Starts over with an empty database in the same home. */
async function reopened(bench: Awaited<ReturnType<typeof workbench>>) {
  await bench.closeStores();
  for (const side of ['', '-wal', '-shm']) fs.rmSync(bench.config.databasePath + side, { force: true });
  return bench.onto(await bench.open());
}
