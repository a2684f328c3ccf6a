// A capability, declared once: every surface that offers it is generated from this.
import type { z } from 'zod';
import type { IngestProgress } from '../capture/ingest.ts';
import type { Config } from '../config/config.ts';
import type { RunProgress } from '../distill/run.ts';
import type { Meaning } from '../recall/vectors/index.ts';
import type { AgentName } from '../schema/agent-name.ts';
import type { Session } from '../schema/session.ts';
import type { Store } from '../store/store.ts';
import type { RunningTime } from '../system/running-time.ts';
import type { Programs } from './programs.ts';

export type Surface = 'cli' | 'http' | 'mcp';

/** Progress of an import, of distilling, or of reading a file of lines. */
export type Progress = IngestProgress | RunProgress | { readonly lines: number; readonly totalLines: number };

/** The ports that an operation may ask for. The process that opened the store closes it. */
export type ContextPort = Exclude<keyof Store, 'close' | 'engine'>;

/**
 * What an operation works with. Its type names the ports of the store that it uses: `Context<'jobs' | 'entries'>`. A
 * surface hands every operation the same context, with all ports.
 */
export interface Context<Port extends ContextPort = ContextPort> {
  readonly config: Config;
  readonly store: Pick<Store, Port>;
  readonly clock: () => number;
  /** How long the machine has run. It shows what a pause covers if the clock was set in the meantime. */
  readonly running?: (() => RunningTime | undefined) | undefined;
  /** Search by meaning, which holds the vectors in memory; without it, only keywords are searched. */
  readonly meaning?: Meaning | undefined;
  /** Reports the progress of long work. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Asks long work to stop at the next safe point. */
  readonly signal?: AbortSignal | undefined;
  /** Set if the request came over HTTP, not from a command that the person typed. */
  readonly remote?: true | undefined;
  /** Set if an agent asks over MCP: its words are its own, not the person's. */
  readonly byAgent?: true | undefined;
  /** Runs a command in a separate process and resolves with its answer; for work that would hold up the worker. */
  readonly apart?: ((words: readonly string[]) => Promise<unknown>) | undefined;
  /** Tells the person at the terminal what long work is doing; absent if there is no terminal. */
  readonly say?: ((line: string) => void) | undefined;
  /** Tells the person at the terminal, beside the answer, something to know about their question. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Standard output, for operations whose answer is a stream; resolves when the text was accepted. */
  readonly out?: ((text: string) => Promise<void>) | undefined;
  /** Programs that the command can become; absent if the operation is not run from the command line. */
  readonly programs?: Programs | undefined;
  /** Tells the process of a group to close, if this process runs it. */
  readonly closeGroup?: ((group: string) => void | Promise<void>) | undefined;
  /** Input from a person that does not fit into the command. */
  readonly person?:
    | {
        /** Text that was piped in. */
        piped(): Promise<string | undefined>;
        /** Opens an editor on a file. */
        edit(file: string): Promise<boolean>;
        /** Asks for consent. */
        agrees?(question: string): Promise<boolean>;
        /** Asks for a session, starting with these words; undefined without a terminal, or if there is no session. */
        chooseSession?(agent: AgentName | undefined, words?: string): Promise<Session | undefined>;
        /** Opens a chat; calls `stop` when the person wants to leave. */
        converse?(stop: () => void): Terminal;
      }
    | undefined;
}

/** The terminal of a chat. */
export interface Terminal {
  /** False: one message is piped in, and answers go out plain. */
  readonly isTyped: boolean;
  /** What the person types; piped text is one line. */
  readonly lines: AsyncIterable<string>;
  show(text: string): void;
  /** Shows text that is not part of an answer. */
  note(text: string): void;
  /** The person may type again. */
  ready(): void;
  close(): void;
}

export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Name extends string = string,
> {
  /** Words separated by a space: `search`, `config get`. */
  readonly name: Name;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  readonly surfaces: readonly Surface[];
  /** Input fields that the command line takes as arguments rather than options, in order. */
  readonly positional?: readonly string[];
  /** What to do instead, if someone types more arguments than these. Without it, the hint names the help. */
  hintForExtra?(words: string): string;
  readonly examples: readonly string[];
  /** How HTTP offers it, if not as `GET /api/<name>`. An operation that changes something must be a POST. */
  readonly http?: {
    readonly method?: 'GET' | 'POST';
    /** `/api/sessions/{id}`: names in braces are input fields. */
    readonly path?: string;
    /** Status of the answer, if not 200. */
    readonly status?: 202;
    /** The group named in the path may call it with its own token. */
    readonly ofGroup?: true;
    /** Runs in a separate process because it takes longer than a hook can wait. Takes only flags. */
    readonly apart?: true;
    /** Other names of query fields: `{ q: 'query' }`. */
    readonly aliases?: Readonly<Record<string, string>>;
  };
  /**
   * How MCP offers it to a model, if not with the summary and all fields. An operation that is not a GET over HTTP
   * counts as a change.
   */
  readonly mcp?: {
    /** When to use it, and what comes next. */
    readonly description?: string;
    /** Visible to the model from the start, even if the client hides tools until they are searched for. */
    readonly foremost?: true;
    /** Fields that make no sense for an agent. */
    readonly without?: readonly string[];
    /** Defaults of fields for an agent that does not give them. */
    readonly defaults?: Readonly<Record<string, unknown>>;
    /** The field that defaults to the folder the agent works in. */
    readonly here?: string;
  };
  /**
   * A running worker answers a command faster, because it already holds in memory what the command would have to load.
   * Returns the input as a process in another folder needs it; undefined if that is not possible.
   */
  viaWorker?(input: z.output<Input>): z.output<Input> | undefined;
  /** Destroys what cannot be recovered, and so has a field `yes`: see consent.ts. */
  readonly destroys?: true;
  /** Works without a sound store, or opens one itself: it must not touch `context.store`. */
  readonly withoutStore?: true;
  /** Works while config.json holds bad values, because it repairs them. */
  readonly mendsConfig?: true;
  /**
   * What SIGTERM does. `orderly`: the command stops at the next safe point. `timed`: the same, but it is killed if it
   * does not end. `guarded`: the same even if the signal comes while it computes; the thread for that takes 9 MB, so the worker has it only
   * while it is busy. Without it the process ends at once: there is nothing to clean up.
   */
  readonly ending?: 'orderly' | 'timed' | 'guarded';
  /**
   * False if the answer itself reports a failure, or if nothing of what was asked was done. The command line then exits
   * with 1.
   */
  succeeded?(output: z.input<Output>, input: z.output<Input>): boolean;
  run(context: Context, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Ties the name and the types of input and output together where an operation is declared. */
export const operation = <Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  declared: Operation<Input, Output, Name>,
): Operation<Input, Output, Name> => declared;

/** The operations of a table by their names. */
export type ByName<Table extends readonly Operation[]> = {
  readonly [One in Table[number] as One['name']]: One;
};

export type InputOf<One extends Operation> = z.output<One['input']>;
export type OutputOf<One extends Operation> = z.output<One['output']>;
