// What a command can become: programs that stay, and that src/app/ puts together.
import type { OutgoingMessage } from '../schema/group-message.ts';
import { HoldfastError } from '../system/errors.ts';
import type { Context, Terminal } from './operation.ts';

export interface Programs {
  /** Opens the memory that the environment names, creates it first if it does not exist. */
  open(env?: NodeJS.ProcessEnv): Promise<{ readonly context: Context; close(): Promise<void> }>;
  /** Runs as the worker until the signal stops it. If another worker runs, it only says so. */
  worker(context: Context): Promise<void>;
  /** Runs as the host of groups until the signal stops it. */
  host(context: Context): Promise<void>;
  /** Talks with the agent of a group. Resolves with what was said, and with the messages that have no answer. */
  chat(
    context: Context,
    terminal: Terminal,
    request: { readonly group: string; readonly message: string | undefined; readonly signal: AbortSignal },
  ): Promise<{ readonly said: readonly OutgoingMessage[]; readonly open: readonly number[] }>;
  /** Serves MCP on standard input and output: the person's agent, or the agent of a group. */
  mcp(context: Pick<Context, 'config' | 'signal'>, group: string | undefined): Promise<void>;
}

/** Only the command line starts programs. */
export function programsOf({ programs }: Pick<Context, 'programs'>): Programs {
  if (programs === undefined) throw new HoldfastError('INTERNAL', 'Only the command line can run this operation');
  return programs;
}
