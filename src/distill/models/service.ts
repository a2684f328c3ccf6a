// Models behind an HTTP API, through the AI SDK. One call without retries, because the runner retries jobs. Errors become ModelErrors.
import { type FlexibleSchema, generateText, jsonSchema, type LanguageModel, NoObjectGeneratedError, Output } from 'ai';
import type { Usage } from '../../schema/job.ts';
import { ModelError, type Question, type Reply } from './model.ts';

/** How we state the shape of the answer: as a schema for the service, or in the system prompt. */
export type Telling = 'schema' | 'words';

interface Ended {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };
}

export async function generate(
  model: LanguageModel,
  { system, messages, shape, maxOutputTokens }: Question,
  { telling = 'schema', timeoutMs }: { telling?: Telling; timeoutMs: number },
  signal: AbortSignal,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const inWords = `${system}\n\nAnswer with one JSON object of this JSON Schema, and nothing else:\n${JSON.stringify(shape)}`;
  try {
    const ended: Ended = await generateText({
      model,
      system: telling === 'words' ? inWords : system,
      messages: messages.map(({ role, text }) => ({ role, content: text })),
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
      ...(telling === 'words'
        ? {}
        : { output: Output.object({ schema: jsonSchema(shape) as FlexibleSchema<unknown>, name: 'answer' }) }),
    });
    return toReply(ended);
  } catch (error) {
    signal.throwIfAborted();
    if (NoObjectGeneratedError.isInstance(error))
      return toReply({
        text: error.text ?? '',
        finishReason: error.finishReason ?? 'unknown',
        usage: { inputTokens: error.usage?.inputTokens, outputTokens: error.usage?.outputTokens },
      });
    throw troubleOf(error, timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : undefined);
  }
}

const toReply = ({ text, finishReason, usage }: Ended): Reply => ({
  text,
  end: finishReason === 'content-filter' ? 'refused' : finishReason === 'length' ? 'cut' : 'whole',
  usage: usageOf(usage),
});

const usageOf = ({ inputTokens, outputTokens }: Ended['usage']): Usage => ({
  calls: 1,
  input: inputTokens ?? 0,
  output: outputTokens ?? 0,
});

interface ApiError {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
  readonly message: string;
}

/** Translates an HTTP status into what it means for the next attempt. */
export function troubleOf(error: unknown, timedOut?: string): ModelError {
  if (timedOut !== undefined) return new ModelError('failed', timedOut, { cause: error });
  const { statusCode: status, responseHeaders = {}, message } = error as ApiError;
  const said = `${status === undefined ? '' : `${status}: `}${message || 'the connection broke'}`.slice(0, 300);
  const retryAfterMs = retryAfter(responseHeaders);
  if (status === 429 || status === 529 || status === 503)
    return new ModelError('busy', said, { retryAfterMs, cause: error });
  if (status === 401 || status === 403)
    return new ModelError('setup', said, {
      cause: error,
      hint: 'Check the key: holdfast config set distill.key <key>',
    });
  if (status === 404)
    return new ModelError('setup', said, { cause: error, hint: 'Check distill.url and distill.modelName.' });
  if (status === 402 || /insufficient_quota|credit balance/i.test((error as ApiError).responseBody ?? ''))
    return new ModelError('setup', said, { cause: error, hint: 'The account has no credit.' });
  if (status === 400 || status === 413 || status === 422) return new ModelError('invalid', said, { cause: error });
  if (status === undefined && /^Cannot connect to API/.test(message))
    return new ModelError('busy', 'the service cannot be reached', { cause: error });
  return new ModelError('failed', said, { retryAfterMs, cause: error });
}

/** `retry-after` holds seconds or a date. Some services also send `retry-after-ms`. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (Number.isFinite(precise) && precise > 0) return precise;
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
