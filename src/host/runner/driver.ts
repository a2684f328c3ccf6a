// What the runner asks of a kind of agent: to take messages as they come, and to say what becomes of them.
import type { RunnerFrame, StartFrame } from '../../schema/host-frame.ts';

export interface Message {
  readonly id: string;
  readonly text: string;
}

export interface Drive {
  readonly start: StartFrame;
  /** The folder of the agent's SDK, and its program; undefined: the SDK's own. */
  readonly sdk: string;
  readonly program: string | undefined;
  /** Where the model answers. */
  readonly modelUrl: string;
  /** The only way to the network; undefined where there is none, or the sandbox has one itself. */
  readonly proxyUrl: string | undefined;
  /** Ends when no more will come. May be read again, and then begins with what `taken` was not said of. */
  messages(): AsyncIterable<Message>;
  say(frame: RunnerFrame): Promise<void>;
  /** Says that a message is with the agent; undefined ids are ignored. */
  taken(id: string): Promise<void>;
  /** Asks the host; `ok` is false when it refused. */
  call(tool: string, input: unknown): Promise<{ ok: boolean; text: string }>;
  /** Resolves when the host has archived the session, or has had its time. */
  compacting(session: string): Promise<void>;
}

/** Resolves when the messages are over and all are answered, or when it has said `failed`. */
export type Driver = (drive: Drive) => Promise<'closed' | 'failed'>;
