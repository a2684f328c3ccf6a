// What the runner asks of a kind of agent: to take messages as they come, and to report what becomes of them.
import type { RunnerFrame, StartFrame } from '../../schema/host-frame.ts';

export interface Message {
  readonly id: string;
  readonly text: string;
}

export interface Drive {
  readonly start: StartFrame;
  /** The folder of the agent's SDK, and its program. Undefined: the SDK's own. */
  readonly sdk: string;
  readonly program: string | undefined;
  /** Where the model answers. */
  readonly modelUrl: string;
  /** The only way to the network. Undefined if there is none, or if the sandbox has one itself. */
  readonly proxyUrl: string | undefined;
  /** Ends when no more will come. May be read again, and then begins with the messages that were not `taken`. */
  messages(): AsyncIterable<Message>;
  say(frame: RunnerFrame): Promise<void>;
  /** Reports that a message is with the agent. Undefined ids are ignored. */
  taken(id: string): Promise<void>;
  /** Calls the host. `ok` is false when it refused. */
  call(tool: string, input: unknown): Promise<{ ok: boolean; text: string }>;
  /** Resolves when the host has archived the session, or its time is over. */
  compacting(session: string): Promise<void>;
}

/** Resolves when there are no more messages and all are answered, or after it has reported `failed`. */
export type Driver = (drive: Drive) => Promise<'closed' | 'failed'>;
