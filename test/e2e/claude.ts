// The real Claude Code in an isolated environment: a home, a project, a mock of the API, a data folder, a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { holdfast, isAlive, ownPort, place, root, until } from './holdfast.ts';
import { type Asked, type Mock, type Step, startMock } from './mock-anthropic.ts';
import { openTerminal } from './terminal.ts';

export const clientVersions = ['2.1.325', '2.1.197'] as const;
const packages: Readonly<Record<string, string>> = { '2.1.325': 'claude-agent-sdk', '2.1.197': 'claude-code' };
export const clientProgram = (version: string): string =>
  path.join(
    ...[root, 'node_modules', '.cache', 'clients', version, 'node_modules', '@anthropic-ai'],
    ...[`${packages[version]}-${process.platform}-${process.arch}`, 'claude'],
  );
/** Each version, and the note in the test name when it is missing. */
export const clientCases = (): [version: (typeof clientVersions)[number], why: string][] =>
  clientVersions.map((version) => [version, because('', isMissing(version) ? 'it is not installed' : undefined)]);
/** In CI a missing client is a failure, not a reason to skip. */
export const isMissing = (version: string): boolean => !existsSync(clientProgram(version)) && !process.env.CI;

const apiKey = 'sk-ant-not-a-key-not-a-key';

export interface Session {
  readonly code: number | null;
  readonly id: string;
  readonly result: string | undefined;
  readonly stderr: string;
  /** What reached the API during the session. */
  readonly asked: readonly Asked[];
  /** How hooks ended, as the client saw it. */
  readonly hooks: readonly { readonly event: string; readonly outcome: string; readonly output: string }[];
}

export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly project: string;
  readonly settings: string;
  readonly port: number;
  readonly mock: Mock;
  /** Runs one turn: the prompt, and what the model does with it. */
  claude(prompt: string, script: readonly Step[], args?: readonly string[]): Promise<Session>;
  launch(
    prompt: string,
    script: readonly Step[],
    args?: readonly string[],
  ): { child: ChildProcess; ended: Promise<Session> };
  /** Runs the client with exactly these arguments. */
  run(words: readonly string[]): Promise<Session>;
  /** The same at a terminal, as a person uses it. Resolves when the answer is on the screen. */
  sit(
    prompt: string,
    script: readonly Step[],
    args?: readonly string[],
  ): Promise<{ readonly asked: readonly Asked[]; screen(): string; leave(): Promise<string> }>;
  /** One process that gets one prompt after the other. Returns the ids of its sessions. */
  talk(prompts: Iterable<string>, between: () => Promise<unknown>): Promise<string[]>;
}

/** `home`: an existing data folder, for example on a separate disk. */
export async function machine(version: string, { home }: { home?: string } = {}): Promise<Machine> {
  const own = place(home === undefined ? {} : { home });
  const user = realpathSync(own.env.HOME as string);
  const project = path.join(realpathSync(own.folder), 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'a.txt'), 'a line\n');
  const mock = await startMock();
  const port = await freePort();
  // In the file, not in the environment: hooks do not see the environment.
  mkdirSync(own.home, { recursive: true, mode: 0o700 });
  writeFileSync(
    path.join(own.home, 'config.json'),
    JSON.stringify({ port, pollIntervalMs: 500, distill: { auto: false } }),
    { mode: 0o600 },
  );
  const env: NodeJS.ProcessEnv = { PATH: own.env.PATH, HOME: user, TZ: 'UTC', HOLDFAST_HOME: own.home };
  onTestFinished(async () => {
    await holdfast(env, 'worker', 'stop');
    await mock.close();
  });

  const clientEnv = {
    PATH: env.PATH,
    HOME: user,
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    ANTHROPIC_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: mock.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    DISABLE_AUTOUPDATER: '1',
  };
  const start = (words: readonly string[], input: 'ignore' | 'pipe' = 'ignore') => {
    const first = mock.asked.length;
    const format = ['--output-format', 'stream-json', '--verbose', '--include-hook-events'];
    const child = spawn(clientProgram(version), ['-p', ...words, ...format], {
      cwd: project,
      // Nothing of Holdfast: the settings hold what the hooks need.
      env: clientEnv,
      stdio: [input, 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let [out, err] = ['', ''];
    child.stdout?.on('data', (text) => {
      out += text;
    });
    child.stderr?.on('data', (text) => {
      err += text;
    });
    const ended = new Promise<Session>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        // biome-ignore lint/suspicious/noExplicitAny: the client's own stream, of which a few fields are looked at
        const events: any[] = out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
        const result = events.findLast((event) => event.type === 'result');
        resolve({
          code,
          id: events.find((event) => event.session_id)?.session_id ?? '',
          result: result?.result,
          stderr: err,
          asked: mock.asked.slice(first),
          hooks: events
            .filter((event) => event.subtype === 'hook_response')
            .map((event) => ({ event: event.hook_event, outcome: event.outcome, output: event.output ?? '' })),
        });
      });
    });
    return { child, ended, said: () => out };
  };
  const turn = (prompt: string, script: readonly Step[], args: readonly string[] = []) =>
    start([`${prompt} MOCK:${JSON.stringify(script)}`, ...args]);

  return {
    env,
    home: own.home,
    project,
    settings: path.join(user, '.claude', 'settings.json'),
    port,
    mock,
    claude: (...words) => turn(...words).ended,
    launch: turn,
    run: (words) => start(words).ended,
    async sit(prompt, script, args = []) {
      // The questions that the client asks a person at its first start are already answered.
      const file = path.join(user, '.claude.json');
      const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
      const approved = { approved: [apiKey.slice(-20)], rejected: [] };
      const projects = { ...known.projects, [project]: { ...known.projects?.[project], hasTrustDialogAccepted: true } };
      writeFileSync(
        file,
        JSON.stringify({ ...known, hasCompletedOnboarding: true, customApiKeyResponses: approved, projects }),
      );
      const terminal = openTerminal(clientProgram(version), args, { cwd: project, env: clientEnv });
      await until(() => terminal.screen().includes('❯') || terminal.screen().includes('> '), 'the prompt');
      const before = mock.asked.length;
      await terminal.type(`${prompt} MOCK:${JSON.stringify(script)}`);
      const last = script.findLast((step) => 'text' in step) as { text: string };
      const isAnswered = () => terminal.screen().includes(`● ${last.text}`);
      await until(isAnswered, 'the answer on the screen').catch((error: Error) => {
        throw new Error(`${error.message}; it shows:\n${terminal.screen()}`);
      });
      return { asked: mock.asked.slice(before), screen: terminal.screen, leave: terminal.leave };
    },
    async talk(prompts, between) {
      const { child, ended, said } = start(['--input-format', 'stream-json'], 'pipe');
      const seen = (pattern: RegExp) => [...said().matchAll(pattern)];
      for (const content of prompts) {
        const before = seen(/"type":"result"/g).length;
        child.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
        await until(() => seen(/"type":"result"/g).length > before || child.exitCode !== null, 'an answer');
        await between();
      }
      child.stdin?.end();
      await ended;
      return [...new Set(seen(/"session_id":"([^"]+)"/g).map(([, id]) => id as string))];
    },
  };
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = ownPort();
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((closed) => server.close(closed));
    if (isFree) return port;
  }
}

/** What the next session in the project will be told, from the file that its hook prints. */
export function preparedFor({ home, project }: Pick<Machine, 'home' | 'project'>, name = 'project'): string {
  const files = path.join(home, 'briefings');
  const note = path.join(files, 'folders', project, '.holdfast-briefing', name);
  const hash = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  const text = path.join(files, 'texts', `${hash}.json`);
  return hash !== '' && existsSync(text)
    ? JSON.parse(readFileSync(text, 'utf8')).hookSpecificOutput.additionalContext
    : '';
}

/** Resolves when the worker has written the next session's briefing. From then on that session must hear it. */
export const prepared = (own: Machine, text: string, name?: string): Promise<void> =>
  until(() => preparedFor(own, name).includes(text), `a briefing that says ${text}`);

export const workerPid = ({ home }: Pick<Machine, 'home'>): number | undefined => {
  const file = path.join(home, 'worker.pid');
  if (!existsSync(file)) return undefined;
  const { pid } = JSON.parse(readFileSync(file, 'utf8'));
  return isAlive(pid) ? pid : undefined;
};

/** Differs when the store has changed. */
const stampOf = ({ home }: Machine): string =>
  ['', '-wal']
    .map((side) => statSync(path.join(home, `holdfast.db${side}`), { throwIfNoEntry: false }))
    .map((file) => `${file?.mtimeMs} ${file?.size}`)
    .join();

/** Looks until the command's answer is as wanted. */
// biome-ignore lint/suspicious/noExplicitAny: as in `ask`
export async function eventually(own: Machine, args: string[], wanted: (answer: any) => boolean): Promise<any> {
  // biome-ignore lint/suspicious/noExplicitAny: as in `ask`
  let answer: any;
  let asked: { readonly at: number; readonly stamp: string } | undefined;
  await until(async () => {
    // A command takes as much of the processor as what it waits for. So ask again when the store has changed, or after a second.
    const now = { at: Date.now(), stamp: stampOf(own) };
    if (asked?.stamp === now.stamp && now.at - asked.at < 1000) return false;
    asked = now;
    const { stdout } = await holdfast(own.env, ...args, '--json');
    answer = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
    return answer !== undefined && wanted(answer);
  }, args.join(' ')).catch((error: Error) => {
    throw new Error(`${error.message}; the last answer: ${JSON.stringify(answer)}`);
  });
  return answer;
}
