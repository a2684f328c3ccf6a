// The real programs: connected to Holdfast, captured while they run, briefed, and continued in each other.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ask, ownPort, place, root, until } from '../e2e/holdfast.ts';
import { installed, type Program, programs, runProgram } from './programs.ts';

/** A machine with these agents and nothing of the real one, and a mock of their models that records requests. */
function machine(agents: readonly Program[]) {
  // Codex refuses helper programs below /tmp.
  const folder = path.join(
    root,
    'node_modules',
    '.cache',
    'agents',
    `run-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  const at = place({ folder });
  const home = at.env.HOME ?? '';
  const port = ownPort();
  const requests = path.join(folder, 'requests.jsonl');
  const mock = spawn(process.execPath, [path.join(import.meta.dirname, 'fixtures/mock.mjs'), String(port), requests]);
  onTestFinished(() => void mock.kill());
  const proj = path.join(folder, 'proj');
  mkdirSync(proj);
  writeFileSync(path.join(proj, 'notes.txt'), 'The port is 4711.\n');
  spawnSync('git', ['init', '-q', proj]);
  const env = { ...at.env, ...Object.assign({}, ...agents.map((agent) => agent.env(port))) };
  for (const agent of agents)
    for (const [file, text] of Object.entries(agent.settings(port))) {
      mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
      writeFileSync(path.join(home, file), text);
    }
  onTestFinished(() => void spawnSync(path.join(root, 'bin/holdfast'), ['worker', 'stop'], { env }));
  const run = async (agent: Program, args: readonly string[]) => {
    const { code, said } = await runProgram(installed(agent), args, { env, cwd: proj });
    expect(code, said).toBe(0);
  };
  /** What the model was asked, in requests that hold these words. */
  const asked = (words: string): string[] =>
    (existsSync(requests) ? readFileSync(requests, 'utf8') : '').split('\n').filter((line) => line.includes(words));
  const sessions = async (agent: Program) => {
    const { sessions: all } = await ask(env, 'sessions', '--agent', agent.name);
    return all as { id: string; title: string; entries: number; forkOf?: string }[];
  };
  return { env, home, proj, run, asked, sessions };
}

/** How a briefing begins that knows of a session. */
const briefed = 'What earlier sessions left behind';

it.each(programs.map((program) => [program.name, program] as const))(
  '%s: connected, captured live, briefed, and nothing of Holdfast left in its settings after uninstall',
  async (name, agent) => {
    const { env, home, run, asked, sessions } = machine([agent]);
    const [file = ''] = Object.keys(agent.settings(0));
    const text = () => readFileSync(path.join(home, file), 'utf8');
    await ask(env, 'install', name);
    await run(agent, agent.prompt('Which port do the notes name?'));
    // The first session starts the worker, which captures the rest.
    await ask(env, 'worker', 'start').catch(() => {});
    await until(async () => (await sessions(agent)).length === 1, 'the first session');
    const [first] = await sessions(agent);
    const texts = path.join(env.HOLDFAST_HOME ?? '', 'briefings', 'texts');
    const prepared = () =>
      (existsSync(texts) ? readdirSync(texts) : []).map((name) => readFileSync(path.join(texts, name), 'utf8'));
    await until(() => prepared().some((said) => said.includes(briefed)), 'a briefing');
    await run(agent, agent.prompt('NOTOOLS second-session'));
    expect(asked('second-session').some((line) => line.includes(briefed))).toBe(true);
    await until(async () => (await sessions(agent)).some(({ id }) => id !== first?.id), 'the second session');
    const { entries } = await ask(env, 'show', first?.id ?? '');
    const prompts = entries.filter(({ author }: { author: string }) => author === 'person');
    expect(prompts.map((entry: { text: string }) => entry.text)).toEqual(['Which port do the notes name?']);
    await ask(env, 'uninstall', name);
    // The programs rewrite their settings themselves, so the bytes are not compared here.
    expect(text()).not.toContain('holdfast');
    expect(existsSync(path.join(home, file))).toBe(true);
  },
);

it.each(
  programs
    .map((program, i) => [program, programs[(i + 1) % programs.length] as Program] as const)
    .map(([a, b]) => [a.name, b.name, a, b] as const),
)(
  'a session of %s is continued in %s, which knows the conversation; it is linked, and nothing is stored twice',
  async (_, into, from, to) => {
    const { env, run, asked, sessions, proj } = machine([from, to]);
    await run(from, from.prompt('Which port do the notes name?'));
    await ask(env, 'ingest');
    const [first] = await sessions(from);
    const { carried, before } = await ask(env, 'resume', first?.id ?? '', '--in', into, '--print');
    if (before !== undefined) {
      const { code, said } = await runProgram(installed(to), before.slice(1), { env, cwd: proj });
      expect(code, said).toBe(0);
    }
    await run(to, to.goOn(carried.session, 'NOTOOLS go on there'));
    const request = asked('go on there').find((line) => line.includes('continued from'));
    expect(request).toContain('Which port do the notes name?');
    expect(request).toContain('missing.txt');
    await ask(env, 'ingest');
    const next = (await sessions(to)).find(({ id }) => id === carried.session);
    expect(next).toMatchObject({ entries: 2, forkOf: first?.id });
  },
);
