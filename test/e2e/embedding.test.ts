// Vectors through the real program: after an import, after kills, live, with other models, and when a model fails.
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { getPriority } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { rounds } from '../rounds.ts';
import { ask, dice, holdfast, launch, type Place, place, root, temporaryFolder, until } from './holdfast.ts';
import { expectSameRows, rowsOf } from './rows.ts';
import { writeSmallTranscripts } from './transcripts.ts';

function look<T>(own: Place, sql: string): T[] {
  const db = new Database(own.database, { readonly: true });
  try {
    return db.prepare(sql).pluck().all() as T[];
  } finally {
    db.close();
  }
}

const pending = (own: Place) => look<number>(own, 'SELECT count(*) FROM vector_queue')[0];
/** How many texts have vectors. A long one has several. */
const embedded = (own: Place) =>
  look<number>(own, 'SELECT count(*) FROM (SELECT DISTINCT kind, subject_id, model_id FROM vectors)')[0] as number;
/** How many vectors each text has; 0 if some of its parts are missing. */
const parts = (own: Place) =>
  look<number>(
    own,
    'SELECT CASE WHEN max(part) + 1 = count(*) THEN count(*) ELSE 0 END FROM vectors GROUP BY kind, subject_id, model_id',
  );
const models = (own: Place) => look<string>(own, 'SELECT name FROM vector_models');
const complete = (own: Place) => look<string>(own, 'SELECT name FROM vector_models WHERE wanted AND complete');

function withDemo(): Place {
  const own = place();
  cpSync(path.join(root, 'demo/claude-code/projects'), own.claude, { recursive: true });
  return own;
}

it('when ingest returns, every meaningful text has a vector, and a second ingest does nothing', async () => {
  const own = withDemo();
  await ask(own.env, 'ingest');
  const speaking = look<number>(own, "SELECT count(*) FROM entries WHERE text <> ''")[0];
  // Tool uses have vectors too, if they say something.
  expect(embedded(own)).toBeGreaterThanOrEqual(speaking as number);
  expect(pending(own)).toBe(0);
  expect(pending(own)).toBe(0);
  const [last] = look<number>(own, 'SELECT max(seq) FROM vectors');
  await ask(own.env, 'ingest');
  expect(look<number>(own, 'SELECT max(seq) FROM vectors')).toEqual([last]);
  const { checks } = await ask(own.env, 'doctor');
  expect(checks).toContainEqual({
    name: 'search by meaning',
    ok: true,
    message: expect.stringMatching(
      new RegExp(
        `^${embedded(own).toLocaleString('en')} entries by holdfast-static-256-v\\d+ \\+ encoder-256 v1; \\d+ texts still to be read closely$`,
      ),
    ),
  });
});

it('embedding killed at random moments continues, and leaves each text one vector', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const transcripts = writeSmallTranscripts(path.join(folder, 'transcripts'));
  const whole = place({ folder: path.join(folder, 'whole'), ...transcripts });
  const none = { HOLDFAST_EMBEDDING_KIND: 'none' };
  await ask({ ...whole.env, ...none }, 'ingest');
  expect(embedded(whole)).toBe(0);
  const before = path.join(folder, 'before');
  cpSync(whole.home, before, { recursive: true });
  await ask(whole.env, 'ingest');
  const all = embedded(whole);
  const own = place({ folder: path.join(folder, 'own'), ...transcripts });
  let inside = 0;
  const times = rounds(4, 16);
  for (let round = 0; round < times; round++) {
    rmSync(own.home, { recursive: true, force: true });
    cpSync(before, own.home, { recursive: true });
    const running = launch(own.env, ['ingest']);
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    // By progress, not by time. The last vectors are stored too fast to hit.
    const wanted = ((round + random.next()) / times) * 0.8 * all;
    while (!over && embedded(own) <= wanted) await sleep(1);
    running.child.kill('SIGKILL');
    await running.ended;
    const stored = embedded(own);
    if (stored > 0 && (pending(own) as number) > 0) inside++;
    await ask(own.env, 'ingest');
    expect({ seed, round, pending: pending(own) }).toEqual({ seed, round, pending: 0 });
  }
  expectSameRows(rowsOf(own.database), rowsOf(whole.database), `seed ${seed}`);
  console.log(`seed ${seed}: ${times} kills, ${inside} with part of the vectors stored`);
  expect(inside).toBeGreaterThan(0);
});

it('a worker embeds a live session, and answers a search for a command that could not', async () => {
  const own = withDemo();
  const env = { ...own.env, HOLDFAST_POLL_INTERVAL_MS: '60000' };
  const worker = launch(env, ['worker', 'run']);
  await until(() => existsSync(own.database) && existsSync(path.join(own.home, 'token')));
  await until(async () => (await holdfast(env, 'search', '--json', 'retry')).stdout.includes('"id"'));
  await until(() => pending(own) === 0 && embedded(own) > 0);
  const before = embedded(own);
  const line = {
    type: 'user',
    uuid: '11111111-2222-4333-8444-555555555555',
    sessionId: 'aaaaaaaa-2222-4333-8444-555555555555',
    timestamp: new Date().toISOString(),
    cwd: '/home/dev/tide',
    message: { role: 'user', content: 'The barnacles cling to the hull.' },
  };
  mkdirSync(path.join(own.claude, '-home-dev-tide'), { recursive: true });
  appendFileSync(path.join(own.claude, '-home-dev-tide', `${line.sessionId}.jsonl`), `${JSON.stringify(line)}\n`);
  await until(() => embedded(own) === before + 1, 'the vector of a live entry');
  expect(pending(own)).toBe(0);
  // The worker has the database open. A command that opens the path itself finds an empty one.
  renameSync(own.database, `${own.database}.away`);
  // A command does not wait for a busy worker, so let the next one ask it.
  await until(async () => {
    const found = await holdfast(env, 'search', '--json', 'barnacles');
    return JSON.parse(found.stdout).hits.some(({ id }: { id: string }) => id === line.uuid);
  }, 'an answer of the worker');
  renameSync(`${own.database}.away`, own.database);
  worker.child.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

it.skipIf(process.platform !== 'linux')(
  'a worker reads texts closely at low priority, and answers at its own',
  async () => {
    const own = withDemo();
    const worker = launch(own.env, ['worker', 'run']);
    const children = `/proc/${worker.child.pid}/task/${worker.child.pid}/children`;
    // The name of a program may contain blanks and brackets. The priority is the 17th field after it.
    const priority = (pid: string): string | undefined => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ')[16];
      } catch {
        // The process has ended.
        return undefined;
      }
    };
    const reader = (): string | undefined =>
      readFileSync(children, 'utf8')
        .split(' ')
        .find((pid) => /^\d+$/.test(pid) && commandOf(pid).includes('closely-process') && priority(pid) === '19');
    await until(() => reader() !== undefined, 'a process of low priority');
    expect(priority(String(worker.child.pid))).toBe(String(getPriority()));
    const pid = reader() ?? '';
    expect(pid).not.toBe('');
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    await until(() => priority(pid) === undefined, 'the end of the process that reads');
  },
);

it('another model takes over in the background; a failing model is reported while the old one serves', async () => {
  const own = withDemo();
  let broken = true;
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { input: string[] };
    if (broken) return void response.writeHead(404).end('{"error":"model \\"nomic-embed-text\\" not found"}');
    const vectorOf = (text: string) =>
      Array.from({ length: 32 }, (_, i) => (text.charCodeAt(i % text.length) % 17) - 8);
    response.end(JSON.stringify({ embeddings: input.map(vectorOf) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await ask(own.env, 'ingest');
  const [builtIn] = models(own);
  const all = embedded(own);
  await ask(own.env, 'config', 'set', 'embedding.url', url);
  await ask(own.env, 'config', 'set', 'embedding.kind', 'ollama');
  // The import does not fail because of it.
  const report = await ask(own.env, 'ingest');
  expect(report.problems).toMatchObject([{ message: expect.stringContaining('"nomic-embed-text" not found') }]);
  const status = await holdfast(own.env, 'status', '--json');
  expect(JSON.parse(status.stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'search by meaning', ok: false, message: expect.stringContaining('not found') }),
  );
  expect(models(own)).toEqual([builtIn, 'ollama nomic-embed-text']);
  expect(embedded(own)).toBe(all);
  broken = false;
  await ask(own.env, 'ingest');
  expect(models(own)).toEqual(['ollama nomic-embed-text']);
  expect(embedded(own)).toBe(all);

  const worker = launch({ ...own.env, HOLDFAST_POLL_INTERVAL_MS: '100' }, ['worker', 'run']);
  await worker.says('Watching');
  await ask(own.env, 'config', 'set', 'embedding.kind', 'built-in');
  await until(() => models(own).join() === builtIn && complete(own).length === 1, 'the built-in model to take over');
  expect(embedded(own)).toBe(all);
  worker.child.kill('SIGTERM');
  await worker.ended;
});

const packages = path.join(root, 'node_modules/.cache/models');
const noMiniLm = existsSync(path.join(packages, 'whole')) || process.env.CI ? undefined : 'MiniLM is not installed';
it.skipIf(noMiniLm)(
  because('MiniLM runs in a separate thread, can be interrupted, and continues from there', noMiniLm),
  async () => {
    const own = withDemo();
    mkdirSync(own.home, { mode: 0o700 });
    const env = { ...own.env, HOLDFAST_EMBEDDING_KIND: 'minilm' };
    const without = await ask(env, 'ingest');
    expect(without.problems).toMatchObject([{ hint: expect.stringContaining('npm install --prefix') }]);
    symlinkSync(packages, path.join(own.home, 'models'));
    const running = launch(env, ['ingest']);
    await until(() => embedded(own) > 0, 'the first vectors');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    // The command may have finished by then.
    expect([0, 130]).toContain(code);
    expect(stdout + stderr).not.toMatch(/segmentation|abort|fatal/i);
    await ask(env, 'ingest');
    expect(pending(own)).toBe(0);
    expect(complete(own)).toEqual([
      expect.stringMatching(/^holdfast-static-256-v\d+ \+ all-MiniLM-L6-v2 int8 v1 by sentences v2$/),
    ]);
    expect(look(own, 'SELECT DISTINCT length(vector) FROM vectors')).toEqual([640]);
    const { checks, ok } = await ask(env, 'doctor');
    expect(checks).toContainEqual(expect.objectContaining({ name: 'search by meaning', ok: true }));
    expect(ok).toBe(true);
    // MiniLM alone was the model once: its vectors are computed again.
    const [all, [name]] = [embedded(own), complete(own)];
    const db = new Database(own.database);
    db.exec(
      "UPDATE vector_models SET name = 'all-MiniLM-L6-v2 int8 v1', dimensions = 384; UPDATE vectors SET vector = substr(vector, 257)",
    );
    db.close();
    await ask(env, 'ingest');
    expect(models(own)).toEqual([name]);
    expect(look(own, 'SELECT DISTINCT length(vector) FROM vectors')).toEqual([640]);
    expect(embedded(own)).toBe(all);
    const { hits, note } = await ask(env, 'search', 'orders that were delivered twice');
    expect(note).toBeUndefined();
    expect(hits).not.toEqual([]);
  },
);

it.skipIf(noMiniLm)(
  because('MiniLM serves indexing and search in one process, also one after the other', noMiniLm),
  async () => {
    const own = withDemo();
    mkdirSync(own.home, { mode: 0o700 });
    symlinkSync(packages, path.join(own.home, 'models'));
    const program = `
      const { openEmbedder } = await import(${JSON.stringify(path.join(root, 'dist/embedding/index.js'))});
      const config = { home: ${JSON.stringify(own.home)}, settings: { embedding: { kind: 'minilm' } } };
      const [first, second] = [openEmbedder(config), openEmbedder(config)];
      const both = await Promise.all([first.query('failed batches'), second.query('failed batches')]);
      await first.close();
      await second.close();
      const again = await openEmbedder(config).query('failed batches');
      console.log(JSON.stringify([...both, again].map((vector) => vector.join())));`;
    const file = path.join(own.home, 'both.mjs');
    writeFileSync(file, program);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const vectors = JSON.parse(stdout) as string[];
    expect(vectors).toHaveLength(3);
    expect(new Set(vectors).size).toBe(1);
  },
);

it('embed reads every text closely, even after repeated kills, and leaves each text all of its vectors or the rough one', async () => {
  const own = withDemo();
  await ask(own.env, 'ingest');
  const all = embedded(own);
  const rough = () => look<number>(own, 'SELECT count(*) FROM vectors WHERE rough')[0] as number;
  expect(rough()).toBe(all);
  for (let kills = 0; kills < 5 && rough() > 0; kills++) {
    const before = rough();
    const command = launch(own.env, ['embed']);
    await Promise.race([until(() => rough() < before, 'a text to be read'), command.ended]);
    command.child.kill('SIGKILL');
    await command.ended;
    expect(embedded(own)).toBe(all);
    expect(parts(own)).not.toContain(0);
  }
  const { left, entries } = await ask(own.env, 'embed');
  expect([left, entries, rough(), embedded(own)]).toEqual([0, all, 0, all]);
  expect(parts(own)).not.toContain(0);
  expect(Math.max(...parts(own))).toBeGreaterThan(1);
});
