// One agent process in its sandbox, as the host sees it: started, told messages, closed or killed.
import type { Config } from '../config.ts';
import { HoldfastError } from '../errors.ts';
import type { FailureKind, HostedAgent, HostTool, ResultFrame } from '../schema/host-frame.ts';

/** What of a group its agent's process needs. */
export interface AgentGroup {
  readonly name: string;
  /** Sees the folders of all groups, and may write global memory. */
  readonly isMain: boolean;
  /** The work folder: CLAUDE.md, conversations/, and whatever the agent makes. */
  readonly folder: string;
  /** What the agent sees as its home: its sessions, settings and own memory. */
  readonly agentHome: string;
  /** What it is told at each start; written by us alone. */
  readonly snapshots: string;
  /** `groups/global`: read-only for all but main. */
  readonly globalFolder: string;
  /** `groups`: main alone sees it. */
  readonly groupsFolder: string;
}

export interface AgentRun {
  readonly group: AgentGroup;
  readonly agent?: HostedAgent;
  /** The session to resume; without it, a new one. */
  readonly session?: string | undefined;
  readonly resumeAt?: string | undefined;
  /** Added to the agent's system prompt: global memory, and what else the host wants it to know. */
  readonly append?: string;
  readonly model?: string | undefined;
  /** What the model sees beside the agent's own tools; each call comes to `events.call`. */
  readonly tools?: readonly HostTool[];
  readonly events: AgentEvents;
}

/** Called in the order in which the runner spoke. Contract: what they throw is logged, and ends nothing. */
export interface AgentEvents {
  /** The moment to store the pointer. */
  session?(session: string): void;
  taken?(id: string): void;
  delta?(text: string): void;
  result?(result: Omit<ResultFrame, 'type'>): void;
  /** The text for the model; what is thrown reaches it as the tool's error. */
  call?(tool: string, input: unknown): Promise<string>;
  /** A compaction waits for this, though not long. */
  compacting?(session: string): Promise<void>;
  failed?(kind: FailureKind, message: string): void;
}

export interface AgentExit {
  /** `closed`: in order. `failed`: the agent or its start; `failed` was told why. `killed`: by `kill`. `died`: anything else. */
  readonly how: 'closed' | 'failed' | 'killed' | 'died';
  readonly failure?: { readonly kind: FailureKind; readonly message: string };
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Messages that were sent and never taken: nobody has seen them. */
  readonly untaken: readonly string[];
  /** Messages that were taken and not answered. */
  readonly unanswered: readonly string[];
}

export interface RunningAgent {
  readonly group: string;
  /** Of the sandbox's outer process. */
  readonly pid: number;
  /** Joins the running query. False: it is closing or gone, and the message is the next process's. */
  send(message: { readonly id: string; readonly text: string }): boolean;
  /** Answers what it has taken, then ends. */
  close(): void;
  /** Ends it and everything it has started, now. */
  kill(): void;
  /** Contract: never rejects. All events have been told before, and no process of it is left. */
  readonly exited: Promise<AgentExit>;
}

export interface AgentDeps {
  readonly config: Config;
  /** A line for the log of the host. */
  readonly log: (line: string) => void;
}

/** Resolves once the process is there. Rejects with a HoldfastError when it cannot be started at all: no SDK, no key, no sandbox. */
export async function startAgent(_deps: AgentDeps, run: AgentRun): Promise<RunningAgent> {
  throw new HoldfastError('INTERNAL', `The agent of ${run.group.name} cannot be started yet`);
}
