// Forgetting with the real program: beside a running worker, and killed at any moment.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { because } from '../because.ts';
import { rounds } from '../rounds.ts';
import { ask, dice, holdfast, launch, type Place, place, temporaryFolder } from './holdfast.ts';
import { killedAt, noTrace } from './kill-at.ts';

const word = 'quixotoplasm';

/** Forty sessions, one of which contains the word: distilled, archived and copied. */
async function prepared(): Promise<Place> {
  const own = place();
  const folder = path.join(own.claude, '-srv-tide');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < 40; n++) {
    const at = (i: number) => new Date(Date.UTC(2026, 3, 1 + n, 10, i)).toISOString();
    const line = (i: number, role: 'user' | 'assistant', text: string) =>
      JSON.stringify({
        ...{ type: role, uuid: `e${n}-${i}`, sessionId: `session-${n}`, cwd: '/srv/tide', timestamp: at(i) },
        message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
      });
    const said = n === 7 ? word : `gate ${n}`;
    const lines = [0, 1, 2, 3].flatMap((i) => [
      line(2 * i, 'user', `Please fix the ${said} in step ${i}`),
      line(2 * i + 1, 'assistant', `Decision: the ${said} is fixed, part ${i} of it.`),
    ]);
    writeFileSync(path.join(folder, `session-${n}.jsonl`), `${lines.join('\n')}\n`);
  }
  await ask(own.env, 'ingest');
  await ask(own.env, 'process', '--all');
  await ask(own.env, 'vault', '--fill');
  await ask(own.env, 'archive', 'session-7');
  return own;
}

/** Undefined for a folder, and for a file that a running worker has just removed. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (['EISDIR', 'ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function holding({ home }: Place): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) => {
    const bytes = bytesOf(path.join(home, file));
    if (bytes === undefined) return false;
    return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('latin1').toLowerCase().includes(word);
  });
}

function isUnfinished({ database }: Place): boolean {
  const db = new Database(database, { readonly: true });
  try {
    return db.prepare('SELECT 1 FROM forgetting').get() !== undefined;
  } finally {
    db.close();
  }
}

it('the next command finishes a forget that was killed at random moments, and nothing else is lost', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const own = await prepared();
  expect(holding(own).length).toBeGreaterThan(2);
  const folder = temporaryFolder();
  const copy = path.join(folder, 'home');
  cpSync(own.home, copy, { recursive: true });
  const began = performance.now();
  await ask(own.env, 'forget', 'session-7', '--yes');
  const lasts = performance.now() - began;
  const kills = rounds(6, 24);
  const tally = { before: 0, between: 0 };
  for (let round = 0; round < kills; round++) {
    rmSync(own.home, { recursive: true });
    cpSync(copy, own.home, { recursive: true });
    const running = launch(own.env, ['forget', 'session-7', '--yes']);
    // Kill at a random time, or right after the rows are deleted and before the files are rewritten.
    if (round % 2 === 0) await Promise.race([sleep(lasts * (0.3 + random.next() * 0.7)), running.ended]);
    else while (running.child.exitCode === null && !isUnfinished(own)) await sleep(1);
    running.child.kill('SIGKILL');
    await running.ended;
    if (holding(own).length > 0) tally.between++;
    const { code } = await holdfast(own.env, 'forget', 'session-7', '--yes');
    if (code === 0) tally.before++;
    const note = `seed ${seed}, round ${round}`;
    expect(holding(own), note).toEqual([]);
    expect((await ask(own.env, 'sessions')).sessions, note).toHaveLength(39);
    await ask(own.env, 'doctor');
  }
  expect(tally.between - tally.before).toBeGreaterThan(0);
  console.log(
    `seed ${seed}: ${kills} kills, ${tally.before} before the rows went, ${tally.between - tally.before} between rows and files`,
  );
});

it('works beside a worker, which does not bring it back', async () => {
  const own = await prepared();
  const worker = launch(own.env, ['worker', 'run']);
  await worker.says('Watching');
  const { left, removed } = await ask(own.env, 'forget', 'session-7', '--yes');
  expect(removed).toMatchObject({ sessions: 1, entries: 8 });
  expect(left).toEqual([expect.stringContaining('session-7.jsonl')]);
  expect(holding(own)).toEqual([]);
  const transcript = path.join(own.claude, '-srv-tide', 'session-7.jsonl');
  writeFileSync(transcript, readFileSync(transcript, 'utf8').replaceAll('e7-', 'f7-'));
  await ask(own.env, 'ingest', '--reimport');
  await ask(own.env, 'vault', '--fill');
  expect(holding(own)).toEqual([]);
  expect((await ask(own.env, 'sessions')).sessions).toHaveLength(39);
  worker.child.kill();
  await worker.ended;
});

it.skipIf(noTrace)(
  because('the next command finishes forgetting one tool use that was killed, and its entry stays', noTrace),
  async () => {
    const own = place();
    const folder = path.join(own.claude, '-srv-tide');
    mkdirSync(folder, { recursive: true });
    const line = (i: number, type: 'user' | 'assistant', content: unknown) =>
      JSON.stringify({
        ...{ type, uuid: `e${i}`, sessionId: 'session-1', cwd: '/srv/tide', timestamp: `2026-04-01T10:0${i}:00.000Z` },
        message: { role: type, content },
      });
    const use = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
    const lines = [
      line(0, 'user', 'Look at both gates'),
      line(1, 'assistant', [{ type: 'text', text: 'I look.' }, use('t1', `cat ${word}.env`), use('t2', 'cat gate.ts')]),
      line(2, 'user', [result('t1', `TOKEN=${word}`)]),
      line(3, 'user', [result('t2', 'open')]),
    ];
    writeFileSync(path.join(folder, 'session-1.jsonl'), `${lines.join('\n')}\n`);
    await ask(own.env, 'ingest');
    await ask(own.env, 'vault', '--fill');
    expect(holding(own).length).toBeGreaterThan(1);
    const copy = path.join(temporaryFolder(), 'home');
    cpSync(own.home, copy, { recursive: true });
    let isThrough = false;
    for (let call = 1; !isThrough; call = Math.ceil(call * 1.7)) {
      rmSync(own.home, { recursive: true });
      cpSync(copy, own.home, { recursive: true });
      isThrough = killedAt(own, call, ['forget', 'e1', 't1', '--yes', '--json']);
      // Not found if the rows went before the kill: then this command only finishes the rest.
      await holdfast(own.env, 'forget', 'e1', 't1', '--yes');
      expect(holding(own), `killed at call ${call}`).toEqual([]);
      const { entries } = (await ask(own.env, 'show', 'e1')) as {
        entries: { id: string; toolUses: { id: string }[] }[];
      };
      const [looked] = entries.filter(({ id }) => id === 'e1');
      expect(looked?.toolUses.map(({ id }) => id)).toEqual(['t2']);
    }
  },
);
