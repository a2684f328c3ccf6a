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

/** How far an import, distilling, or a file of lines has come. */
export type Progress = IngestProgress | RunProgress | { readonly lines: number; readonly totalLines: number };

/** What an operation works with. Everything it touches comes from here. */
export interface Context {
  readonly config: Config;
  readonly store: Store;
  readonly clock: () => number;
  /** How long the machine has run; it tells what a pause covers when the clock was set while it ran. */
  readonly running?: (() => RunningTime | undefined) | undefined;
  /** Search by meaning, which holds the vectors in memory; where it is absent keywords must do. */
  readonly meaning?: Meaning | undefined;
  /** Reports how far long work has come. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Asks long work to stop at the next safe point. */
  readonly signal?: AbortSignal | undefined;
  /** Set where the question came over HTTP, and not from a command that the person typed. */
  readonly remote?: true | undefined;
  /** Set where an agent asks, over MCP: what it says is its own word, and not the person's. */
  readonly byAgent?: true | undefined;
  /** Runs a command in a process of its own and resolves with its answer; for what would hold the worker up. */
  readonly apart?: ((words: readonly string[]) => Promise<unknown>) | undefined;
  /** Tells the person at the terminal what long work is doing; absent where nobody listens. */
  readonly say?: ((line: string) => void) | undefined;
  /** Tells the person at the terminal, beside the answer, what they should know about their question. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Standard output, for those whose answer is a stream; resolves when it was taken. */
  readonly out?: ((text: string) => Promise<void>) | undefined;
  /** Programs that the command can become; absent where the operation is not run from the command line. */
  readonly programs?: Programs | undefined;
  /** Tells the process of a group to close, where this process is the one that runs it. */
  readonly closeGroup?: ((group: string) => void | Promise<void>) | undefined;
  /** What a person gives who has no room for it in the command. */
  readonly person?:
    | {
        /** Text that was piped in. */
        piped(): Promise<string | undefined>;
        /** An editor on a file. */
        edit(file: string): Promise<boolean>;
        /** Their consent. */
        agrees?(question: string): Promise<boolean>;
        /** A session, with these words typed in already; undefined where nobody can be asked, or there is none. */
        chooseSession?(agent: AgentName | undefined, words?: string): Promise<Session | undefined>;
        /** A conversation; `stop` is called when the person wants to leave. */
        converse?(stop: () => void): Terminal;
      }
    | undefined;
}

/** Where a conversation takes place. */
export interface Terminal {
  /** False: one message is piped in, and answers go out plain. */
  readonly isTyped: boolean;
  /** What the person says; what is piped in is one of them. */
  readonly lines: AsyncIterable<string>;
  show(text: string): void;
  /** What is not part of an answer. */
  note(text: string): void;
  /** The person may go on. */
  ready(): void;
  close(): void;
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** Words separated by a space: `search`, `config get`. */
  readonly name: string;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  readonly surfaces: readonly Surface[];
  /** Input fields that the command line takes as arguments rather than options, in order. */
  readonly positional?: readonly string[];
  readonly examples: readonly string[];
  /** How HTTP offers it, where that is not `GET /api/<name>`. What changes something must be a POST. */
  readonly http?: {
    readonly method?: 'GET' | 'POST';
    /** `/api/sessions/{id}`: what stands in braces is a field of the input. */
    readonly path?: string;
    /** Of the answer, where that is not 200. */
    readonly status?: 202;
    /** The group named in the path may call it with its own token. */
    readonly ofGroup?: true;
    /** Runs in a process of its own: it takes longer than a hook can wait. Takes flags alone. */
    readonly apart?: true;
    /** Other names of query fields: `{ q: 'query' }`. */
    readonly aliases?: Readonly<Record<string, string>>;
  };
  /** How MCP offers it to a model, where that is not the summary and all fields. What is no GET over HTTP counts as a change. */
  readonly mcp?: {
    /** When to use it, and what comes next. */
    readonly description?: string;
    /** In the model's sight from the start, where a client hides tools until they are searched for. */
    readonly foremost?: true;
    /** Fields that make no sense for an agent. */
    readonly without?: readonly string[];
    /** What fields are for an agent that says nothing about them. */
    readonly defaults?: Readonly<Record<string, unknown>>;
    /** The field that stands for the folder that the agent works in, where it says nothing about it. */
    readonly here?: string;
  };
  /**
   * The worker, where one runs, answers a command faster: it has in memory what the command would have to load. Gives the
   * input as it must be put to a process in another folder; undefined where that cannot be said.
   */
  viaWorker?(input: z.output<Input>): z.output<Input> | undefined;
  /** Destroys what cannot be got back, and so has a field `yes`: see consent.ts. */
  readonly destroys?: true;
  /** Works where there is no sound store, or opens one itself: `context.store` must not be touched. */
  readonly withoutStore?: true;
  /** Works where config.json holds bad values: it is what mends them. */
  readonly mendsConfig?: true;
  /**
   * What SIGTERM does. `orderly`: the command stops at the next safe point. `guarded`: so too, and it is ended where it does not, because it
   * computes. Without it the process ends at once: nothing would have to be put away.
   */
  readonly ending?: 'orderly' | 'guarded';
  /** False when the answer itself reports a failure, or that nothing was done of what was asked for. The command line then ends with 1. */
  succeeded?(output: z.input<Output>, input: z.output<Input>): boolean;
  run(context: Context, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Keeps the types of input and output together where an operation is declared. */
export const operation = <Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Operation<Input, Output>,
): Operation<Input, Output> => declared;
