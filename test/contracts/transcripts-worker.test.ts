// Statements 10–12 of the promise to transcripts: the queue, the single writer and the watcher, as the worker combines them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { ingest } from '../../src/capture/ingest.ts';
import { fileQueue } from '../../src/capture/queue.ts';
import { folderSources } from '../../src/capture/sources.ts';
import type { Store } from '../../src/store/store.ts';
import { type Bench, bytesOf, prompt, prompts, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';

describe('the queue', () => {
  it('10. holds a file once; a change that arrives while it is processed queues it again', async () => {
    const taken: string[] = [];
    let during: (() => void) | undefined;
    const queue = fileQueue(
      async (file) => {
        taken.push(file);
        await new Promise((resolve) => setTimeout(resolve, 5));
        during?.();
        during = undefined;
      },
      () => {},
      1,
    );
    for (let i = 0; i < 20; i++) for (const file of ['a', 'b']) queue.add(file);
    await queue.idle();
    expect(taken).toEqual(['a', 'b']);
    during = () => {
      for (let i = 0; i < 5; i++) queue.add('a');
    };
    queue.add('a');
    await queue.idle();
    expect(taken).toEqual(['a', 'b', 'a', 'a']);
  });

  it('10. a file whose turn fails waits for a retry and does not hold up others', async () => {
    const [taken, failed]: [string[], string[]] = [[], []];
    let broken = true;
    const queue = fileQueue(
      async (file) => {
        if (file === 'bad' && broken) throw new Error('no');
        taken.push(file);
      },
      (file) => failed.push(file),
      1,
    );
    for (const file of ['bad', 'good']) queue.add(file);
    await queue.idle();
    expect([taken, failed]).toEqual([['good'], ['bad']]);
    broken = false;
    queue.retry();
    await queue.idle();
    expect(taken).toEqual(['good', 'bad']);
  });
});

describe('one writer at a time', () => {
  it('11. two stores on one database import the same files at once: nothing lost, nothing doubled', async () => {
    const bench = await workbench();
    const alone = await workbench();
    for (let i = 0; i < 40; i++) {
      const lines = prompts(`f${i}-`, 6, 0, 30, { sessionId: `f${i}` });
      for (const each of [bench, alone]) each.write(`p/f${i}.jsonl`, lines);
    }
    const second = await bench.open();
    await Promise.all([bench.ingest(), ingest({ ...bench.deps, store: second }, {}), bench.ingest({ reimport: true })]);
    await alone.ingest();
    expect(await bench.store.entries.counts()).toEqual(await alone.store.entries.counts());
    expect(await second.entries.counts()).toEqual(await alone.store.entries.counts());
    expect(await bench.store.admin.integrity()).toEqual([]);
  });

  it('11. a chunk that another process committed first is skipped, and reading continues where that one ended', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 8));
    const { size } = fs.statSync(path.join(bench.root, key));
    const second = await bench.open();
    let raced = false;
    const store = {
      ...bench.store,
      transcripts: {
        ...bench.store.transcripts,
        commit: async (...given: Parameters<typeof second.transcripts.commit>) => {
          if (!raced) await bench.onto(second).take(key, Math.floor(size / 2));
          raced = true;
          return bench.store.transcripts.commit(...given);
        },
      },
    };
    expect(await bench.onto(store).take(key)).toMatchObject({ imported: 1, failed: 0 });
    expect(await bench.texts()).toEqual(prompts('a', 8).map((_, i) => `a number ${i}`));
  });

  it('11. a writer waits for another process that holds the database, and readers do not', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 3));
    const hold = `const D = require('better-sqlite3'); const db = new D(process.argv[1]); db.exec('BEGIN IMMEDIATE');
      console.log('held'); process.stdin.once('data', () => setTimeout(() => {
        console.log(Date.now()); db.exec('COMMIT'); db.close(); process.exit(); }, 400));`;
    const child = spawn(process.execPath, ['-e', hold, bench.config.databasePath], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    await once(child.stdout, 'data');
    expect((await bench.store.entries.counts()).entries).toBe(0);
    child.stdin.write('enough\n');
    expect((await bench.ingest()).entries.added).toBe(3);
    const done = Date.now();
    await closed;
    expect(done).toBeGreaterThanOrEqual(Number(said.split('\n')[1]));
  });
});

describe('the worker', () => {
  it('12. imports what appears and grows below a hidden folder; the scan imports what was there', async () => {
    const bench = await workbench();
    expect(path.relative(bench.home, bench.root)).toBe(path.join('.claude', 'projects'));
    bench.write('p/old.jsonl', prompts('old', 2, 0, 1, { sessionId: 'old' }));
    await working(bench);
    await eventually(bench, 'old', 2);
    bench.write('new/project/new.jsonl', prompts('new', 2, 0, 1, { sessionId: 'new' }));
    await eventually(bench, 'new', 2);
    bench.append('p/old.jsonl', ...prompts('more', 3, 9, 1, { sessionId: 'old' }));
    await eventually(bench, 'old', 5);
  });

  it('12. survives the removal and re-creation of a project folder, and of the root', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 2));
    await working(bench);
    await eventually(bench, 's1', 2);
    fs.rmSync(path.join(bench.root, 'p'), { recursive: true });
    await pause();
    bench.write('p/s2.jsonl', prompts('b', 2, 0, 1, { sessionId: 's2' }));
    await eventually(bench, 's2', 2);
    fs.rmSync(path.join(bench.home, '.claude'), { recursive: true });
    await pause();
    bench.write('p/s3.jsonl', prompts('c', 2, 0, 1, { sessionId: 's3' }));
    await eventually(bench, 's3', 2);
    bench.append('p/s3.jsonl', prompt('c9', 'after', 9, { sessionId: 's3' }));
    await eventually(bench, 's3', 3);
    expect(await bench.texts('s1')).toHaveLength(2);
  });

  it('12. coalesces bursts, and loses nothing that is written in small pieces', async () => {
    const bench = await workbench();
    bench.write(key, []);
    let commits = 0;
    const store = {
      ...bench.store,
      transcripts: {
        ...bench.store.transcripts,
        commit: (...given: Parameters<typeof bench.store.transcripts.commit>) => {
          commits++;
          return bench.store.transcripts.commit(...given);
        },
      },
    };
    await working(bench, store);
    const bytes = bytesOf(prompts('burst 🐙 ', 50));
    for (let at = 0; at < bytes.length; at += 37) bench.append(key, bytes.subarray(at, at + 37));
    await eventually(bench, 's1', 50);
    expect(bytes.length / 37).toBeGreaterThan(200);
    expect(commits).toBeLessThan(20);
  });

  it('12. an agent that is switched off is neither scanned nor watched', async () => {
    const bench = await workbench({ HOLDFAST_AGENTS_CLAUDE_CODE_ENABLED: 'false' });
    bench.write(key, prompts('a', 2));
    expect(bench.config.enabled(claudeCode)).toBe(false);
    await working(bench);
    bench.append(key, prompt('b', 'more', 3));
    await pause();
    expect((await bench.store.entries.counts()).files).toBe(0);
    expect((await folderSources(bench.config, bench.root)).sources).toHaveLength(1);
  });
});

/** Runs the worker until the test ends. Resolves when it watches. */
async function working(bench: Bench, store = bench.store): Promise<void> {
  const stop = new AbortController();
  let polled = () => {};
  const first = new Promise<void>((resolve) => {
    polled = resolve;
  });
  const told: Store = {
    ...store,
    conversations: {
      ...store.conversations,
      markReady(...given) {
        polled();
        return store.conversations.markReady(...given);
      },
    },
  };
  const running = bench.onto(told).work(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await first;
}

const eventually = (bench: Bench, session: string, entries: number) =>
  expect.poll(async () => (await bench.texts(session)).length).toBe(entries);

const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
