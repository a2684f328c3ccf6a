// One agent process in its sandbox, as the host sees it: started, sent messages, closed or killed.
import { environmentOfHosted } from '../agents/claude-code/index.ts';
import type { Config } from '../config/config.ts';
import {
  type FailureKind,
  type HostedAgent,
  type HostTool,
  type ResultFrame,
  RunnerFrame,
} from '../schema/host-frame.ts';
import { prepareFolders } from '../sessions/groups/group-folders.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { openChannel } from './channel.ts';
import { confine } from './confine.ts';
import { openConversation } from './conversation.ts';
import { diskQuota } from './disk.ts';
import { groupLogs } from './group-logs.ts';
import { bytes, frames, openPace } from './pace.ts';
import { findPrograms } from './programs.ts';
import { extraMounts } from './sandbox/extra-mounts.ts';
import { chooseSandbox } from './sandbox/index.ts';
import { mountsOf } from './sandbox/mounts.ts';
import type { Inside, Sandbox } from './sandbox/sandbox.ts';
import { openSockets } from './sockets.ts';

export interface AgentRun {
  /** The group's name. Missing folders are created. */
  readonly group: string;
  readonly agent?: HostedAgent;
  /** The session to resume. Without it, a new one. */
  readonly session?: string | undefined;
  readonly resumeAt?: string | undefined;
  /** Added to the agent's system prompt: global memory, and what else the host wants it to know. */
  readonly append?: string;
  readonly model?: string | undefined;
  /** What the model sees beside the agent's own tools. Each call goes to `events.call`. */
  readonly tools?: readonly HostTool[];
  readonly events: AgentEvents;
}

/** Called in the order in which the runner spoke. Contract: an exception is logged, and ends nothing. */
export interface AgentEvents {
  /** The moment to store the pointer. */
  session?(session: string): void;
  taken?(id: string): void;
  delta?(text: string): void;
  result?(result: Omit<ResultFrame, 'type'>): void;
  /** Returns the text for the model. An exception reaches the model as the tool's error. */
  call?(tool: string, input: unknown): Promise<string>;
  /** A compaction waits for this, though not long. */
  compacting?(session: string): Promise<void>;
  failed?(kind: FailureKind, message: string): void;
}

export interface AgentExit {
  /**
   * `closed`: in order. `failed`: the agent failed or could not start, and `failed` says why. `killed`: by `kill`. `died`: anything else.
   */
  readonly how: 'closed' | 'failed' | 'killed' | 'died';
  readonly failure?: { readonly kind: FailureKind; readonly message: string };
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Messages that were sent and never taken, so no agent has seen them. */
  readonly untaken: readonly string[];
  /** Messages that were taken and not answered. */
  readonly unanswered: readonly string[];
}

export interface RunningAgent {
  readonly group: string;
  /** The pid of the sandbox's outer process. */
  readonly pid: number;
  /** Joins the running query. False: the agent is closing or gone, and the message belongs to the next process. */
  send(message: { readonly id: string; readonly text: string }): boolean;
  /** Lets the agent answer what it has taken, then ends it. */
  close(): void;
  /** Ends it and everything it has started, now. */
  kill(): void;
  /** Contract: never rejects. All events have been delivered before, and no process of it is left. */
  readonly exited: Promise<AgentExit>;
}

export interface AgentDeps {
  readonly config: Config;
  /** Writes a line to the host's log. */
  readonly log: (line: string) => void;
  /** The result of `chooseSandbox`. Without it, each start chooses. */
  readonly sandbox?: Sandbox;
}

/** What an agent in this sandbox would start with. Throws a HoldfastError when none can start: no key, no SDK. */
export function checkAgent(config: Config, sandbox: Sandbox): ReturnType<typeof findPrograms> {
  if (config.modelService.key === undefined)
    throw new HoldfastError('CONFLICT', 'There is no key for the model of hosted agents', {
      hint: 'Set it: holdfast config set host.key <key>, or ANTHROPIC_API_KEY in the environment.',
    });
  return findPrograms(config, sandbox);
}

/** Resolves once the process runs. Rejects with a HoldfastError when it cannot start at all: no SDK, no key, no sandbox. */
export async function startAgent(deps: AgentDeps, run: AgentRun): Promise<RunningAgent> {
  const { config } = deps;
  const sandbox = deps.sandbox ?? (await chooseSandbox(config)).sandbox;
  const programs = checkAgent(config, sandbox);
  const folders = prepareFolders(config, run.group);
  const quota = diskQuota(run.group, [folders.work, folders.agentHome], config.settings.host.diskMb);
  await quota.check();
  const logs = groupLogs(config, run.group);
  let flood = () => {};
  const { network, networkVia } = config.settings.host;
  /** A separate network, with a proxy that reaches public addresses only. */
  const proxied = network && networkVia === 'proxy' && sandbox.name === 'bubblewrap';
  const sockets = await openSockets(deps, { proxied, onFlood: () => flood() });
  try {
    const here = { ...programs, ...folders, home: folders.agentHome, run: sockets.folder, path: config.searchPath };
    const inside = sandbox.inside(here);
    const environment = environmentIn(inside, config);
    const conversation = openConversation(
      {
        type: 'start',
        agent: run.agent ?? 'claude',
        session: run.session,
        resumeAt: run.resumeAt,
        append: run.append ?? '',
        environment: { ...environment, ...environmentOfHosted(sockets.key) },
        model: run.model ?? config.settings.host.model,
        tools: [...(run.tools ?? [])],
      },
      run.events,
      logs.agent,
    );
    const { memoryMb, cpus, processes, fileMb } = config.settings.host;
    const child = await confine(sandbox, config, {
      name: run.group,
      argv: [
        inside.node,
        inside.runner,
        inside.run,
        inside.sdk,
        ...(inside.program === undefined ? [] : [inside.program]),
      ],
      cwd: inside.work,
      environment,
      mounts:
        sandbox.name === 'none'
          ? []
          : mountsOf(
              config,
              run.group,
              sandbox.bringsSdk ? { run: here.run, runner: here.runner } : here,
              extraMounts(config, run.group),
            ),
      network: network && !proxied,
      limits: { memoryMb, cpus, processes, fileMb },
    });
    child.lines(logs.agent);
    const endFor = (why: string) => {
      conversation.fail(`it was ended: ${why}`);
      child.kill();
    };
    flood = () => endFor('it opened more connections than the host can take');
    const watched = quota.watch(endFor, child.started);
    const heard = sockets.connected.then((socket) =>
      socket === undefined
        ? undefined
        : conversation.listen(openChannel(socket, RunnerFrame, logs.quarantine, { pace: paceOf() })),
    );
    // A runner that has sent its last frame has no reason to stay.
    void heard.then(() => child.endWithin(farewellMs));
    let killed = false;
    const exited = child.exited.then(async ({ code, signal }): Promise<AgentExit> => {
      watched.stop();
      sockets.refuse();
      await heard;
      await sockets.close();
      const { closed, failure } = conversation.end();
      const how = closed ? 'closed' : failure !== undefined ? 'failed' : killed ? 'killed' : 'died';
      const rest = { untaken: conversation.untaken(), unanswered: conversation.unanswered() };
      return { how, code, signal, ...(failure === undefined ? {} : { failure }), ...rest };
    });
    return {
      group: run.group,
      pid: await child.started,
      send: (message) => conversation.send(message),
      close: () => conversation.close(),
      kill() {
        killed = true;
        child.kill();
      },
      exited,
    };
  } catch (error) {
    await sockets.close();
    throw explain(error, `The agent of ${run.group}`);
  }
}

/** Nothing of this machine's environment except the time zone. */
const environmentIn = ({ home, path: search }: Inside, { settings }: Config): Record<string, string> => ({
  ...{ HOME: home, PATH: search, USER: 'agent', LOGNAME: 'agent', SHELL: '/bin/sh' },
  ...{ LANG: 'C.UTF-8', TERM: 'dumb', TZ: settings.timeZone },
});

/** Limits how much of what a runner sends is processed. */
function paceOf(): (bytes: number) => Promise<void> | undefined {
  const [perFrame, perByte] = [openPace(frames), openPace(bytes)];
  return (size) => {
    const waits = [perFrame.take(1), perByte.take(size)].filter((one) => one !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
  };
}

const farewellMs = 5000;
