// Ctrl+C and termination: the program says what it kept, leaves nothing behind, and the next run continues.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  ask,
  expectNoTrace,
  holdfast,
  isAlive,
  killAll,
  launch,
  type Place,
  place,
  program,
  temporaryFolder,
  until,
} from './holdfast.ts';
import { expectSameRows, rowsOf } from './rows.ts';
import { writeTranscripts } from './transcripts.ts';

/** Other systems have no /proc, and their `script` takes other options. */
const isLinux = process.platform === 'linux';

function machine(): { folder: string; own: Place; transcripts: { claude: string; pi: string } } {
  const folder = temporaryFolder();
  const transcripts = writeTranscripts(path.join(folder, 'transcripts'));
  return { folder, transcripts, own: place({ folder: path.join(folder, 'own'), ...transcripts }) };
}

/** Resolves when the import has stored something: the empty tables take less space. */
const importing = (own: Place) =>
  until(() => (statSync(`${own.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1 << 20, 'the import to begin');

/** An import may finish before the signal arrives. Then try again from an empty store. */
async function inTime<T extends { readonly code: number | null }>(own: Place, interrupt: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const end = await interrupt();
    if (end.code !== 0 || attempt === 5) return end;
    rmSync(own.home, { recursive: true });
  }
}

async function expectWhole(folder: string, own: Place, transcripts: { claude: string; pi: string }): Promise<void> {
  await ask(own.env, 'ingest');
  expect(await ask(own.env, 'doctor')).toMatchObject({ ok: true });
  const fresh = place({ folder: path.join(folder, 'fresh'), ...transcripts });
  await ask(fresh.env, 'ingest');
  expectSameRows(rowsOf(own.database), rowsOf(fresh.database), 'after the interruption');
}

for (const command of ['ingest', 'start'])
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    it(`${signal} during the import of \`${command}\` ends with ${code}, and the next run completes it`, async () => {
      const { folder, own, transcripts } = machine();
      const end = await inTime(own, async () => {
        const running = launch(own.env, [command]);
        await importing(own);
        running.child.kill(signal);
        return running.ended;
      });
      expect({ code: end.code, stderr: end.stderr }).toEqual({
        code,
        stderr: 'Stopped. What was done so far is kept; the next run continues from there.\n',
      });
      expectNoTrace(end);
      await expectWhole(folder, own, transcripts);
    });

it.skipIf(!isLinux)('Ctrl+C at a terminal, which reaches the whole process group, does the same', async () => {
  const { folder, own, transcripts } = machine();
  const { code, said } = await inTime(own, async () => {
    // `script` gives the command a terminal. The byte 3 typed there is Ctrl+C.
    const terminal = spawn('script', ['-qec', `${program} ingest`, '/dev/null'], { env: own.env });
    const heard: Buffer[] = [];
    terminal.stdout.on('data', (bytes: Buffer) => heard.push(bytes));
    const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
    await importing(own);
    terminal.stdin.write('\x03');
    return { code: await ended, said: Buffer.concat(heard).toString() };
  });
  expect(code).toBe(130);
  expect(said).toContain('Stopped. What was done so far is kept');
  await expectWhole(folder, own, transcripts);
});

for (const command of [['start'], ['worker', 'run']])
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`${signal} while \`${command.join(' ')}\` watches ends it cleanly`, async () => {
      const { own } = machine();
      const running = launch(own.env, command);
      await running.says('Watching');
      const claim = path.join(own.home, 'worker.pid');
      expect(JSON.parse(readFileSync(claim, 'utf8')).pid).toBe(running.child.pid);
      running.child.kill(signal);
      const end = await running.ended;
      expect({ code: end.code, signal: end.signal, stderr: end.stderr }).toEqual({ code: 0, signal: null, stderr: '' });
      expect(existsSync(claim)).toBe(false);
      // Closing the database has removed its side files.
      expect(readdirSync(own.home).filter((name) => /-(wal|shm)$|\.(pid|tmp)/.test(name))).toEqual([]);
    });

it.skipIf(!isLinux)('ten starts at once make one worker, and stop leaves no process', async () => {
  const own = place();
  const results = await Promise.all(Array.from({ length: 10 }, () => holdfast(own.env, 'worker', 'start', '--json')));
  for (const { code, stderr } of results) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const answers = results.map(({ stdout }) => JSON.parse(stdout) as { pid: number; alreadyRunning: boolean });
  try {
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
    expect(answers.filter(({ alreadyRunning }) => !alreadyRunning)).toHaveLength(1);
    const { pid } = answers[0] as { pid: number };
    // The late ones see the worker and exit.
    await until(() => workersOf(own).length === 1, 'one worker to be left');
    expect(workersOf(own)).toEqual([pid]);
    expect(await ask(own.env, 'worker', 'status')).toMatchObject({ running: true, pid });

    expect(await ask(own.env, 'worker', 'stop')).toEqual({ stopped: true, pid });
    expect(isAlive(pid)).toBe(false);
    expect(workersOf(own)).toEqual([]);
    expect(existsSync(path.join(own.home, 'worker.pid'))).toBe(false);
    expect(await ask(own.env, 'worker', 'status')).toMatchObject({ running: false });
    expect(await ask(own.env, 'worker', 'stop')).toEqual({ stopped: false });
  } finally {
    killAll(workersOf(own));
  }
});

it.skipIf(!isLinux)('a killed worker does not block the next one', async () => {
  const own = place();
  const { pid } = await ask(own.env, 'worker', 'start');
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid));
  expect(await ask(own.env, 'worker', 'status')).toMatchObject({ running: false });
  const next = await ask(own.env, 'worker', 'start');
  expect(next).toMatchObject({ alreadyRunning: false });
  expect(next.pid).not.toBe(pid);
  await ask(own.env, 'worker', 'stop');
  expect(workersOf(own)).toEqual([]);
});

/** Processes that the system reports as the worker of this data folder. */
const workersOf = (own: Place): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ');
        const home = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOLDFAST_HOME=${own.home}`);
        return home && command.includes('worker run') && isAlive(Number(pid));
      } catch {
        // The process ended while we looked.
        return false;
      }
    })
    .map(Number);
