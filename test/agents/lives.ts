// What a person does with a real agent and Holdfast, against a mock of the agent's model.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ask, ownPort, place, root, until } from '../e2e/holdfast.ts';
import { installed, type Program, runProgram } from './programs.ts';

/** A machine with these agents and nothing of the real one, and a mock of their models that records requests. */
export function machine(agents: readonly Program[]) {
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

export async function connectedAndBriefed(agent: Program): Promise<void> {
  const { name } = agent;
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
}

/** The session continues although the agent has lost its transcript: the vault puts it back. */
export async function resumedAfterDeletion(agent: Program): Promise<void> {
  const { env, home, run, asked, sessions } = machine([agent]);
  await run(agent, agent.prompt('Which port do the notes name?'));
  await ask(env, 'ingest');
  const [first] = await sessions(agent);
  const id = first?.id ?? '';
  const before = await ask(env, 'show', id);
  await ask(env, 'vault', '--fill');
  if (agent.deletes === undefined) rmSync(path.join(home, agent.data), { recursive: true });
  else await run(agent, agent.deletes(id));
  await ask(env, 'ingest');
  expect((await ask(env, 'show', id)).entries.map(({ id }: { id: string }) => id)).toEqual(
    before.entries.map(({ id }: { id: string }) => id),
  );
  const { restored, carried, before: taking } = await ask(env, 'resume', id, '--print');
  if (agent.deletes === undefined) expect(restored.length).toBeGreaterThan(0);
  if (taking !== undefined) await run(agent, taking.slice(1));
  await run(agent, agent.goOn(carried?.session ?? id, 'NOTOOLS what did we find'));
  const request = asked('what did we find').at(-1);
  for (const said of ['Which port do the notes name?', 'The notes say that the port is 4711'])
    expect(request).toContain(said);
  await ask(env, 'ingest');
  const { hits } = await ask(env, 'search', '"which port do the notes name"', '--kind', 'entry');
  expect(hits.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(1);
}
