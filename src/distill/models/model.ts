// The interface of every model: a question with the shape of its answer → the answer as text, and what it cost.
import type { Config } from '../../config/config.ts';
import type { Usage } from '../../schema/job.ts';

export interface Question {
  readonly system: string;
  /** The conversation so far, beginning with a `user` message. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  /** The shape of the answer, as JSON Schema. */
  readonly shape: Readonly<Record<string, unknown>>;
  readonly maxOutputTokens: number;
}

export interface Reply {
  readonly text: string;
  /** `cut`: the answer reached `maxOutputTokens`. */
  readonly end: 'whole' | 'cut' | 'refused';
  readonly usage: Usage;
}

export interface Model {
  /** `anthropic/claude-haiku-4-5`, for example. Stored with each text that the model wrote. */
  readonly name: string;
  /** How many questions it takes at once. */
  readonly parallel: number;
  /** Contract: rejects with a ModelError, or with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<Reply>;
}

/** Opens the model that the settings name. Throws a ModelError of kind `setup` if something is missing. */
export type OpenModel = (config: Config) => Promise<Model>;

/**
 * `invalid`, `refused`: only this question failed. `failed`: the connection or the service broke. `busy`: the service asks us to wait.
 * `setup`: the model cannot answer any question until the person changes something.
 */
export type ModelTrouble = 'invalid' | 'refused' | 'failed' | 'busy' | 'setup';

export class ModelError extends Error {
  readonly kind: ModelTrouble;
  readonly retryAfterMs: number | undefined;
  /** What was spent before the error. */
  readonly usage: Usage;
  readonly hint: string | undefined;

  constructor(
    kind: ModelTrouble,
    message: string,
    more: { retryAfterMs?: number | undefined; usage?: Usage; hint?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = more.retryAfterMs;
    this.usage = more.usage ?? noUsage;
    this.hint = more.hint;
  }
}

export const noUsage: Usage = { calls: 0, input: 0, output: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  calls: a.calls + b.calls,
  input: a.input + b.input,
  output: a.output + b.output,
});
