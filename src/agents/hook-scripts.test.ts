// The scripts in real shells: what a hook prints, notes and starts, wherever a session works and whatever is wrong.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { outcomeOf, type Ran } from '../../test/outcome-of.ts';
import { processStart } from '../processes/claim.ts';
import { briefingFolder } from '../system/briefing-folder.ts';
import { endScript, type ScriptFor, startScript } from './hook-scripts.ts';
import type { HookLink } from './hooks.ts';

const whose: ScriptFor = {
  agent: 'claude-code',
  title: 'Claude Code',
  folderVariable: 'CLAUDE_PROJECT_DIR',
  answer: 'nested',
};
const shells = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([file, ...args]) => spawnSync(file as string, [...args, '-c', ':']).status === 0,
);
const session = '5b0c9b3e-0000-4000-8000-000000000001';
let folder: string;
let home: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-scripts-')));
  home = path.join(folder, "data 'n' more");
  for (const name of ['spool', 'logs']) fs.mkdirSync(path.join(home, name), { recursive: true });
  fs.mkdirSync(path.join(folder, 'user'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

/** Written once: a shell may be reading the file. */
function put(file: string, text: string, mode: number): void {
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) fs.writeFileSync(file, text, { mode });
}

/** A stand-in for the worker that reports how it was started, and runs as long as the test's folder exists. */
function worker(): string {
  const file = path.join(folder, 'node');
  const said = path.join(folder, 'started');
  const lines = [
    '#!/bin/sh',
    `echo "$PWD $* $HOLDFAST_HOME [$CLAUDE_PROJECT_DIR]" >>'${said}'`,
    `while [ -e '${said}' ]; do sleep 0.1; done`,
  ];
  put(file, `${lines.join('\n')}\n`, 0o755);
  return file;
}
const started = () => {
  const file = path.join(folder, 'started');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};
const link = (): HookLink => ({
  version: '1.2.3',
  home,
  node: worker(),
  program: '/nowhere',
  cli: '/opt/holdfast/bin/holdfast',
  recall: false,
});

interface Options {
  readonly shell?: readonly string[];
  readonly payload?: string | Record<string, unknown>;
  readonly env?: NodeJS.ProcessEnv;
  readonly script?: string;
}

function run(cwd: string, { shell = ['sh'], payload = {}, env = {}, script }: Options = {}): Promise<Ran> {
  const said = { session_id: session, transcript_path: '/x', cwd, hook_event_name: 'SessionStart', source: 'startup' };
  const input = typeof payload === 'string' ? payload : JSON.stringify({ ...said, ...payload });
  const file = path.join(folder, 'hook.sh');
  put(file, script ?? startScript(link(), whose), 0o644);
  const [program = '', ...args] = shell;
  const child = spawn(program, [...args, '-c', `. '${file}'`], {
    cwd: fs.existsSync(cwd) ? cwd : folder,
    env: { PATH: process.env.PATH, HOME: path.join(folder, 'user'), CLAUDE_PROJECT_DIR: cwd, ...env },
  });
  return outcomeOf(child, input);
}

/** What is prepared for a folder; by default its own path. */
function prepare(at: string, text = `of ${at}`, name = 'project'): void {
  const files = briefingFolder(home);
  const notes = new Map([[name, text === '' ? '' : files.putText('p', text)]]);
  expect(files.putNotes(at, notes)).toBe(true);
}
/** The claim of a live process, so that no hook starts a worker. */
async function claimed(): Promise<void> {
  const claim = { pid: process.pid, started: await processStart(process.pid), since: '', version: '1' };
  fs.writeFileSync(path.join(home, 'worker.pid'), `${JSON.stringify(claim)}\n`);
}
const told = ({ code, out, err }: Ran): string => {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out === '' ? '' : JSON.parse(out).hookSpecificOutput.additionalContext;
};
const made = (...names: string[]): string => {
  const at = path.join(folder, ...names);
  fs.mkdirSync(at, { recursive: true });
  return at;
};
const notes = () =>
  fs
    .readdirSync(path.join(home, 'spool'))
    .flatMap((name) =>
      fs
        .readFileSync(path.join(home, 'spool', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line));

describe.each(shells)('the start in %s', (...shell) => {
  beforeEach(claimed);
  const at = async (folderAt: string, more: Options = {}) => told(await run(folderAt, { shell, ...more }));

  it.each([
    ['plain', 'shop'],
    ['spaces and quotes', `a "b" 'c' $HOME \`x\``],
    ['globs and backslashes', '[a-z]* ?\\n\\'],
    ['other scripts', 'Übergrößen 東京 🛶'],
    ['an end of line', 'two\nlines\n'],
    ['a dash', '-n'],
  ])('5. finds the briefing from below, whatever the folder is called: %s', async (_, name) => {
    const project = made(name);
    prepare(project, 'Ünï "quoted"\n\\ and more');
    expect(await at(project)).toBe('Ünï "quoted"\n\\ and more');
    expect(await at(made(name, 'src', name))).toBe('Ünï "quoted"\n\\ and more');
    expect(await at(folder)).toBe('');
  });

  it('notes which briefing the session was given, and the payload as it came', async () => {
    const project = made('shop');
    prepare(project);
    await at(project, { payload: { more: 'Ü "x" \\ \u0001 %s' } });
    await at(made('elsewhere'));
    const [first, second] = notes().toSorted((a, b) => b.given.length - a.given.length);
    expect(first.payload).toMatchObject({ session_id: session, more: 'Ü "x" \\ \u0001 %s' });
    expect(briefingFolder(home).text(first.given)).toEqual({ project: 'p', text: `of ${project}` });
    expect(second.given).toBe('');
  });

  it('a repository has its own briefing or none; another folder gets that of the next one above', async () => {
    prepare(made('work'));
    expect(await at(made('work', 'plain', 'deep'))).toBe(`of ${folder}/work`);
    made('work', 'repo', '.git');
    expect(await at(made('work', 'repo', 'src'))).toBe('');
    prepare(made('work', 'muted'), '');
    expect(await at(made('work', 'muted', 'src'))).toBe('');
  });

  it('the briefing of the home folder, or of one above, is only given there', async () => {
    const user = path.join(folder, 'user');
    prepare(user);
    prepare(folder);
    expect(await at(user)).toBe(`of ${user}`);
    expect(await at(made('user', 'notes'))).toBe('');
    expect(await at(folder)).toBe(`of ${folder}`);
  });

  it('25. a worktree gets the briefing of its repository, unless the person keeps them separate', async () => {
    const main = made('main');
    const git = (...args: string[]) => spawnSync('git', ['-C', main, ...args], { encoding: 'utf8' });
    git('init', '-q');
    git('-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', path.join(folder, 'tree'));
    prepare(main);
    expect(await at(made('tree', 'src'))).toBe(`of ${main}`);
    const file = path.join(folder, 'tree', '.git');
    fs.writeFileSync(file, 'gitdir: ../main/.git/worktrees/tree\n');
    expect(await at(path.join(folder, 'tree'))).toBe(`of ${main}`);
    fs.writeFileSync(file, 'gitdir: ../main/.git/worktrees/tree/modules/x\n');
    expect(await at(path.join(folder, 'tree'))).toBe('');
    fs.writeFileSync(file, `gitdir: ${main}/.git/worktrees/tree\n`);
    briefingFolder(home).separateWorktrees(true);
    expect(await at(path.join(folder, 'tree'))).toBe('');
  });

  it('follows a link, and a path with dots, to the real folder', async () => {
    const project = made('real', 'shop');
    prepare(project);
    fs.symlinkSync(project, path.join(folder, 'link'));
    expect(await at(path.join(folder, 'link'))).toBe(`of ${project}`);
    expect(await at(`${folder}/real/./x/../shop`.replace('/x/..', ''))).toBe(`of ${project}`);
    expect(await at(project, { env: { CLAUDE_PROJECT_DIR: '' } })).toBe(`of ${project}`);
  });

  it('a continuing session gets its own briefing; a new or unknown one gets that of the project', async () => {
    const project = made('shop');
    const files = briefingFolder(home);
    const both = [
      ['project', 'all'],
      [session, 'this one'],
    ] as const;
    files.putNotes(project, new Map(both.map(([name, text]) => [name, files.putText('p', text)])));
    for (const source of ['startup', 'clear', 'fork']) expect(await at(project, { payload: { source } })).toBe('all');
    for (const source of ['resume', 'compact']) expect(await at(project, { payload: { source } })).toBe('this one');
    for (const session_id of ['other', '../project', '', 'x'.repeat(9000), '"source":"resume"'])
      expect(await at(project, { payload: { source: 'resume', session_id } })).toBe('all');
    const tricky = { source: 'startup', title: '"source":"resume"' };
    expect(await at(project, { payload: tricky })).toBe('all');
  });

  it('2. prints nothing and ends with 0 for a bad payload, a broken note, a text that is gone, a folder that is gone', async () => {
    const project = made('shop');
    for (const payload of ['', '{', 'null', '[]', '"text"', '\n\n'])
      expect(await run(project, { shell, payload })).toEqual({ code: 0, out: '', err: '' });
    const long = `{"source":"resume","cwd":"${'x'.repeat(100_000)}"}`;
    expect(await run(project, { shell, payload: long })).toEqual({ code: 0, out: '', err: '' });
    prepare(project);
    fs.rmSync(path.join(home, 'briefings', 'texts'), { recursive: true });
    expect(await at(project)).toBe('');
    const note = path.join(home, 'briefings', 'folders', project, '.holdfast-briefing', 'project');
    for (const text of ['../../../x\n', '$(touch /tmp/x)\n', '\0\0', 'zz']) {
      fs.writeFileSync(note, text);
      expect(await at(project)).toBe('');
    }
    fs.rmSync(home, { recursive: true });
    expect(await run(project, { shell })).toEqual({ code: 0, out: '', err: '' });
    fs.writeFileSync(home, 'a file in the way');
    expect(await run(project, { shell })).toEqual({ code: 0, out: '', err: '' });
    expect(fs.readFileSync(home, 'utf8')).toBe('a file in the way');
  });

  it('8. the end is noted with its reason, and nothing is printed or started', async () => {
    fs.rmSync(path.join(home, 'worker.pid'));
    const payload = { hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' };
    const script = endScript(link(), whose);
    expect(await run(folder, { shell, payload, script })).toEqual({ code: 0, out: '', err: '' });
    expect(notes()).toMatchObject([{ given: '', payload }]);
    expect(fs.readdirSync(home).sort()).toEqual(['logs', 'spool']);
  });
});

describe.each(shells)('9. the worker, by %s', (...shell) => {
  const start = () => run(made('shop'), { shell });

  it('is started once when several sessions start together, and not while it is alive', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, start));
    for (const ran of all) expect(told(ran)).toBe('');
    await expect.poll(started).toEqual([`${home} /opt/holdfast/bin/holdfast worker run ${home} []`]);
    await claimed();
    await start();
    expect(fs.readFileSync(path.join(home, 'logs', 'worker.log'), 'utf8')).toBe('');
    expect(fs.statSync(path.join(home, 'logs', 'worker.log')).mode & 0o777).toBe(0o600);
  });

  it('is not started by a hook that another hook has overtaken', async () => {
    await start();
    const file = path.join(home, 'worker.starting');
    const starter = fs.readFileSync(file, 'utf8').split('\n')[1]?.split(' ')[0];
    expect(starter).toMatch(/^\d+$/);
    fs.writeFileSync(file, `1 1\n${process.pid} 1\n`);
    await expect.poll(() => fs.existsSync(`/proc/${starter}`)).toBe(false);
    expect(started()).toEqual([]);
  });

  it.each([
    ['of a process that is gone', async () => ({ pid: 2 ** 22 - 3, started: 'boot:1' })],
    ['whose pid another process has now', async () => ({ pid: process.pid, started: 'boot:1' })],
    ['of a zombie', zombie],
    ['that is half a file', async () => undefined],
  ])('is started despite a claim %s, and despite what an earlier start has left', async (_, claim) => {
    const dead = await claim();
    fs.writeFileSync(path.join(home, 'worker.pid'), dead === undefined ? '{"pid":' : `${JSON.stringify(dead)}\n`);
    fs.writeFileSync(path.join(home, 'worker.starting'), `${process.pid} 1\n${process.pid} 2\n`);
    await start();
    await expect.poll(() => started().length).toBe(1);
  });

  it('does not hold the client’s pipes while it starts', async () => {
    // `run` resolves when the pipes are closed; the stand-in is started a second after that.
    await start();
    expect(started()).toEqual([]);
    await expect.poll(() => started().length).toBe(1);
  });
});

async function zombie(): Promise<{ pid: number; started: string }> {
  // The shell becomes sleep, which reaps no child.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
  const began = (await processStart(pid)) ?? '';
  await expect.poll(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);
  return { pid, started: began };
}

describe('scripts of other agents', () => {
  const other = (answer: ScriptFor['answer']) => startScript(link(), { agent: 'copilot', title: 'Copilot', answer });

  it.each(shells)('print the briefing under the key that the agent accepts (%s)', async (...shell) => {
    await claimed();
    const at = made('user', 'proj');
    prepare(at, 'say "it"\n\\ and } }');
    for (const answer of ['additionalContext', 'additional_context'] as const) {
      const { code, out, err } = await run(at, {
        shell,
        script: other(answer),
        env: { CLAUDE_PROJECT_DIR: '/nowhere' },
      });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(JSON.parse(out)).toEqual({ [answer]: 'say "it"\n\\ and } }' });
    }
  });

  it('find the folder in the payload, wherever the agent runs them', async () => {
    await claimed();
    const at = made('user', 'proj');
    prepare(at, 'here');
    const elsewhere = made('user', 'agent');
    const script = other('nested');
    expect(told(await run(elsewhere, { script, payload: { cwd: at } }))).toBe('here');
    const roots = JSON.stringify({ conversation_id: 'c1', workspace_roots: [at] });
    expect(told(await run(elsewhere, { script, payload: roots }))).toBe('here');
    expect(told(await run(elsewhere, { script, payload: JSON.stringify({ cwd: 'C:\\x' }) }))).toBe('');
  });

  it('note the event, even if the agent does not name it', async () => {
    await claimed();
    const at = made('user', 'proj');
    const whoseEnd = { agent: 'copilot', title: 'Copilot', answer: 'nested' } as const;
    await run(at, { script: other('nested'), payload: JSON.stringify({ sessionId: 's1', cwd: at }) });
    await run(at, { script: endScript(link(), whoseEnd), payload: JSON.stringify({ sessionId: 's1', cwd: at }) });
    const said = fs
      .readdirSync(path.join(home, 'spool'))
      .map((name) => fs.readFileSync(path.join(home, 'spool', name), 'utf8'));
    expect(
      said
        .join('')
        .match(/"event":"\w+"/g)
        ?.sort(),
    ).toEqual(['"event":"SessionEnd"', '"event":"SessionStart"']);
    expect(fs.readdirSync(path.join(home, 'spool')).every((name) => name.startsWith('copilot.'))).toBe(true);
  });
});
