// Files that are not transcripts, paths that lead nowhere, options that make no sense: each gets a clear error, and the rest continues.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import {
  ask,
  expectNoTrace,
  holdfast,
  launch,
  type Place,
  place,
  program,
  type Result,
  temporaryFolder,
  until,
} from './holdfast.ts';

const prompt = (uuid: string, text: string, session = 'good') =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    sessionId: session,
    cwd: '/work',
    timestamp: '2026-01-01T10:00:00.000Z',
    message: { role: 'user', content: text },
  })}\n`;

/** Each entry makes a bad file at a path. `as` is how a folder import counts it, `says` is what the import reports. */
const bad: readonly {
  name: string;
  as: 'failed' | 'left out' | 'looked into';
  says: RegExp;
  exit: number;
  make(file: string): void;
}[] = [
  {
    name: 'a binary file',
    as: 'left out',
    says: /is not a transcript/,
    exit: 4,
    make: (file) => writeFileSync(file, Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 251))),
  },
  { name: 'an empty file', as: 'left out', says: /is empty/, exit: 4, make: (file) => writeFileSync(file, '') },
  { name: 'a folder named x.jsonl', as: 'looked into', says: /is a folder/, exit: 2, make: (file) => mkdirSync(file) },
  {
    name: 'a link to itself',
    as: 'failed',
    says: /is a symbolic link that leads back to itself/,
    exit: 4,
    make: (file) => symlinkSync(path.basename(file), file),
  },
  {
    name: 'a link to nothing',
    as: 'failed',
    says: /does not exist/,
    exit: 3,
    make: (file) => symlinkSync('nothing', file),
  },
  {
    name: 'a JSON array',
    as: 'left out',
    says: /is not a transcript/,
    exit: 4,
    make: (file) => writeFileSync(file, `${JSON.stringify([{ type: 'user', uuid: 'x' }], null, 1)}\n`),
  },
  {
    name: 'NUL bytes',
    as: 'left out',
    says: /is not a transcript/,
    exit: 4,
    make: (file) => writeFileSync(file, `${'\0'.repeat(9000)}\n`),
  },
];

/** A folder with a good transcript before and after the bad file. */
function mixed(folder: string, make: (file: string) => void): { dir: string; file: string } {
  const dir = path.join(folder, 'mixed');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'a.jsonl'), prompt('u-a', 'before the bad one'));
  const file = path.join(dir, 'm.jsonl');
  make(file);
  writeFileSync(path.join(dir, 'z.jsonl'), prompt('u-z', 'after the bad one'));
  return { dir, file };
}

async function expectBothGood(own: Place): Promise<void> {
  const { hits } = await ask(own.env, 'search', 'bad');
  expect(hits.map((hit: { id: string }) => hit.id).sort()).toEqual(['u-a', 'u-z']);
}

describe.each(bad)('$name', ({ says, exit, make }) => {
  it('given with --file, is refused by name', async () => {
    const own = place();
    const { file } = mixed(own.folder, make);
    const refused = await holdfast(own.env, 'ingest', '--file', file);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: exit, stdout: '' });
    expect(refused.stderr).toMatch(says);
    expect(refused.stderr).toContain(file);
    expectNoTrace(refused);
  });
});

/** A folder with all bad files between two good transcripts. Returns the path of each bad file. */
function mixedWithAll(folder: string): { dir: string; files: readonly string[] } {
  const dir = path.join(folder, 'mixed');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'a.jsonl'), prompt('u-a', 'before the bad one'));
  const files = bad.map(({ make }, i) => {
    const file = path.join(dir, `m${i}.jsonl`);
    make(file);
    return file;
  });
  writeFileSync(path.join(dir, 'z.jsonl'), prompt('u-z', 'after the bad one'));
  return { dir, files };
}

it('inside a folder, each bad file is named, and the rest is imported', async () => {
  const own = place();
  const { dir, files } = mixedWithAll(own.folder);
  const failed = bad.filter(({ as }) => as === 'failed').length;
  const result = await holdfast(own.env, 'ingest', '--dir', dir, '--json');
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 1, stderr: '' });
  const report = JSON.parse(result.stdout);
  const seen = bad.length + 2;
  expect(report.files).toEqual({ seen, imported: 2, skipped: bad.length - failed, failed });
  expect(report.problems).toHaveLength(bad.length);
  const messages = report.problems.map(({ message }: { message: string }) => message);
  for (const [i, { name, says }] of bad.entries()) {
    const about = messages.filter((message: string) => message.includes(files[i] as string));
    expect({ name, about }).toEqual({ name, about: [expect.stringMatching(says)] });
  }
  const inWords = await holdfast(own.env, 'ingest', '--dir', dir);
  for (const file of files) expect(inWords.stdout).toContain(file);
  expectNoTrace(inWords);
  await expectBothGood(own);
});

it('a folder whose bad files are only left out or looked into is a success', async () => {
  const own = place();
  const { dir } = mixed(own.folder, (file) => writeFileSync(file, 'no transcript\n'));
  const folder = path.join(dir, 'x.jsonl');
  mkdirSync(folder);
  const { files } = await ask(own.env, 'ingest', '--dir', dir);
  expect(files).toEqual({ seen: 4, imported: 2, skipped: 2, failed: 0 });
});

it("among an agent's own transcripts, bad files do not stop the others", async () => {
  const folder = temporaryFolder();
  const { dir, files } = mixedWithAll(folder);
  const own = place({ folder, claude: dir });
  const result = await holdfast(own.env, 'ingest');
  expect(result.stderr).toBe('');
  expectNoTrace(result);
  expect(result.code).toBe(1);
  for (const [i, { as }] of bad.entries()) if (as === 'failed') expect(result.stdout).toContain(files[i]);
  await expectBothGood(own);
  // `doctor` reports an unreadable file until it becomes readable.
  const { code, stdout } = await holdfast(own.env, 'doctor');
  expect(stdout).toContain('is sound');
  expectNoTrace({ stdout, stderr: '' });
  expect(code).toBe(1);
  for (const file of files) {
    const known = existsSync(file) && statSync(file).isFile() && statSync(file).size > 0;
    expect([file, stdout.includes(path.basename(file))]).toEqual([file, known]);
  }
});

it('a folder that links to a folder above it is named, is not followed, and is not a failure', async () => {
  const own = place();
  const { dir } = mixed(own.folder, (file) => symlinkSync('..', path.join(path.dirname(file), 'up')));
  mkdirSync(path.join(own.folder, 'deep'));
  const report = await ask(own.env, 'ingest', '--dir', dir);
  expect(report.files.failed).toBe(0);
  expect(report.problems.map((problem: { message: string }) => problem.message)).toEqual([
    expect.stringMatching(/up\S* is a symbolic link that leads back/),
  ]);
  await expectBothGood(own);
});

it('the sample stays apart from the memory of a person whose folder is called demo', () => {
  const machine = place({ folder: path.join(temporaryFolder(), 'demo') });
  mkdirSync(path.join(machine.claude, '-work'), { recursive: true });
  writeFileSync(path.join(machine.claude, '-work', 'good.jsonl'), prompt('u1', 'A prompt of my own'));
  const run = (...args: string[]) => spawnSync(program, args, { env: machine.env, encoding: 'utf8', timeout: 60_000 });
  expect(run('ingest').status).toBe(0);
  const { status, stderr } = run('start', '--demo');
  expect(stderr).toContain('holds your own memory');
  expect(status).toBeGreaterThan(0);
});

describe('a line of 50 MB', () => {
  const long = (file: string) => {
    writeFileSync(file, prompt('u-1', 'ahead of the long line', 'long'));
    appendFileSync(file, prompt('u-2', 'x'.repeat(50 << 20), 'long'));
    appendFileSync(file, prompt('u-3', 'behind the long line', 'long'));
  };

  it.each([['--file'], ['--dir']])('is counted and skipped, and its neighbours are imported (%s)', async (option) => {
    const own = place();
    const { dir, file } = mixed(own.folder, long);
    const running = launch(own.env, ['ingest', option, option === '--file' ? file : dir, '--json']);
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, peakMemory(running.child.pid));
    }, 5);
    const { code, stdout, stderr } = await running.ended;
    clearInterval(watching);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report.entries.malformed).toBe(1);
    expect(report.problems[0].message).toContain(file);
    expect(report.problems[0].message).toContain('line 2');
    expect(peak).toBeLessThan(300 << 20);
    const { hits } = await ask(own.env, 'search', 'long line');
    expect(hits.map((hit: { id: string }) => hit.id).sort()).toEqual(['u-1', 'u-3']);
  });
});

/** Peak memory of a process in bytes; 0 where the system does not report it. */
function peakMemory(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) << 10;
  } catch {
    return 0;
  }
}

describe('files that disappear during the import', () => {
  /** Large enough that the reader is still busy when the first part is stored. */
  function large(folder: string): { dir: string; first: string; last: string } {
    const dir = path.join(folder, 'large');
    mkdirSync(dir);
    const first = path.join(dir, 'a.jsonl');
    const filler = 'the quick brown fox jumps over the lazy dog '.repeat(20);
    for (let part = 0; part < 60; part++)
      appendFileSync(
        first,
        Array.from({ length: 1000 }, (_, i) => prompt(`u-${part}-${i}`, `${part} ${i} ${filler}`, 'a')).join(''),
      );
    const last = path.join(dir, 'z.jsonl');
    writeFileSync(last, prompt('u-last', 'the last one', 'z'));
    writeFileSync(path.join(dir, 'm.jsonl'), prompt('u-m', 'in the middle', 'm'));
    return { dir, first, last };
  }

  const storing = (own: Place) =>
    until(() => (statSync(`${own.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1 << 20, 'a first commit');

  it('a file deleted in mid-read is read to its end; a file deleted before its turn is named', async () => {
    const own = place();
    const { dir, first, last } = large(own.folder);
    const running = launch(own.env, ['ingest', '--dir', dir, '--json']);
    await storing(own);
    rmSync(first);
    rmSync(last);
    const result = await running.ended;
    expectNoTrace(result);
    const { files, problems, entries } = JSON.parse(result.stdout);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(1);
    expect(files).toMatchObject({ seen: 3, imported: 2, failed: 1 });
    expect(entries.added).toBe(60_001);
    expect(problems).toHaveLength(1);
    expect(problems[0].message).toBe(`${last} does not exist`);
  });

  it('a file cut short in mid-read keeps what was read of it until a re-import prunes it', async () => {
    const own = place();
    const { dir, first } = large(own.folder);
    const running = launch(own.env, ['ingest', '--dir', dir, '--json']);
    await storing(own);
    truncateSync(first, 10_000_000);
    const result = await running.ended;
    expectNoTrace(result);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    await ask(own.env, 'ingest', '--dir', dir);
    const left = readFileSync(first, 'utf8').split('\n').length - 1;
    expect((await ask(own.env, 'doctor')).counts.entries).toBeGreaterThanOrEqual(left + 2);
    await ask(own.env, 'ingest', '--dir', dir, '--reimport', '--prune');
    expect((await ask(own.env, 'doctor')).counts.entries).toBe(left + 2);
  });
});

describe('paths', () => {
  const cases: readonly { name: string; args(own: Place): string[]; exit: number; says(own: Place): string[] }[] = [
    {
      name: 'a file that does not exist',
      args: ({ folder }) => ['ingest', '--file', path.join(folder, 'no.jsonl')],
      exit: 3,
      says: ({ folder }) => [path.join(folder, 'no.jsonl'), 'does not exist'],
    },
    {
      name: 'a folder that does not exist',
      args: ({ folder }) => ['ingest', '--dir', path.join(folder, 'no')],
      exit: 3,
      says: ({ folder }) => [path.join(folder, 'no'), 'does not exist'],
    },
    {
      name: '--file with a folder',
      args: ({ folder }) => ['ingest', '--file', folder],
      exit: 2,
      says: ({ folder }) => [folder, 'is a folder', `--dir ${folder}`],
    },
    {
      name: '--dir with a file',
      args: () => ['ingest', '--dir', program],
      exit: 2,
      says: () => [program, 'is a file', `--file ${program}`],
    },
    {
      name: 'both --file and --dir',
      args: ({ folder }) => ['ingest', '--dir', folder, '--file', program],
      exit: 2,
      says: () => ['--file', '--dir', 'one of them'],
    },
    {
      name: 'restore of a file that does not exist',
      args: ({ folder }) => ['restore', path.join(folder, 'no.db')],
      exit: 3,
      says: ({ folder }) => [path.join(folder, 'no.db'), 'does not exist'],
    },
    {
      name: 'restore of a file that is no database',
      args: () => ['restore', program],
      exit: 4,
      says: () => [program, 'not a Holdfast database'],
    },
    {
      name: 'backup over a file that exists',
      args: () => ['backup', program],
      exit: 5,
      says: () => [program, 'exists already'],
    },
    {
      name: 'backup below a file',
      args: () => ['backup', path.join(program, 'copy.db')],
      exit: 5,
      says: () => [program, 'in the way'],
    },
  ];
  it.each(cases)('$name', async ({ args, exit, says }) => {
    const own = place();
    expectRefused(await holdfast(own.env, ...args(own)), exit, ...says(own));
  });
});

function expectRefused(result: Result, exit: number, ...said: string[]): void {
  expect({ code: result.code, stdout: result.stdout, stderr: result.stderr }).toEqual({
    code: exit,
    stdout: '',
    stderr: expect.stringMatching(/^Error: /),
  });
  for (const text of said) expect(result.stderr).toContain(text);
  expectNoTrace(result);
}

it.each([
  ['an unknown command', ['serch'], 2, ['"serch"', 'holdfast search']],
  ['an unknown subcommand', ['worker', 'frob'], 2, ['"worker frob"', 'run, start, stop, status']],
  ['a group without its command', ['worker'], 2, ['run, start, stop, status']],
  ['an unknown option', ['sessions', '--bogus'], 2, ["'--bogus'"]],
  ['an option without its value', ['ingest', '--file'], 2, ['--file']],
  ['an argument too many', ['sessions', 'extra'], 2, ['sessions']],
  ['an argument too few', ['show'], 2, ["'id'"]],
  ['an empty value', ['ingest', '--file', ''], 2, ['--file must not be empty']],
  ['a bad kind', ['search', 'x', '--kind', 'foo'], 2, ['--kind must be one of: entry, session']],
  ['a bad role', ['search', 'x', '--role', 'foo'], 2, ['--role must be one of: user, assistant']],
  ['a bad agent', ['search', 'x', '--agent', 'foo'], 2, ['--agent must be one of', 'claude-code']],
  ['a bad status', ['conversations', '--status', 'foo'], 2, ['--status must be one of', 'archived']],
  ['a query without a word', ['search', '***'], 2, ['nothing to search for in "***"', 'a word, a number']],
  ['a number that is none', ['search', 'x', '--limit', 'many'], 2, ['--limit must be a whole number']],
  ['a number that is not whole', ['search', 'x', '--limit', '1.5'], 2, ['--limit must be a whole number']],
  ['a number that is too small', ['search', 'x', '--limit', '0'], 2, ['--limit must be at least 1']],
  ['a word that is no date', ['search', 'x', '--since', 'whenever'], 2, ['--since', '"whenever"', '2026-03-01']],
  ['a day that does not exist', ['search', 'x', '--until', '2026-02-30'], 2, ['--until', '2026-02-30']],
  ['an end before the beginning', ['search', 'x', '--since', '3d', '--until', '5d'], 2, ['--since 3d', '--until 5d']],
  ['an unknown id', ['show', 'nobody'], 3, ['"nobody"']],
  ['an unknown setting', ['config', 'set', 'prt', '1'], 2, ['"prt"', 'port']],
  ['an unknown setting to read', ['config', 'get', 'prt'], 2, ['"prt"', 'port']],
  ['a bad value of a setting', ['config', 'set', 'port', 'http'], 2, ['"http"', 'at most 65535']],
  ['a shell that is not known', ['completion', 'tcsh'], 2, ['"tcsh"', 'fish']],
] as const)('%s is refused, and the error says what is allowed', async (_, args, exit, said) => {
  const own = place();
  expectRefused(await holdfast(own.env, ...args), exit, ...said);
  const { code, stderr, stdout } = await holdfast(own.env, ...withJson(args));
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(JSON.parse(stderr).error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
});

/** An option without its value would take `--json` as the value. */
const withJson = ([command = '', ...rest]: readonly string[]): string[] =>
  rest.at(-1)?.startsWith('--') ? [command, '--json', ...rest] : [command, ...rest, '--json'];

it('a closed output is named as the cause, not the data folder', async () => {
  const { code, stderr } = await launch(place().env, ['projects'], ['sh', '-c', 'exec "$0" "$@" >/dev/full']).ended;
  expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('the output') });
});

describe('a bad configuration', () => {
  it.each([
    ['no JSON', '{port', ['not valid JSON']],
    ['another kind of JSON', '[]', ['must hold a JSON object', 'config list']],
    ['an unknown key', '{"prt": 1}', ['"prt"', 'port']],
    ['a bad value', '{"port": "http"}', ['port', '"http"', 'at most 65535']],
  ])('%s is named with the file, and nothing is written', async (_, text, said) => {
    const own = place();
    mkdirSync(own.home, { mode: 0o700 });
    const file = path.join(own.home, 'config.json');
    writeFileSync(file, text);
    for (const args of [['sessions'], ['ingest'], ['config', 'set', 'vault', 'off'], ['worker', 'start'], ['doctor']])
      expectRefused(await holdfast(own.env, ...args), 2, file, ...said);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(own.database)).toBe(false);
  });

  it('config set repairs a bad value and names the other bad ones', async () => {
    const own = place();
    mkdirSync(own.home, { mode: 0o700 });
    const file = path.join(own.home, 'config.json');
    writeFileSync(file, '{"vault": "perhaps", "timeZone": "Mars/Olympus"}');
    const first = await holdfast(own.env, 'config', 'unset', 'vault');
    expectRefused(first, 2, 'vault is no longer set in the file', file, 'timeZone is "Mars/Olympus"');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ timeZone: 'Mars/Olympus' });
    expectRefused(await holdfast(own.env, 'config', 'set', 'timeZone', 'Mars'), 2, '"Mars"');
    expect(await ask(own.env, 'config', 'set', 'timeZone', 'UTC')).toMatchObject({ value: 'UTC', origin: 'file' });
    expect(await ask(own.env, 'config', 'unset', 'timeZone')).toMatchObject({ removed: true });
  });

  it('a bad environment variable is named', async () => {
    const own = place();
    expectRefused(await holdfast({ ...own.env, HOLDFAST_PORT: 'http' }, 'sessions'), 2, 'HOLDFAST_PORT', '65535');
  });
});

describe('a bad data folder', () => {
  it('control characters in a log are not shown, not even while following it', async () => {
    const own = place();
    mkdirSync(path.join(own.home, 'logs'), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(own.home, 'logs', 'worker.log'), 'begin \u001b]52;c;cm0=\u0007end\n');
    const running = launch(own.env, ['logs', '--follow']);
    await running.says('end');
    running.child.kill('SIGINT');
    const { stdout } = await running.ended;
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('a file in its place is named', async () => {
    const folder = temporaryFolder();
    const own = place({ folder, home: path.join(folder, 'file') });
    writeFileSync(own.home, 'mine');
    for (const args of [['sessions'], ['ingest'], ['worker', 'start'], ['doctor'], ['config', 'set', 'port', '4000']])
      expectRefused(await holdfast(own.env, ...args), 2, own.home, 'HOLDFAST_HOME');
    for (const args of [['worker', 'status'], ['logs']])
      expectRefused(await holdfast(own.env, ...args), 4, own.home, 'is a file, not a folder');
    expect(readFileSync(own.home, 'utf8')).toBe('mine');
  });

  it.each([
    ['text', 'this is not a database, and long enough to look like one'.repeat(40)],
    ['a database of another program', undefined],
  ])('%s in place of the database is refused and left unchanged', async (_, text) => {
    const own = place();
    mkdirSync(own.home, { mode: 0o700 });
    if (text !== undefined) writeFileSync(own.database, text, { mode: 0o600 });
    else {
      const { default: Database } = await import('better-sqlite3');
      const db = new Database(own.database);
      db.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
      db.close();
      chmodSync(own.database, 0o600);
    }
    const before = readFileSync(own.database);
    for (const args of [['sessions'], ['ingest'], ['search', 'x'], ['backup']])
      expectRefused(await holdfast(own.env, ...args), 6, own.database);
    const doctor = await holdfast(own.env, 'doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(own.database);
    expectNoTrace(doctor);
    expect(readFileSync(own.database).equals(before)).toBe(true);
  });
});

/** Permissions do not bind root, so as root the commands run as another user. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const other = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
const noOther =
  !isRoot ||
  process.env.CI ||
  spawnSync('setpriv', [...other.slice(1), process.execPath, program, '--version']).status === 0
    ? undefined
    : 'another user cannot run the program of this checkout, or there is no setpriv';

describe.skipIf(noOther)(because('without permission', noOther), () => {
  const give = (file: string) => {
    if (isRoot) chownSync(file, nobody, nobody);
  };
  const asOther = (own: Place, ...args: string[]) => launch(own.env, args, [...other, process.execPath]).ended;

  function otherPlace(): Place {
    const own = place();
    for (const folder of [own.folder, path.join(own.folder, 'user')]) give(folder);
    return own;
  }

  it.each([['--file'], ['--dir']])('a transcript without read permission is named (%s)', async (option) => {
    const own = otherPlace();
    const { dir, file } = mixed(own.folder, (at) => writeFileSync(at, prompt('u-m', 'hidden')));
    chmodSync(file, 0o000);
    const result = await asOther(own, 'ingest', option, option === '--file' ? file : dir);
    expect(result.code).toBe(option === '--file' ? 8 : 1);
    expect(result.stdout + result.stderr).toContain(`${file} cannot be read: permission denied`);
    expectNoTrace(result);
    if (option === '--file') return;
    const found = await asOther(own, 'search', 'bad', '--json');
    expect(JSON.parse(found.stdout).hits).toHaveLength(2);
    // As soon as the file is readable, the next import takes it.
    chmodSync(file, 0o644);
    const again = JSON.parse((await asOther(own, 'ingest', '--dir', dir, '--json')).stdout);
    expect(again).toMatchObject({ files: { failed: 0, imported: 1 }, entries: { added: 1 } });
  });

  it('a folder without read permission is named, and the rest is imported', async () => {
    const own = otherPlace();
    const { dir } = mixed(own.folder, (at) => mkdirSync(path.join(path.dirname(at), 'closed'), { mode: 0o000 }));
    const result = await asOther(own, 'ingest', '--dir', dir);
    expect(result.code).toBe(1);
    expect(result.stdout).toContain(`${path.join(dir, 'closed')} cannot be read: permission denied`);
    expectNoTrace(result);
    expect(JSON.parse((await asOther(own, 'search', 'bad', '--json')).stdout).hits).toHaveLength(2);
  });

  it('a data folder without write permission is named', async () => {
    const own = otherPlace();
    mkdirSync(own.home, { mode: 0o500 });
    give(own.home);
    for (const args of [['sessions'], ['ingest'], ['config', 'set', 'port', '4000'], ['worker', 'start']]) {
      const result = await asOther(own, ...args);
      expectRefused(result, 8, own.home);
    }
  });

  it('a read-only database says so when a command has to write', async () => {
    const own = otherPlace();
    await asOther(own, 'sessions');
    chmodSync(own.database, 0o400);
    const { dir } = mixed(own.folder, (at) => writeFileSync(at, prompt('u-m', 'more')));
    expectRefused(await asOther(own, 'ingest', '--dir', dir), 8, own.database);
  });
});

it('the source files are never written', async () => {
  const own = place();
  const { dir } = mixed(own.folder, (file) => copyFileSync(program, file));
  execFileSync('chmod', ['-R', 'a-w', dir]);
  const before = execFileSync('sh', ['-c', `ls -lR --time-style=full-iso '${dir}' 2>/dev/null || ls -lR '${dir}'`]);
  await holdfast(own.env, 'ingest', '--dir', dir, '--reimport');
  const after = execFileSync('sh', ['-c', `ls -lR --time-style=full-iso '${dir}' 2>/dev/null || ls -lR '${dir}'`]);
  execFileSync('chmod', ['-R', 'u+w', dir]);
  expect(after.toString()).toBe(before.toString());
});
