// Search by meaning: vectors, the texts that lack one, and the position of each entry.
import type { DerivedKind } from '../../schema/hit-text.ts';
import type { EntryRowId, FileRowId, SessionRowId, SubjectRowId, VectorNumber } from '../row-ids.ts';

/** The kinds of rows that can have vectors. */
export type SubjectKind = 'entry' | DerivedKind;

export interface VectorModel {
  /** Name and version. Vectors of different models are never compared. */
  readonly name: string;
  /** Known from the first vector on. */
  readonly dimensions: number | undefined;
  /** New texts get a vector of this model. At most one model is wanted. */
  readonly wanted: boolean;
  /** Every text has a vector of it, except recent ones. */
  readonly complete: boolean;
}

/** A text that lacks a vector. */
export interface PendingText {
  readonly kind: SubjectKind;
  readonly id: SubjectRowId;
  /** Changes with the text. */
  readonly stamp: number;
  readonly text: string;
}

export interface EmbeddedText extends Omit<PendingText, 'text'> {
  /** One per part of the text; empty if there is nothing to embed. */
  readonly vectors: readonly Int8Array[];
}

/** A text whose vector can be improved. */
export interface RoughText {
  /** Changes with the text. */
  readonly seq: VectorNumber;
  readonly text: string;
  /** The entry's own words without its tools, if its session used tools. Their passages can be compared separately. */
  readonly said?: string | undefined;
}

export interface RefinedVector {
  readonly seq: VectorNumber;
  /** One per part of the text, with the whole last. Empty: keep the rough vector, it cannot be improved. */
  readonly vectors: readonly Int8Array[];
}

/** Why texts wait for their vectors. */
export interface EmbeddingTrouble {
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The time of the next attempt. */
  readonly nextAt: number;
}

/** Properties of an entry, as bits of one number: pages of thousands of entries cross the port as columns of numbers. */
export const entryMark = {
  /** Not the user's. */
  answer: 1,
  subagent: 2,
  /** On an abandoned branch. */
  abandoned: 4,
  /** Has a question mark near its end. */
  asks: 32,
  /** A person's prompt. */
  prompt: 64,
  usedTools: 128,
} as const;

/** A sum of values of `entryMark`. */
export type EntryMarks = number;

/**
 * The positions of entries, session by session, in parallel columns. `vectors`: the number of the newest vector, or 0
 * without a vector or a model. A session that is gone or empty appears once, with entry id 0.
 */
export interface PlacePage {
  readonly sessions: readonly SessionRowId[];
  readonly ids: readonly EntryRowId[];
  readonly files: readonly FileRowId[];
  readonly at: readonly number[];
  readonly marks: readonly EntryMarks[];
  readonly lengths: readonly number[];
  readonly vectors: readonly VectorNumber[];
  /** Where to continue, and whether this page is the last. */
  readonly position: number;
  readonly done: boolean;
}

/** Vectors in one array, with their numbers and rows. */
export interface VectorPage {
  readonly seqs: readonly VectorNumber[];
  readonly ids: readonly SubjectRowId[];
  readonly vectors: Int8Array;
}

export interface VectorsPort {
  models(): Promise<readonly VectorModel[]>;
  /**
   * Makes this the wanted model: texts without a vector of it become pending. Returns at once if it is already wanted.
   */
  wantModel(name: string): Promise<void>;
  /** Texts that lack a vector of the wanted model, newest first. Costs nothing when there are none. */
  pending(limit: number): Promise<readonly PendingText[]>;
  /**
   * Returns how many texts were saved. Skips texts that changed or disappeared since they were read, and models that
   * are no longer wanted.
   */
  save(model: string, texts: readonly EmbeddedText[], options?: { readonly rough?: boolean }): Promise<number>;
  /**
   * Texts with a rough vector of the wanted model, newest first; with `ids`, only of these entries. Costs nothing when
   * there are none.
   */
  rough(limit: number, ids?: readonly EntryRowId[]): Promise<readonly RoughText[]>;
  /**
   * Replaces rough vectors by better ones. Returns how many. A vector that is gone or no longer rough stays unchanged.
   */
  refine(model: string, vectors: readonly RefinedVector[]): Promise<number>;
  /** Removes some vectors of models that are not wanted, once the wanted one is complete. True when none are left. */
  dropOld(limit: number): Promise<boolean>;
  /** Entries with a vector of the wanted model, texts of all kinds without one, and vectors that can be improved. */
  counts(): Promise<{ readonly embedded: number; readonly pending: number; readonly rough: number }>;
  /**
   * A lease, so that only one process runs slow embedding at a time. True if the holder has it until then. Without
   * `until`, gives the lease back.
   */
  lease(holder: string, now: number, until: number | undefined): Promise<boolean>;
  /** Set by the last failed attempt; the next saved vectors clear it. */
  trouble(): Promise<EmbeddingTrouble | undefined>;
  noteTrouble(trouble: EmbeddingTrouble): Promise<void>;
  /**
   * The positions of all entries in sessions whose entries changed since a position, at most `limit` sessions, and the
   * position to continue from. New vectors alone do not count as a change: `after` returns those. Position 0 means all sessions. With a model, each entry includes the number of its newest vector.
   */
  placesAfter(
    position: number,
    options: { readonly model?: string | undefined; readonly limit: number },
  ): Promise<PlacePage>;
  /** Vectors with a number above `seq`, in the order of their numbers. */
  after(seq: VectorNumber, of: { kind: SubjectKind; model: string; limit: number }): Promise<VectorPage>;
  /** The number of the newest vector of any kind and model, or 0. */
  newest(): Promise<VectorNumber>;
  /** The vectors of these rows, in the order of their numbers. */
  of(ids: readonly SubjectRowId[], of: { kind: SubjectKind; model: string }): Promise<VectorPage>;
  /** The vectors with these numbers, in this order; missing ones are left out. */
  at(seqs: readonly VectorNumber[]): Promise<VectorPage>;
  /** The numbers of all vectors of a kind. */
  numbers(of: { kind: SubjectKind; model: string }): Promise<{ readonly seqs: readonly VectorNumber[] }>;
}
