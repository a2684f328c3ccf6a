// Texts → an HTTP endpoint → vectors: what network embedders share. Retries where waiting helps, and otherwise says what is wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HoldfastError } from '../system/errors.ts';
import { type Embedder, listed, quantize } from './embedder.ts';

export interface Protocol {
  /** For messages: Ollama. */
  readonly name: string;
  readonly model: string;
  readonly address: string;
  readonly key?: string | undefined;
  readonly batch: number;
  request(texts: readonly string[]): unknown;
  /** The vectors in the order of the texts. Undefined when the answer has no vectors. */
  answer(body: unknown): readonly (readonly number[])[] | undefined;
}

export interface Patience {
  readonly timeoutMs: number;
  /** Before each further attempt, unless the endpoint says how long. */
  readonly waitsMs: readonly number[];
}

const patient: Patience = { timeoutMs: 120_000, waitsMs: [1000, 5000, 15_000] };
/** A search is waiting: it falls back to keywords if the endpoint does not answer. */
const brisk: Patience = { timeoutMs: 5000, waitsMs: [] };
const longestWaitMs = 60_000;
/** Models read some thousand tokens at most, and some endpoints refuse more. */
const longestText = 8000;
const longestAnswer = 64 << 20;

/** `patience` is for tests. */
export function endpointEmbedder(protocol: Protocol, patience: Patience = patient): Embedder {
  const embed = async (texts: readonly string[], how: Patience, signal: AbortSignal | undefined) => {
    const sent = texts.map((text) => text.slice(0, longestText)).filter((text) => text.trim() !== '');
    const vectors = sent.length === 0 ? [] : await ask(protocol, sent, how, signal);
    const left = vectors.values();
    return texts.map((text) => (text.slice(0, longestText).trim() === '' ? undefined : left.next().value));
  };
  return {
    model: protocol.model,
    instant: false,
    batch: protocol.batch,
    embed: async (texts, signal) => (await embed(texts, patience, signal)).map(listed),
    query: async (text) => (await embed([text], patience === patient ? brisk : patience, undefined))[0],
    close: async () => {},
  };
}

async function ask(
  protocol: Protocol,
  texts: readonly string[],
  { timeoutMs, waitsMs }: Patience,
  signal: AbortSignal | undefined,
): Promise<(Int8Array | undefined)[]> {
  for (let attempt = 0; ; attempt++) {
    const attempted = await attemptOnce(protocol, texts, timeoutMs, signal);
    if ('vectors' in attempted) return attempted.vectors;
    const { error, retryAfterMs } = attempted;
    const wait = waitsMs[attempt];
    if (retryAfterMs === undefined || wait === undefined) throw error;
    await sleep(Math.min(longestWaitMs, Math.max(wait, retryAfterMs)), undefined, signal ? { signal } : {});
  }
}

type Attempt =
  | { readonly vectors: (Int8Array | undefined)[] }
  /** `retryAfterMs` is set if another attempt may succeed. */
  | { readonly error: HoldfastError; readonly retryAfterMs?: number };

async function attemptOnce(
  protocol: Protocol,
  texts: readonly string[],
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { name, address, key } = protocol;
  const late = AbortSignal.timeout(timeoutMs);
  let status: number;
  let text: string;
  let retryAfter: string | null;
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(protocol.request(texts)),
      // The key is for this address and no other.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    status = response.status;
    retryAfter = response.headers.get('retry-after');
    text = await bounded(response);
  } catch (cause) {
    signal?.throwIfAborted();
    const why = late.aborted ? `does not answer within ${timeoutMs / 1000} s` : `cannot be reached (${reason(cause)})`;
    const hint = `Is it running? Check embedding.url, or go without: holdfast config set embedding.kind static`;
    return {
      error: new HoldfastError('UNREACHABLE', `${name} at ${address} ${why}`, { hint, cause }),
      retryAfterMs: 0,
    };
  }
  if (status !== 200) return refused(protocol, status, text, retryAfter);
  const vectors = protocol.answer(parsed(text));
  if (vectors === undefined || vectors.length !== texts.length || !sameLength(vectors)) {
    const hint = 'Check embedding.url and embedding.model.';
    const what = vectors === undefined ? 'no vectors' : `${vectors.length} vectors for ${texts.length} texts`;
    const message = `${name} at ${address} answered with ${sameLength(vectors ?? []) ? what : 'vectors of different lengths'}`;
    return { error: new HoldfastError('UNREACHABLE', message, { hint }) };
  }
  return { vectors: vectors.map(quantize) };
}

function refused({ name, address }: Protocol, status: number, text: string, retryAfter: string | null): Attempt {
  const said = z
    .object({ error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]) })
    .safeParse(parsed(text));
  const detail = said.success ? `: ${said.data.error.slice(0, 300)}` : '';
  const message = `${name} at ${address} refused with ${status}${detail}`;
  const hint =
    status === 401 || status === 403
      ? 'Check embedding.key.'
      : status === 429
        ? 'It asks for fewer requests; Holdfast continues later by itself.'
        : 'Check embedding.url and embedding.model.';
  const error = new HoldfastError('UNREACHABLE', message, { hint });
  if (status !== 429 && status < 500) return { error };
  const seconds = Number(retryAfter ?? 0);
  return { error, retryAfterMs: Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0 };
}

/** A stranger on that port may send anything, forever. */
async function bounded(response: Response): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > longestAnswer) throw new Error('the answer does not end');
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it is, it holds no vectors.
    return undefined;
  }
}

const sameLength = (vectors: readonly (readonly number[])[]): boolean =>
  vectors.every(({ length }) => length > 0 && length === vectors[0]?.length);

function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? 'unknown';
}
