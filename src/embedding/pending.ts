// Texts that lack a vector → embedder → store. One path for new texts, for another model, and after a crash.
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import type { EmbeddingTrouble, PendingText, RoughText } from '../store/vectors/port.ts';
import { explain } from '../system/errors.ts';
import type { Embedder } from './embedder.ts';
import { openEmbedder } from './index.ts';
import { passagesIn } from './passages.ts';

export interface EmbedDeps {
  readonly store: Pick<Store, 'vectors'>;
  readonly config: Config;
  readonly clock?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For tests; otherwise the settings choose. */
  readonly embedder?: Embedder | undefined;
  /** How many have their vectors now, of how many. `closely`: texts with a rough vector are read again for an exact one. */
  readonly progress?: ((done: number, total: number, closely?: true) => void) | undefined;
  /** Leaves slow work undone. */
  readonly instantOnly?: boolean | undefined;
  /** Then reads texts with a rough vector closely. This takes milliseconds for each text, so imports leave it to the worker. */
  readonly refine?: boolean | undefined;
  /** Texts per step, if fewer are wanted than the embedder likes best. */
  readonly batch?: number | undefined;
  /** Pause between two batches of slow work: the machine has other work too. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

export type EmbedOutcome =
  /** Nothing is pending any more. */
  | 'done'
  /** The settings want no vectors. */
  | 'off'
  /** Another process does it now, or should. */
  | 'elsewhere'
  /** The signal came. */
  | 'stopped';

const leaseMs = 120_000;
const toDrop = 5000;

/**
 * Embeds until nothing is pending. Each batch is a transaction: wherever it ends, the next call continues from there. Throws what the
 * embedder throws.
 */
export async function embedPending(deps: EmbedDeps): Promise<EmbedOutcome> {
  const { store, config, signal, clock = Date.now } = deps;
  const embedder = deps.embedder ?? openEmbedder(config);
  if (embedder === undefined) return 'off';
  const holder = randomUUID();
  try {
    await store.vectors.wantModel(embedder.model);
    if (deps.instantOnly === true && !embedder.instant) return 'elsewhere';
    const batch = Math.min(embedder.batch, deps.batch ?? embedder.batch);
    const report = reporting(deps.progress, async () => (await store.vectors.counts()).pending);
    for (;;) {
      if (signal?.aborted) return 'stopped';
      const texts = await store.vectors.pending(batch);
      if (texts.length === 0) break;
      // A call may cost money or minutes: no two processes make it for the same texts.
      if (!embedder.instant && !(await store.vectors.lease(holder, clock(), clock() + leaseMs))) return 'elsewhere';
      await embedBatch(store, embedder, texts, signal);
      await report(texts.length, texts.length === batch);
      await (deps.pause === undefined || embedder.instant ? new Promise(setImmediate) : deps.pause());
    }
    if (deps.refine === true) {
      const outcome = await refineRough(deps, embedder);
      if (outcome !== undefined) return outcome;
    }
    while (!(await store.vectors.dropOld(toDrop))) {
      if (signal?.aborted) return 'stopped';
      await new Promise(setImmediate);
    }
    return 'done';
  } catch (error) {
    if (signal?.aborted) return 'stopped';
    throw error;
  } finally {
    if (!embedder.instant) await store.vectors.lease(holder, clock(), undefined);
    if (deps.embedder === undefined) await embedder.close();
  }
}

/** Counts what is left once, and only if there may be more: counting takes longer than embedding the few texts of a new answer. */
function reporting(progress: ((done: number, total: number) => void) | undefined, countLeft: () => Promise<number>) {
  let done = 0;
  let total: number | undefined;
  return async (more: number, mayBeMore: boolean): Promise<void> => {
    done += more;
    if (progress === undefined) return;
    total ??= done + (mayBeMore ? await countLeft() : 0);
    progress(done, Math.max(total, done));
  };
}

async function embedBatch(
  store: Pick<Store, 'vectors'>,
  embedder: Embedder,
  texts: readonly PendingText[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    signal,
  );
  const done = texts.map(({ kind, id, stamp }, i) => ({ kind, id, stamp, vectors: vectors[i] ?? [] }));
  await store.vectors.save(embedder.model, done, { rough: embedder.refine !== undefined });
}

export interface Alongside {
  /** Reports how many entries were stored so far. Starts embedding if enough texts wait, and does not wait for it. */
  note(stored: number): void;
  /** Waits for running work. */
  end(): Promise<void>;
}

/**
 * Embeds during an import: the embedder computes in another thread. Whatever it leaves or fails at is left to `embedPending`, which reports
 * it.
 */
export function embedAlongside({ store, config, signal }: Pick<EmbedDeps, 'store' | 'config' | 'signal'>): Alongside {
  const embedder = openEmbedder(config);
  let taken = 0;
  let failed = false;
  let running: Promise<void> | undefined;
  const step = async (instant: Embedder): Promise<void> => {
    try {
      await store.vectors.wantModel(instant.model);
      const texts = await store.vectors.pending(instant.batch);
      if (texts.length > 0) await embedBatch(store, instant, texts, signal);
    } catch {
      // The texts are still pending: `embedPending` tries them again and reports the error.
      failed = true;
    }
  };
  return {
    note(stored) {
      if (embedder?.instant !== true || failed || running !== undefined || stored - taken < embedder.batch) return;
      taken += embedder.batch;
      running = step(embedder).finally(() => {
        running = undefined;
      });
    },
    async end() {
      await running;
      await embedder?.close();
    },
  };
}

/** Texts per step: some tens of milliseconds. */
const refinedAtOnce = 8;

/**
 * Reads texts with a rough vector closely, newest first. Undefined when nothing is left to read. Two processes may do it at once: a text
 * that both have read is stored once.
 */
async function refineRough(deps: EmbedDeps, embedder: Embedder): Promise<EmbedOutcome | undefined> {
  if (embedder.refine === undefined) return undefined;
  const { store, signal } = deps;
  const report = reporting(
    deps.progress && ((done, total) => deps.progress?.(done, total, true)),
    async () => (await store.vectors.counts()).rough,
  );
  for (;;) {
    if (signal?.aborted) return 'stopped';
    const texts = await store.vectors.rough(refinedAtOnce);
    if (texts.length === 0) return undefined;
    await refineTexts(store, embedder, texts, 'apart', signal);
    await report(texts.length, texts.length === refinedAtOnce);
    // New texts get their rough vector first.
    if ((await store.vectors.pending(1)).length > 0)
      await embedBatch(store, embedder, await store.vectors.pending(embedder.batch), signal);
    await (deps.pause === undefined ? new Promise(setImmediate) : deps.pause());
  }
}

/** One step of it, also for a search that meets rough vectors. */
export async function refineTexts(
  store: Pick<Store, 'vectors'>,
  embedder: Pick<Embedder, 'model' | 'refine'>,
  texts: readonly RoughText[],
  where: 'here' | 'apart' = 'apart',
  signal?: AbortSignal,
): Promise<number> {
  const vectors = await embedder.refine?.(
    texts.map(({ text, said = '' }) => ({ text, passages: passagesIn(said) })),
    where,
    signal,
  );
  const refined = texts.map(({ seq }, i) => ({ seq, vectors: vectors?.[i] ?? [] }));
  return store.vectors.refine(embedder.model, refined);
}

const firstWaitMs = 60_000;
const longestWaitMs = 3_600_000;

/** Records why embedding failed, and until when to leave it alone: a minute, then longer each time. */
export async function noteTrouble(
  { store, clock = Date.now }: Pick<EmbedDeps, 'store' | 'clock'>,
  error: unknown,
): Promise<EmbeddingTrouble> {
  const before = await store.vectors.trouble();
  const now = clock();
  const waited = before === undefined ? 0 : before.nextAt - before.at;
  const wait = Math.min(longestWaitMs, Math.max(firstWaitMs, 2 * waited));
  const { message, hint } = explain(error, 'the embedder');
  const trouble = { at: now, message, ...(hint === undefined ? {} : { hint }), nextAt: now + wait };
  await store.vectors.noteTrouble(trouble);
  return trouble;
}
