// `holdfast resume` without words, in a real terminal: tmux is the person's screen and keyboard.
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import {
  ask,
  holdfast,
  isAlive,
  launch,
  type Place,
  place,
  prepare,
  program,
  temporaryFolder,
  until,
} from './holdfast.ts';
import { noTmux, prompt, type Screen, screen } from './screen.ts';

const line = (session: string, cwd: string, uuid: string, role: string, content: string, at: string) =>
  JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    sessionId: session,
    cwd,
    type: role,
    message: { role, content: role === 'user' ? content : [{ type: 'text', text: content }] },
    uuid,
    timestamp: `2026-03-0${at}T10:00:00.000Z`,
  });

const shared = mkdtempSync(path.join(tmpdir(), 'holdfast-picker-'));
const names = ['lamp', 'gulls', '灯台'] as const;
let prepared: Place;

/** Three sessions in separate folders, stored, with copies. */
beforeAll(() => {
  prepared = place({ folder: shared });
  const said: Record<(typeof names)[number], [string, string]> = {
    lamp: ['Mend the lamp', 'The wick was wet; I dried it over the stove.'],
    gulls: ['Count the gulls', 'There are seven of them on the roof.'],
    灯台: ['灯台のランプを直す 👨‍👩‍👧', '直しました。'],
  };
  for (const [i, name] of names.entries()) {
    const [prompted, answered] = said[name];
    const cwd = path.join(shared, name);
    const file = path.join(prepared.claude, `-srv-${name}`, `${name}.jsonl`);
    mkdirSync(cwd);
    mkdirSync(path.dirname(file), { recursive: true });
    const lines = [
      line(name, cwd, `${name}-1`, 'user', prompted, String(9 - i)),
      line(name, cwd, `${name}-2`, 'assistant', answered, String(9 - i)),
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
  prepare(prepared.env, 'ingest');
  prepare(prepared.env, 'vault', '--fill');
});
afterAll(() => rmSync(shared, { recursive: true, force: true }));

/** A copy of these sessions, whose folders all tests share, and an agent that prints how it was started. */
function stand(): { at: Place; env: NodeJS.ProcessEnv; folders: string; fileOf(name: string): string } {
  const at = place();
  cpSync(prepared.home, at.home, { recursive: true });
  cpSync(prepared.claude, at.claude, { recursive: true });
  const fileOf = (name: string) => path.join(at.claude, `-srv-${name}`, `${name}.jsonl`);
  const bin = temporaryFolder();
  const agent = path.join(bin, 'claude');
  writeFileSync(agent, '#!/bin/sh\necho "agent in $(pwd) with $*"\nread word\necho "agent heard $word"\n');
  chmodSync(agent, 0o755);
  const env = { ...at.env, PATH: `${bin}:${path.dirname(program)}:${at.env.PATH}`, TERM: 'screen-256color' };
  return { at, env, folders: shared, fileOf };
}

describe.skipIf(noTmux)(because('the picker', noTmux), () => {
  it('finds a session by its text; Enter opens the agent in its folder, with the keyboard', async () => {
    const { env, folders } = stand();
    const person = await screen(env);
    person.run('holdfast resume');
    await person.sees('Count the gulls');
    await person.sees(/you {2}Mend the lamp/);
    person.type('seven roof');
    await person.sees(/seven roof +1$/m);
    await person.sees(/> .*gulls +Count the gulls/);
    await person.sees('There are seven of them on the roof.');
    expect(person.shown()).not.toContain('Mend the lamp');
    person.press('Enter');
    await person.sees(`agent in ${path.join(folders, 'gulls')} with --resume gulls`);
    person.run('hello');
    await person.sees('agent heard hello');
    expect(person.fact('#{alternate_on}')).toBe('0');
  });

  it('opens with words that could mean several sessions, and refuses words that look like an id', async () => {
    const { env } = stand();
    const person = await screen(env);
    person.run('holdfast resume the');
    await person.sees(/^Resume: the /m);
    await person.sees('Count the gulls');
    await person.sees('Mend the lamp');
    person.press('Escape');
    await until(() => person.fact('#{alternate_on}') === '0', 'the shell');
    person.run('clear; holdfast resume deadbeef; echo "code $?"');
    await person.sees('code 3');
    expect(person.shown()).toContain('No session or entry has an id that begins with "deadbeef"');
  });

  it('opens the first match if Enter is pressed at once, with a worker too', async () => {
    const { at, env } = stand();
    const worker = launch(at.env, ['worker', 'run']);
    await until(() => existsSync(path.join(at.home, 'worker.pid')), 'the worker');
    await until(
      async () =>
        (await fetch(`http://127.0.0.1:${at.env.HOLDFAST_PORT}/api/health`).catch(() => undefined))?.ok === true,
    );
    const person = await screen(env);
    person.run('holdfast resume');
    await person.sees('Count the gulls');
    person.type('stove');
    person.press('Enter');
    await person.sees('with --resume lamp');
    worker.child.kill();
    await worker.ended;
  });

  it('restores a transcript that the agent has deleted when its session is chosen', async () => {
    const { env, fileOf } = stand();
    const before = readFileSync(fileOf('gulls'), 'utf8');
    rmSync(fileOf('gulls'));
    const person = await screen(env);
    person.run('holdfast resume');
    await person.sees('Count the gulls');
    person.press('Down');
    await person.sees(/> .*Count the gulls/);
    person.press('Enter');
    await person.sees('with --resume gulls');
    expect(
      readFileSync(fileOf('gulls'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one)),
    ).toEqual(
      before
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one)),
    );
  });

  it.each([
    ['Esc', 130, (person: Screen): void => person.press('Escape')],
    ['Ctrl+C', 130, (person: Screen): void => person.press('C-c')],
    ['SIGTERM', 143, (_: Screen, pid: number): void => void process.kill(pid, 'SIGTERM')],
    ['SIGINT', 130, (_: Screen, pid: number): void => void process.kill(pid, 'SIGINT')],
    ['SIGHUP', 129, (_: Screen, pid: number): void => void process.kill(pid, 'SIGHUP')],
    ['a crash', 70, (_: Screen, pid: number): void => void process.kill(pid, 'SIGUSR2')],
  ] as const)('leaves the terminal as it was: %s', async (way, code, leave) => {
    const { env } = stand();
    const person = await screen(env);
    const crash = "data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('the roof fell in')})";
    const pidFile = path.join(temporaryFolder(), 'pid');
    person.run('clear; echo something from before');
    await person.sees(/^something from before$/m);
    await person.sees(new RegExp(`before\\n${prompt.replace('$', '\\$').trim()}`));
    const modes = person.modes();
    // The shell replaces itself with our program, so the pid is ours.
    person.run(
      `sh -c 'echo $$ > ${pidFile}; exec env NODE_OPTIONS="--import=\\"$CRASH\\"" holdfast resume'; echo "code $?"`.replace(
        '$CRASH',
        crash.replaceAll("'", "'\\''"),
      ),
    );
    await person.sees('Esc leaves');
    expect(person.modes()).not.toBe(modes);
    expect(person.shown()).not.toContain('something from before');
    leave(person, Number(readFileSync(pidFile, 'utf8')));
    await person.sees(`code ${code}`);
    await until(() => person.modes() === modes, 'the modes from before');
    expect(person.shown()).toContain('something from before');
    expect(person.shown()).not.toContain('Esc leaves');
    if (way === 'a crash') expect(person.shown()).toContain('the roof fell in');
  });

  it('ends when its window is closed', async () => {
    const { env } = stand();
    const person = await screen(env);
    const pidFile = path.join(temporaryFolder(), 'pid');
    person.run(`sh -c 'echo $$ > ${pidFile}; exec holdfast resume'`);
    await person.sees('Esc leaves');
    person.hangUp();
    await until(() => !isAlive(Number(readFileSync(pidFile, 'utf8'))), 'the end');
  });

  it('gives the terminal to the shell on Ctrl+Z, and comes back', async () => {
    const { env } = stand();
    const person = await screen(env);
    const modes = person.modes();
    person.run('holdfast resume');
    await person.sees('Esc leaves');
    person.type('gul');
    await person.sees('Resume: gul');
    person.press('C-z');
    await person.sees('Stopped');
    expect(person.fact('#{alternate_on}')).toBe('0');
    person.run('fg');
    await person.sees('Resume: gul');
    person.type('ls');
    await person.sees('Resume: gulls');
    person.press('C-c');
    await until(() => person.modes() === modes, 'the modes from before');
  });

  it('follows the size of the screen, down to 20 × 5 and up again', async () => {
    const { env } = stand();
    const person = await screen(env);
    person.run('holdfast resume');
    await person.sees('Esc leaves');
    person.resize(20, 5);
    await person.sees(/^\? +3\n> Mend the lamp\n {2}Count the gulls\n/);
    person.type('gulls');
    await person.sees(/^\? gulls +1\n> Count the gulls\n/);
    person.resize(100, 30);
    await person.sees('Esc leaves');
    person.press('C-u');
    await person.sees(/Mend the lamp[\s\S]*─{100}/);
    person.press('Escape');
  });

  it('measures wide characters as the terminal does, and prints no colours if none are wanted', async () => {
    const { env } = stand();
    const person = await screen({ ...env, NO_COLOR: '1' });
    person.run('holdfast resume');
    await person.sees('灯台のランプを直す 👨');
    expect(person.shown()).toMatch(/^ +\w+ {2}灯台 {18}灯台のランプを直す 👨$/m);
    person.type('灯台');
    await person.sees(/灯台 +1$/m);
    await until(() => person.fact('#{cursor_x} #{cursor_y}') === '12 0', 'the cursor behind the word');
    expect(person.shown(true)).not.toContain('\x1b[');
    person.press('C-c');
    const coloured = await screen(env);
    coloured.run('holdfast resume');
    await coloured.sees('Esc leaves');
    expect(coloured.shown(true)).toContain('\x1b[');
  });

  it('takes a paste as words, not as commands', async () => {
    const { env } = stand();
    const person = await screen(env);
    person.run('holdfast resume');
    await person.sees('Esc leaves');
    person.press('Escape', '[200~');
    person.type('count');
    person.press('Enter');
    person.type('gulls');
    person.press('Escape', '[201~');
    await person.sees('Resume: count gulls');
    await person.sees(/> .*Count the gulls/);
  });

  it('asks for a number on a terminal that cannot do more', async () => {
    const { env, folders } = stand();
    const person = await screen(env);
    person.run('TERM=dumb holdfast resume');
    await person.sees(/^3 +灯台/m);
    await person.sees('Number, or words');
    person.run('roof');
    await person.sees(/^1 +gulls .*Count the gulls$/m);
    person.run('7');
    await person.sees(/Number, or words[^\n]+7\n1 +gulls/);
    expect(person.fact('#{alternate_on}')).toBe('0');
    person.run('1');
    await person.sees(`agent in ${path.join(folders, 'gulls')} with --resume gulls`);
    person.press('C-c');
    await person.sees(/\^C\n?shell\$/);
    await person.clear();
    person.run('TERM=dumb holdfast resume; echo "code $?"');
    await person.sees('Number, or words');
    person.press('C-c');
    await person.sees('code 130');
  });

  it('lists the sessions if the output is a pipe', async () => {
    const { env } = stand();
    const person = await screen(env);
    person.run('holdfast resume | cat');
    await person.sees(/^1 +lamp .*Mend the lamp$/m);
    await person.sees('holdfast resume <id>');
    person.run('clear; holdfast resume --json');
    await person.sees('"resume": "claude --resume 灯台"');
  });
});

describe.skipIf(noTmux)(because('a search without words', noTmux), () => {
  it('finds while the person types; Enter shows the message among its neighbours', async () => {
    const { env } = stand();
    const person = await screen({ ...env, PAGER: 'cat' });
    const modes = person.modes();
    person.run('holdfast search; echo "code $?"');
    await person.sees('Type words');
    person.type('stove');
    await person.sees(/^Search: stove +1$/m);
    await person.sees(/^> .*lamp +The wick was wet; I dried it over the «?stove/m);
    await person.sees(/Mend the lamp · lamp · assistant · claude-code/);
    person.press('Enter');
    await person.sees('code 0');
    await until(() => person.modes() === modes, 'the modes from before');
    expect(person.shown()).toMatch(/▶ .*assistant[^\n]*\nThe wick was wet; I dried it over the stove\./);
  });

  it('keeps its filters, says when nothing is found, and fits a narrow screen', async () => {
    const { env } = stand();
    const person = await screen({ ...env, PAGER: 'cat' }, 30, 8);
    person.run('holdfast search --project gulls');
    await person.sees('Type words');
    person.type('stove');
    await person.sees('Nothing found');
    person.press('C-u');
    await person.sees('Type words');
    person.type('roof');
    await person.sees(/^> .*There are seven/m);
    expect(person.shown()).not.toContain('wick');
    person.press('Escape');
    await until(() => person.fact('#{alternate_on}') === '0', 'the screen from before');
  });

  it.each([
    ['Esc', 130, (person: Screen): void => person.press('Escape')],
    ['Ctrl+C', 130, (person: Screen): void => person.press('C-c')],
    ['SIGTERM', 143, (_: Screen, pid: number): void => void process.kill(pid, 'SIGTERM')],
  ] as const)('leaves the terminal as it was: %s', async (_, code, leave) => {
    const { env } = stand();
    const person = await screen(env);
    const pidFile = path.join(temporaryFolder(), 'pid');
    const modes = person.modes();
    person.run(`sh -c 'echo $$ > ${pidFile}; exec holdfast search'; echo "code $?"`);
    await person.sees('Type words');
    leave(person, Number(readFileSync(pidFile, 'utf8')));
    await person.sees(`code ${code}`);
    await until(() => person.modes() === modes, 'the modes from before');
  });

  it('is refused without a terminal, with nothing stored, and with wrong filters', async () => {
    const { at, env } = stand();
    expect((await holdfast(at.env, 'search')).stderr).toContain('The query is empty');
    const person = await screen(env);
    person.run('clear; holdfast search --json');
    await person.sees('"The query is empty"');
    person.run('clear; holdfast search --since never');
    await person.sees(/Error: .*never/);
    const empty = place();
    const nothing = await screen({ ...env, ...empty.env, PATH: env.PATH });
    nothing.run('holdfast search');
    await nothing.sees('The query is empty');
  });
});

describe('without a terminal', () => {
  it('resume lists the sessions, newest first, and says how to choose', async () => {
    const { at } = stand();
    const { code, stdout, stderr } = await holdfast(at.env, 'resume');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^1 {2}lamp .*Mend the lamp\n2 {2}gulls .*\n3 {2}灯台 .*\n\nChoose one with: holdfast resume <id>/,
    );
    const { sessions } = await ask(at.env, 'resume');
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(['lamp', 'gulls', '灯台']);
    expect((await ask(at.env, 'resume', '--agent', 'pi')).sessions).toEqual([]);
    expect((await holdfast(at.env, 'resume', '')).stderr).toContain('must not be empty');
    expect((await holdfast(place().env, 'resume')).stdout).toContain('No sessions.');
  });
});
