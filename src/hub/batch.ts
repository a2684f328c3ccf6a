// What one push contains, and when it is full.
import type { HubModel } from './vectors.ts';

export interface TranscriptPlace {
  readonly share: number;
  readonly agent: string;
  readonly key: string;
}

export interface BatchEntry {
  /** Which of the batch's places it stands in, counted from 1. */
  readonly place: number;
  readonly uuid: string;
  readonly print: string;
  readonly session: string;
  readonly pos: number;
  readonly at: number;
  readonly role: string;
  readonly length: number;
  readonly hash: number;
  readonly subagent: boolean;
  readonly line: string;
  /** Arrays as PostgreSQL writes them: it reads them many times faster than JSON's. */
  readonly words: string;
  readonly times: string;
  /** Sent after the batch. Null: the entry has none yet. */
  vector: string | null;
}

export interface BatchSession extends TranscriptPlace {
  readonly session: string;
  readonly print: string;
  readonly title: string;
  readonly started: number;
  readonly ended: number;
  readonly line: string;
  readonly hash: number;
}

export interface BatchRow {
  readonly share: number;
  readonly kind: string;
  readonly key: string;
  readonly print: string | null;
  /** The hash of the session with which it is forgotten. */
  readonly session: string | null;
  readonly at: number;
  /** Null: the row was removed. */
  readonly line: string | null;
  readonly hash: number;
}

export interface Batch {
  /** Set in the last batch of a push: how far the machine has come. */
  readonly cursor?: number;
  /** Whose vectors the entries have. */
  readonly model?: HubModel | undefined;
  readonly forgotten: readonly { readonly print: string; readonly memory: string | null; readonly at: number }[];
  readonly transcripts: readonly (TranscriptPlace & { readonly line: string })[];
  readonly dropped: readonly (TranscriptPlace & { readonly uuids: readonly string[] })[];
  readonly sessions: readonly BatchSession[];
  /** The transcripts that the entries are from. */
  readonly places: readonly TranscriptPlace[];
  readonly entries: readonly BatchEntry[];
  readonly rows: readonly BatchRow[];
  readonly copies: readonly (TranscriptPlace & {
    readonly part: number;
    readonly of: number;
    readonly bytes: string;
  })[];
}

export const emptyBatch: Batch = {
  forgotten: [],
  transcripts: [],
  dropped: [],
  sessions: [],
  places: [],
  entries: [],
  rows: [],
  copies: [],
};

/** The statement that pushes a batch, and its values. */
export function pushed(batch: Batch & { readonly after: string | null; readonly mark: string }): {
  readonly sql: string;
  readonly values: readonly string[];
} {
  const column = (of: (entry: BatchEntry) => string) => batch.entries.map(of).join('\n');
  const brief = batch.entries.map(({ place, uuid, print, session, pos, at, role, length, hash, subagent }) => ({
    ...{ place, uuid, print, session, pos, at, role, length, hash, subagent },
  }));
  return {
    sql: 'SELECT holdfast.push($1::jsonb, $2, $3, $4)',
    values: [
      JSON.stringify({ ...batch, entries: brief }),
      column(({ line }) => line),
      column(({ words }) => words),
      column(({ times }) => times),
    ],
  };
}

const mostEntries = 1000;
const mostChars = 1 << 19;

/**
 * Collects items and sends full batches; `prepare` completes a batch before it is sent. One batch is sent while the next is collected.
 * If a batch fails, the error surfaces with the next one, or at the end.
 */
export function batchWriter(
  send: (batch: Batch) => Promise<void>,
  prepare: (batch: Batch) => Promise<Batch> = async (batch) => batch,
) {
  const fresh = () => ({
    transcripts: [] as Batch['transcripts'][number][],
    dropped: [] as Batch['dropped'][number][],
    sessions: [] as BatchSession[],
    places: [] as TranscriptPlace[],
    entries: [] as BatchEntry[],
    rows: [] as BatchRow[],
    copies: [] as Batch['copies'][number][],
  });
  let batch = fresh();
  let chars = 0;
  let underway: Promise<unknown> = Promise.resolve();
  async function flush(): Promise<void> {
    const full = batch;
    if (Object.values(full).every((list) => list.length === 0)) return;
    batch = fresh();
    chars = 0;
    const ready = await prepare({ ...emptyBatch, ...full });
    await settled();
    underway = send(ready).catch((error: unknown) => ({ error }));
  }
  async function settled(): Promise<void> {
    const outcome = await underway;
    underway = Promise.resolve();
    if (typeof outcome === 'object' && outcome !== null && 'error' in outcome) throw outcome.error;
  }
  async function end(): Promise<void> {
    await flush();
    await settled();
  }
  const add =
    <K extends keyof typeof batch>(kind: K) =>
    async (item: (typeof batch)[K][number]): Promise<void> => {
      (batch[kind] as unknown[]).push(item);
      const { line, bytes } = item as { line?: string | null; bytes?: string };
      chars += (line?.length ?? 0) + (bytes?.length ?? 0);
      if (batch.entries.length >= mostEntries || batch.rows.length >= mostEntries || chars >= mostChars) await flush();
    };
  const addEntry = add('entries');
  return {
    transcript: add('transcripts'),
    dropped: add('dropped'),
    session: add('sessions'),
    entry(place: TranscriptPlace, entry: Omit<BatchEntry, 'place'>): Promise<void> {
      // Entries come transcript by transcript.
      if (batch.places.at(-1) !== place) batch.places.push(place);
      return addEntry({ ...entry, place: batch.places.length });
    },
    row: add('rows'),
    copy: add('copies'),
    end,
  };
}
