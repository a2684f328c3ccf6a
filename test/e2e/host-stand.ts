// Agents in real sandboxes: the real SDK and its real client, a mock of the API, and a data folder per test.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
// @ts-expect-error a script without types
import { podmanEnvironment } from '../../scripts/agent-image.mjs';
import { type Config, loadConfig } from '../../src/config/config.ts';
import {
  type AgentEvents,
  type AgentExit,
  type AgentRun,
  type RunningAgent,
  startAgent,
} from '../../src/host/agent.ts';
import { bubblewrap } from '../../src/host/sandbox/bubblewrap.ts';
import { docker, homeLabel } from '../../src/host/sandbox/docker.ts';
import type { Sandbox } from '../../src/host/sandbox/sandbox.ts';
import { diskFolder } from '../memory-folder.ts';
import { isLong } from '../rounds.ts';
import { clientProgram } from './claude.ts';
import { isAlive, place, root, until } from './holdfast.ts';
import { type Asked, type Mock, type Step, startMock } from './mock-anthropic.ts';

// The folders of these tests, and of the processes that they start, lie outside /dev.
process.env.TMPDIR = diskFolder();

export const realKey = 'sk-ant-real-key-that-nobody-inside-may-see-7f3a';

const sdkFolder = path.join(root, 'node_modules', '.cache', 'sdk', 'node_modules');
/** Why these tests cannot run here. In CI this is a failure, not a reason to skip. */
export const trouble = process.env.CI
  ? undefined
  : [
      existsSync(path.join(sdkFolder, '@anthropic-ai')) ? undefined : 'no SDK',
      existsSync(clientProgram('2.1.325')) ? undefined : 'no client',
      await bubblewrap.trouble(loadConfig({ HOME: '/nowhere' })),
    ].find((one) => one !== undefined);

/** A sandbox to prove every promise about agents in. */
export interface Proof {
  readonly title: string;
  readonly sandbox: Sandbox;
  readonly settings: NodeJS.ProcessEnv;
  /** Why it cannot run here. */
  readonly trouble: string | undefined;
}

/** How the engine's program finds its engine: as the person has set it up, or else podman with the image of scripts/agent-image.mjs. */
const engineEnvironment = Object.fromEntries(
  Object.entries({
    ...(existsSync(podmanEnvironment.CONTAINERS_CONF) ? podmanEnvironment : {}),
    ...process.env,
  }).filter(([name]) => /^(?:DOCKER_HOST|CONTAINER_HOST|CONTAINERS_(?:STORAGE_)?CONF|XDG_RUNTIME_DIR)$/.test(name)),
);

/** Rootless podman creates its store in the home folder even to look for an image. */
const probeHome = mkdtempSync(path.join(tmpdir(), 'holdfast-probe-'));
const proofs: readonly Proof[] = [
  { title: 'bubblewrap', sandbox: bubblewrap, settings: {}, trouble },
  ...(await Promise.all(
    ['docker', 'podman'].map(async (engine) => {
      const settings = { ...engineEnvironment, HOLDFAST_HOST_SANDBOX: 'docker', HOLDFAST_HOST_ENGINE: engine };
      const reason = await docker.trouble(loadConfig({ PATH: process.env.PATH, HOME: probeHome, ...settings }));
      const title = reason === undefined ? engine : `${engine}, which is not here (${reason})`;
      return { title, sandbox: docker, settings, trouble: reason };
    }),
  )),
];
rmSync(probeHome, { recursive: true, force: true });

/** Runs the same tests in every sandbox. Where a sandbox is unavailable, they are skipped under a name that says why. */
export function inEachSandbox(what: string, tests: (proof: Proof) => void): void {
  for (const proof of proofs) describe.skipIf(proof.trouble)(`${what}, in ${proof.title}`, () => tests(proof));
}

/** For tests that depend little on the sandbox: only `npm run test:long` runs them in containers. */
export function inSandboxes(what: string, tests: (proof: Proof) => void): void {
  for (const proof of proofs) {
    const isLater = proof.sandbox !== bubblewrap && !isLong && proof.trouble === undefined;
    const title = isLater ? `${proof.title}: see npm run test:long` : proof.title;
    describe.skipIf(proof.trouble ?? isLater)(`${what}, in ${title}`, () => tests(proof));
  }
}

export interface Stand {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly mock: Mock;
  readonly folder: string;
  start(group: string, run?: Partial<AgentRun>, sandbox?: Sandbox): Promise<Talk>;
}

/** An agent, and everything heard from it. */
export interface Talk {
  readonly agent: RunningAgent;
  readonly heard: {
    readonly sessions: string[];
    readonly taken: string[];
    readonly deltas: string[];
    readonly results: Parameters<NonNullable<AgentEvents['result']>>[0][];
    readonly failures: string[];
    readonly calls: [string, unknown][];
    readonly compactions: string[];
  };
  /** Sends the text with the model's script. Resolves with the answer. */
  ask(text: string, script: readonly Step[], id?: string): Promise<Parameters<NonNullable<AgentEvents['result']>>[0]>;
  say(text: string, script: readonly Step[], id?: string): string;
  end(): Promise<AgentExit>;
}

export async function hostStand(settings: NodeJS.ProcessEnv = {}): Promise<Stand> {
  const own = place();
  const mock = await startMock();
  onTestFinished(() => mock.close());
  mkdirSync(own.home, { recursive: true, mode: 0o700 });
  symlinkSync(sdkFolder, path.join(own.home, 'node_modules'));
  const env: NodeJS.ProcessEnv = {
    ...own.env,
    ANTHROPIC_API_KEY: realKey,
    ANTHROPIC_BASE_URL: mock.url,
    HOLDFAST_HOST_SANDBOX: 'bubblewrap',
    HOLDFAST_HOST_PROGRAM: clientProgram('2.1.325'),
    ...settings,
  };
  const config = loadConfig(env);
  if (config.settings.host.sandbox === 'docker')
    onTestFinished(async () => {
      try {
        await until(() => containersOf(config).length === 0, 'the end of all containers');
      } finally {
        for (const one of containersOf(config)) engine(config, 'rm', '--force', one);
      }
    });
  let count = 0;
  return {
    config,
    env,
    mock,
    folder: realpathSync(own.folder),
    async start(group, run = {}, sandbox) {
      const heard: Talk['heard'] = {
        sessions: [],
        taken: [],
        deltas: [],
        results: [],
        failures: [],
        calls: [],
        compactions: [],
      };
      const agent = await startAgent(
        { config, log: () => {}, ...(sandbox === undefined ? {} : { sandbox }) },
        {
          group,
          ...run,
          events: {
            session: (session) => heard.sessions.push(session),
            taken: (id) => heard.taken.push(id),
            delta: (text) => heard.deltas.push(text),
            result: (result) => heard.results.push(result),
            failed: (kind, message) => heard.failures.push(`${kind}: ${message}`),
            async call(tool, input) {
              heard.calls.push([tool, input]);
              return `${tool} was done`;
            },
            async compacting(session) {
              heard.compactions.push(session);
            },
            ...run.events,
          },
        },
      );
      let over = false;
      void agent.exited.then(() => {
        over = true;
      });
      onTestFinished(async () => {
        agent.kill();
        await agent.exited;
      });
      const say: Talk['say'] = (text, script, id = `m${++count}`) => {
        expect(agent.send({ id, text: `${text} MOCK:${JSON.stringify(script)}` })).toBe(true);
        return id;
      };
      return {
        agent,
        heard,
        say,
        async ask(text, script, given) {
          const id = say(text, script, given);
          const answer = () => heard.results.find(({ answers }) => answers.includes(id));
          await until(() => answer() !== undefined || over, `an answer to ${text}`);
          expect(answer(), `${heard.failures} ${agentLog(config, group)}`).toBeDefined();
          return answer() as NonNullable<ReturnType<typeof answer>>;
        },
        end() {
          agent.close();
          return agent.exited;
        },
      };
    },
  };
}

export const agentLog = (config: Config, group: string, name = 'agent'): string => {
  const file = path.join(config.home, 'logs', 'groups', group, `${name}.log`);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** The conversation as it last reached the model. */
export const lastAsked = ({ mock }: Stand): Asked => mock.asked.findLast(({ kind }) => kind === 'main') as Asked;

const engine = ({ settings, environment }: Config, ...args: readonly string[]): string =>
  execFileSync(settings.host.engine, args, { env: environment, encoding: 'utf8' });

/** Containers that hosts of this data folder have started and that still exist in any state. */
export const containersOf = (config: Config): string[] =>
  engine(config, 'ps', '--all', '--quiet', '--filter', `label=${homeLabel(config)}`)
    .split('\n')
    .filter(Boolean);

/**
 * All processes that see a work folder of this stand where agents see theirs, that is, the processes in its sandboxes whatever their
 * parents.
 */
export function insiders({ folder }: Stand): number[] {
  const name = path.basename(folder);
  return processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
        .split('\n')
        .some((line) => line.includes(`${name}/`) && line.includes(' /workspace/group '));
    } catch {
      // The process has ended.
      return false;
    }
  });
}

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** All descendants of a process, from /proc. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const one of processes()) {
    try {
      const stat = readFileSync(`/proc/${one}/stat`, 'utf8');
      parents.set(one, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process has ended.
    }
  }
  const tree = [pid];
  for (const one of tree) tree.push(...[...parents].filter(([, parent]) => parent === one).map(([child]) => child));
  return tree.filter((one) => isAlive(one));
}
