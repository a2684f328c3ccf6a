// Statements 1–9 of the promise to transcripts: what is read, when, and what a crash leaves.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import type { Source } from '../../src/capture/chunk.ts';
import { readBatches } from '../../src/capture/reader.ts';
import { doctor } from '../../src/operations/machine/doctor.ts';
import type { Store } from '../../src/store/store.ts';
import type { Chunk } from '../../src/store/transcripts/port.ts';
import { answer, bytesOf, differences, later, prompt, prompts, toolUse, workbench } from './transcript-builder.ts';

const rules = { gapMs: 3_600_000, maxEntries: 500, maxChars: 200_000 };

describe('offsets', () => {
  it('1. a new file is imported whole, with or without its last newline', async () => {
    const bench = await workbench();
    const file = bench.write('p/s1.jsonl', [
      prompt('a', 'first'),
      answer('b', 'second'),
      JSON.stringify(prompt('c', 'third')),
    ]);
    const report = await bench.ingest();
    expect(report).toMatchObject({ files: { seen: 1, imported: 1, skipped: 0, failed: 0 }, entries: { added: 3 } });
    expect(report.bytes).toBe(fs.statSync(file).size);
    expect(await bench.texts()).toEqual(['first', 'second', 'third']);
    expect((await bench.state('p/s1.jsonl'))?.offset).toBe(fs.statSync(file).size);
    bench.append('p/s1.jsonl', '\n', prompt('d', 'fourth'));
    await bench.ingest();
    expect(await bench.texts()).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('2. a file whose size equals the stored offset is skipped without being opened', async () => {
    const bench = await workbench();
    const file = bench.write('p/s1.jsonl', prompts('a', 3));
    await bench.ingest();
    const { size } = fs.statSync(file);
    // Opening it would fail now.
    fs.rmSync(file);
    expect(await bench.take('p/s1.jsonl', size)).toMatchObject({ skipped: 1, failed: 0, imported: 0 });
    expect(await bench.take('p/s1.jsonl', size + 1)).toMatchObject({ skipped: 0, failed: 1 });
  });

  it('2. a file that shares its key with another is not opened either while it does not change', async () => {
    const bench = await workbench();
    const [one, two] = [path.join(bench.home, 'one'), path.join(bench.home, 'two')];
    bench.write('s1.jsonl', prompts('a', 3), one);
    const file = bench.write('s1.jsonl', prompts('b', 4), two);
    await bench.ingest({ dir: one });
    await bench.ingest({ dir: two });
    const { size } = fs.statSync(file);
    fs.rmSync(file);
    expect(await bench.take('s1.jsonl', size, two)).toMatchObject({ skipped: 1, failed: 0 });
  });

  it('3. a file that grew is read only from the stored offset', async () => {
    const bench = await workbench();
    const file = bench.write('p/s1.jsonl', prompts('a', 60));
    await bench.ingest();
    const { size } = fs.statSync(file);
    // Replace everything except the first and last bytes, which identify the file, with malformed content.
    const bytes = fs.readFileSync(file).fill('x', 1024, size - 1024);
    fs.writeFileSync(file, Buffer.concat([bytes, bytesOf([prompt('new', 'what was added')])]));
    const report = await bench.ingest();
    expect(report).toMatchObject({ entries: { added: 1, malformed: 0 }, bytes: fs.statSync(file).size - size });
    expect(await bench.texts()).toHaveLength(61);
  });

  it('5. bytes appended after the size was captured wait for the next pass; none is lost, none doubled', async () => {
    const bench = await workbench();
    const file = bench.write('p/s1.jsonl', prompts('a', 5));
    const { size } = fs.statSync(file);
    bench.append('p/s1.jsonl', ...prompts('b', 5, 10));
    await bench.take('p/s1.jsonl', size);
    expect(await bench.texts()).toHaveLength(5);
    expect((await bench.state('p/s1.jsonl'))?.offset).toBe(size);
    await bench.ingest();
    await bench.ingest();
    expect(await bench.texts()).toEqual([...prompts('a', 5), ...prompts('b', 5)].map((line) => textOf(line)));
  });

  it('5. a scan that captured the size before another pass imported more does not go back', async () => {
    const bench = await workbench();
    bench.write('s1.jsonl', prompts('p', 3));
    const captured = fs.statSync(`${bench.root}/s1.jsonl`).size;
    bench.append('s1.jsonl', ...prompts('q', 3, 10));
    await bench.take('s1.jsonl');
    const before = bench.rows();
    await bench.take('s1.jsonl', captured);
    expect((await bench.state('s1.jsonl'))?.offset).toBe(fs.statSync(`${bench.root}/s1.jsonl`).size);
    expect(differences(bench.rows(), before)).toEqual([]);
  });

  it('6. a UTF-8 character cut in half at the captured size is deferred, never skipped past', async () => {
    const bench = await workbench();
    const text = 'Grüße, 海の底 🐙';
    bench.write('p/s1.jsonl', [prompt('a', 'before'), prompt('b', text), prompt('c', 'after')]);
    const bytes = fs.readFileSync(path.join(bench.root, 'p/s1.jsonl'));
    const first = bytes.indexOf(10) + 1;
    // Every size from the end of the first line to the end of the file, so each byte of each character is cut once.
    for (let size = first; size <= bytes.length; size++) {
      await bench.take('p/s1.jsonl', size);
      const offset = (await bench.state('p/s1.jsonl'))?.offset ?? 0;
      expect(offset === 0 || bytes[offset - 1] === 10 || bytes[offset] === 10, `offset ${offset}`).toBe(true);
    }
    expect(await bench.texts()).toEqual(['before', text, 'after']);
    expect((await bench.store.entries.counts()).malformed).toBe(0);
  });

  it('6. a partial last line is deferred, and counts as malformed only when it is finished', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [prompt('a', 'whole'), '{"type":"user","uuid":"b","mess']);
    expect((await bench.ingest()).entries).toEqual({ added: 1, malformed: 0 });
    expect((await bench.ingest()).files).toMatchObject({ imported: 0, skipped: 1 });
    bench.append('p/s1.jsonl', 'up\n', prompt('c', 'next'));
    expect((await bench.ingest()).entries).toEqual({ added: 1, malformed: 1 });
    expect(await bench.texts()).toEqual(['whole', 'next']);
  });
});

it('6. an unfinished line that is too long to read waits too, and is not read again until it grows', async () => {
  const bench = await workbench();
  const key = 'p/s1.jsonl';
  bench.write(key, [prompt('gone', 'of another file'), ...prompts('old', 3)]);
  await bench.ingest();
  bench.write(key, [prompt('a', 'before'), '{"type":"user","text":"', Buffer.alloc(34 << 20, 'x')]);
  await bench.ingest();
  // The file's earlier entries stay, marked as gone.
  const present = async () =>
    (await bench.texts()).filter((text) => text !== 'of another file' && !text.startsWith('old'));
  expect(await present()).toEqual(['before']);
  expect((await bench.ingest()).files).toMatchObject({ imported: 0, skipped: 1 });
  bench.append(key, '"}\n', prompt('b', 'after', 1));
  expect((await bench.ingest()).entries).toEqual({ added: 1, malformed: 1 });
  expect(await present()).toEqual(['before', 'after']);
});

describe('transactions and crashes', () => {
  it('8. inserted entries, rebuilt conversations and the new offset are one transaction', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', prompts('a', 6));
    await bench.ingest();
    const before = bench.rows();
    bench.append('p/s1.jsonl', ...prompts('b', 6, 10));
    bench.write('p/s2.jsonl', prompts('c', 6, 0, 1, { sessionId: 's2' }));
    const chunks = await chunksOf(bench.store, bench.root, bench.config.home);
    const bad = { ...(chunks.at(-1) as Chunk), status: 'nonsense' as 'ok' };
    await expect(bench.store.transcripts.commit([...chunks.slice(0, -1), bad], rules)).rejects.toThrow();
    const [entry] = (chunks.at(-1) as Chunk).entries;
    const badEntry = { ...(chunks.at(-1) as Chunk), entries: [entry, { ...entry, uuid: 'x', text: null }] as never };
    await expect(bench.store.transcripts.commit([...chunks.slice(0, -1), badEntry], rules)).rejects.toThrow();
    expect(bench.rows()).toEqual(before);
    await bench.ingest();
    expect(await bench.store.admin.integrity()).toEqual([]);
    expect((await bench.store.entries.counts()).entries).toBe(18);
  });

  it('9. after a crash at any commit a restart leaves what an uninterrupted run leaves, equal timestamps included', async () => {
    const whole = await workbench();
    const broken = await workbench();
    const text = 'word '.repeat(60_000);
    for (const bench of [whole, broken]) {
      // One file of several pieces whose lines share one time; many small files; a fork of the large one.
      const large = Array.from({ length: 40 }, (_, i) =>
        i % 2 ? answer(`l${i}`, [toolUse(`t${i}`, 'Read'), { type: 'text', text }]) : prompt(`l${i}`, `${i} ${text}`),
      );
      bench.write('p/s1.jsonl', large);
      bench.write(
        'p/fork.jsonl',
        [...large, prompt('own', 'mine', 5)].map((line) => ({ ...line, sessionId: 'fork' })),
      );
      for (let i = 0; i < 300; i++) bench.write(`q/f${i}.jsonl`, prompts(`f${i}-`, 2, 0, 61, { sessionId: `f${i}` }));
    }
    await whole.ingest();
    let crashes = 0;
    for (let survive = 0; ; survive++) {
      let left = survive % 3;
      const store = await broken.open();
      const failing: Store = {
        ...store,
        transcripts: {
          ...store.transcripts,
          commit: (chunks, how) => {
            // A prefix of a batch's chunks is committed: here one, then the process is gone.
            if (left-- > 0) return store.transcripts.commit(chunks, how);
            return store.transcripts.commit(chunks.slice(0, 1), how).then(() => Promise.reject(new Error('killed')));
          },
        },
      };
      const done = await broken
        .onto(failing)
        .ingest()
        .then(
          () => true,
          () => false,
        );
      if (done) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(3);
    expect(differences(broken.rows(), rebased(whole.rows(), whole.home, broken.home))).toEqual([]);
  });

  it('9. an unreadable file is logged, skipped, reported by the health check, and touches no other file', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', prompts('a', 6));
    bench.write('p/s3.jsonl', prompts('c', 6, 0, 1, { sessionId: 's3' }));
    bench.write('p/broken.jsonl', [Buffer.from([0, 1, 2, 255, 10, 0, 0, 10])]);
    const report = await bench.ingest();
    expect(report).toMatchObject({ files: { seen: 3, imported: 2, failed: 1 }, entries: { added: 12 } });
    expect(report.problems.map((problem) => problem.message).join()).toContain('broken.jsonl');
    const health = await doctor.run({ config: bench.config, store: bench.store, clock: () => later }, {});
    expect(health.ok).toBe(false);
    expect(health.checks.find((check) => check.name === 'transcripts')?.message).toContain('broken.jsonl');
    expect(health.counts).toEqual(await bench.store.entries.counts());
  });
});

const textOf = (line: Record<string, unknown>) => (line.message as { content: string }).content;

const sourceOf = (root: string, key: string): Source => {
  const file = path.join(root, key);
  return { agent: claudeCode, path: file, root, key, size: fs.statSync(file).size };
};

const keysBelow = (root: string): string[] =>
  (fs.readdirSync(root, { recursive: true }) as string[]).filter((key) => key.endsWith('.jsonl')).sort();

async function chunksOf(store: Store, root: string, home: string): Promise<Chunk[]> {
  const states = new Map((await store.transcripts.states()).map((state) => [`${state.agent} ${state.key}`, state]));
  const sources = keysBelow(root).map((key) => sourceOf(root, key));
  return [...readBatches({ sources, states, reimport: false, home })].flat().flatMap(({ chunk }) => chunk ?? []);
}

/** The same rows as they would be in another home folder. */
const rebased = (rows: Record<string, string[]>, from: string, to: string): Record<string, string[]> =>
  Object.fromEntries(Object.entries(rows).map(([table, lines]) => [table, lines.map((l) => l.replaceAll(from, to))]));
