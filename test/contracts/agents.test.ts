// What ingest promises, for every agent in the table: it finds everything, however the files arrive. Beside this file,
// pulled-agents.test.ts and agent-readers.test.ts test the same fixtures.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agents } from '../../src/agents/index.ts';
import { checkFiles } from '../../src/operations/machine/checks.ts';
import type { Store } from '../../src/store/store.ts';
import { all, benchFor, expectAll, found, lineSets, nameOf, pulledSets } from './agent-bench.ts';
import { fixtureSets, linesOf, sampleSets } from './agent-fixtures.ts';
import { harmless } from './hostile-values.ts';
import { add } from './pulled-sources.ts';
import { random } from './random-transcripts.ts';
import { differences } from './transcript-builder.ts';

describe.each([...fixtureSets, ...sampleSets].map((set) => [nameOf(set), set] as const))('%s', (_, set) => {
  it('yields what was counted by hand in its lines', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});

it('every agent in the table has fixtures, with something that its reader does not know', () => {
  const tested = new Set(fixtureSets.filter(({ unknown }) => unknown !== undefined).map(({ agent }) => agent.name));
  expect(agents.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([]);
});

describe.each(lineSets)('%s, however it arrives', (_, set) => {
  it.each([1, 2, 3])('in pieces that cut lines, interleaved, in any order: the same rows (%i)', async (seed) => {
    const { below, chance, pick, shuffle } = random(seed);
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = bench.rows();
    const files = new Map(set.keys.map((key) => [key, fs.readFileSync(path.join(bench.watched, key))]));
    await bench.closeStores();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(bench.config.databasePath + side, { force: true });
    for (const key of files.keys()) fs.writeFileSync(path.join(bench.watched, key), '');
    const pieces = bench.onto(await bench.open());
    const written = new Map<string, number>();
    for (const left = shuffle([...files.keys()]); left.length > 0; ) {
      const key = pick(left);
      const bytes = files.get(key) as Buffer;
      const from = written.get(key) ?? 0;
      const to = chance(0.1) ? bytes.length : Math.min(bytes.length, from + 1 + below(5000));
      fs.appendFileSync(path.join(bench.watched, key), bytes.subarray(from, to));
      written.set(key, to);
      if (to === bytes.length) left.splice(left.indexOf(key), 1);
      if (chance(0.5)) await pieces.ingest();
      if (chance(0.05)) await pieces.ingest({ reimport: true });
    }
    await pieces.ingest();
    expect(differences(bench.rows(), whole)).toEqual([]);
  });

  it('cut and rewritten, or cut for good, it loses nothing', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = await found(bench.store, set);
    for (const key of set.keys) {
      const lines = linesOf(set, key);
      bench.put(key, `${lines.slice(0, Math.ceil(lines.length / 2)).join('\n')}\n`);
    }
    await bench.ingest();
    const cut = await found(bench.store, set);
    // A fork that also holds an entry owns it from then on.
    const ids = ({ entries }: typeof cut) =>
      [...new Set([...entries.values()].flatMap(({ said }) => said.map(({ id }) => id)))].sort();
    expect(ids(cut)).toEqual(ids(whole));
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it('hostile lines between its own change nothing of what it holds', async () => {
    const bench = await benchFor(set);
    const { pick } = random(7);
    for (const key of set.keys) {
      const [first = '', ...lines] = linesOf(set, key);
      bench.put(key, `${[first, ...lines.flatMap((line) => [pick(harmless), line])].join('\n')}\n`);
    }
    for (const file of fs.readdirSync(set.folder, { recursive: true, withFileTypes: true })) {
      const key = path.relative(set.folder, path.join(file.parentPath, file.name));
      if (file.isFile() && !set.keys.includes(key)) bench.put(key, fs.readFileSync(path.join(set.folder, key)));
    }
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});

const growing = [...lineSets, ...pulledSets].filter(([, set]) => set.unknown !== undefined);

describe.each(growing)('%s, of a newer version', (_, set) => {
  it('what the reader does not know is counted, and doctor reports it', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const { kind, ...added } = set.unknown as NonNullable<typeof set.unknown>;
    add(bench.watched, added.in === undefined && set.keys.length > 0 ? { in: set.keys[0] as string, ...added } : added);
    await bench.ingest();
    await expectAll(bench.store, set);
    const check = (await checkFiles(bench.store)).find(({ name }) => name === 'unknown lines');
    expect(check).toMatchObject({ ok: true });
    expect(check?.message).toContain(`${kind} (3)`);
  });
});

describe.each([...lineSets, ...pulledSets])('%s, if something goes wrong', (_, set) => {
  it('a commit that fails at any point, followed by a restart, leaves the same rows', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = bench.rows();
    await bench.closeStores();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(bench.config.databasePath + side, { force: true });
    for (let round = 0; ; round++) {
      const store = await bench.open();
      const breaking: Store = {
        ...store,
        transcripts: {
          ...store.transcripts,
          commit: (chunks, rules, note) =>
            round % 2 === 0 && round < 6
              ? store.transcripts
                  .commit(chunks.slice(0, 1), rules, note)
                  .then(() => Promise.reject(new Error('killed')))
              : store.transcripts.commit(chunks, rules, note),
        },
      };
      const done = await bench
        .onto(breaking)
        .ingest()
        .then(
          () => true,
          () => false,
        );
      await bench.closeStores();
      if (done && round >= 6) break;
    }
    expect(differences(bench.rows(), whole)).toEqual([]);
  });

  it('from a backup and in the live tree, it is imported once', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    const backup = path.join(bench.home, 'backup');
    all(set, backup);
    await bench.ingest({ dir: backup });
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});
