// What every model offers to distilling: a question with a shape, an answer as text, and what it has cost.
import type { Config } from '../../config/config.ts';
import type { Usage } from '../../schema/job.ts';

export interface Question {
  readonly system: string;
  /** What was said so far, the person's side first. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  /** The shape of the answer, as JSON Schema. */
  readonly shape: Readonly<Record<string, unknown>>;
  readonly maxOutputTokens: number;
}

export interface Reply {
  readonly text: string;
  /** `cut`: it reached the end of its allowance. */
  readonly end: 'whole' | 'cut' | 'refused';
  readonly usage: Usage;
}

export interface Model {
  /** `anthropic/claude-haiku-4-5`: recorded with each text it makes. */
  readonly name: string;
  /** How many questions may be asked at once. */
  readonly parallel: number;
  /** Contract: rejects with a ModelError, or with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<Reply>;
}

/** Opens a model by the settings. Throws a ModelError of kind `setup` when something is missing. */
export type OpenModel = (config: Config) => Promise<Model>;

/**
 * `invalid`, `refused`: about this one question. `failed`: the connection or the service broke. `busy`: the service asks to wait.
 * `setup`: no question will be answered until something is changed.
 */
export type ModelTrouble = 'invalid' | 'refused' | 'failed' | 'busy' | 'setup';

export class ModelError extends Error {
  readonly kind: ModelTrouble;
  readonly retryAfterMs: number | undefined;
  /** What was spent before it came to this. */
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
