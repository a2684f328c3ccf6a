// Search by meaning: vectors, the texts that lack one, and the position of each entry.
import type { DerivedKind } from '../../schema/hit.ts';

/** What can have vectors. */
export type SubjectKind = 'entry' | DerivedKind;

export interface VectorModel {
  /** Name and version: vectors of different models are not compared. */
  readonly name: string;
  /** Known with its first vector. */
  readonly dimensions: number | undefined;
  /** What is new gets a vector of this model; at most one is. */
  readonly wanted: boolean;
  /** Everything has a vector of it, but for what came in since. */
  readonly complete: boolean;
}

/** A text that lacks a vector. */
export interface PendingText {
  readonly kind: SubjectKind;
  /** Of its row. */
  readonly id: number;
  /** Another one when the text has changed. */
  readonly stamp: number;
  readonly text: string;
}

export interface EmbeddedText extends Omit<PendingText, 'text'> {
  /** One for each part of the text; none where it says nothing. */
  readonly vectors: readonly Int8Array[];
}

/** A text whose vector can be improved. */
export interface RoughText {
  /** The number of its vector; another one when the text has changed. */
  readonly seq: number;
  readonly text: string;
}

export interface RefinedVector {
  readonly seq: number;
  /** Undefined: the rough one is the best there is. */
  readonly vector: Int8Array | undefined;
}

/** Why texts wait for their vectors. */
export interface EmbeddingTrouble {
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
  /** When it is tried again. */
  readonly nextAt: number;
}

/**
 * Where entries stand, a column each, session by session. `marks`: 1 not the user's, 2 a subagent's, 4 on a branch that was left, 32 has a
 * question mark near its end, 64 a person's prompt, 128 used tools. `vectors`: the number of its newest vector, where that was asked for and there is one, else 0. A session that is
 * gone, or without entries, stands there once, with 0 as the id of its entry.
 */
export interface PlacePage {
  readonly sessions: readonly number[];
  readonly ids: readonly number[];
  readonly files: readonly number[];
  readonly at: readonly number[];
  readonly marks: readonly number[];
  readonly lengths: readonly number[];
  readonly vectors: readonly number[];
  /** Where to go on from, and whether that is the end. */
  readonly position: number;
  readonly done: boolean;
}

/** Vectors, one behind the other, with their numbers and the rows that they belong to. */
export interface VectorPage {
  readonly seqs: readonly number[];
  readonly ids: readonly number[];
  readonly vectors: Int8Array;
}

/** Vectors of texts. */
export interface VectorsPort {
  models(): Promise<readonly VectorModel[]>;
  /** From now on vectors of this model are wanted, and whatever has none is pending. At once where that is so already. */
  wantModel(name: string): Promise<void>;
  /** Texts that lack a vector of the wanted model, newest first. Costs nothing when there are none. */
  pending(limit: number): Promise<readonly PendingText[]>;
  /** Returns how many were taken. A text that has changed or gone since it was read is not, nor is a model that is not wanted any more. */
  save(model: string, texts: readonly EmbeddedText[], options?: { readonly rough?: boolean }): Promise<number>;
  /** Texts with a rough vector of the wanted model, newest first; with `ids`, those of these entries. Costs nothing when there are none. */
  rough(limit: number, ids?: readonly number[]): Promise<readonly RoughText[]>;
  /** Puts better vectors in the place of rough ones. Returns how many; a vector that is gone or no longer rough is left as it is. */
  refine(model: string, vectors: readonly RefinedVector[]): Promise<number>;
  /** Removes some vectors of models that are not wanted, once the wanted one is complete. True when none are left. */
  dropOld(limit: number): Promise<boolean>;
  /** Entries that have a vector of the wanted model, texts of all kinds that lack one, and vectors that can be improved. */
  counts(): Promise<{ readonly embedded: number; readonly pending: number; readonly rough: number }>;
  /** One process at a time embeds where that takes long: true for the holder until then. Without `until` it is given back. */
  lease(holder: string, now: number, until: number | undefined): Promise<boolean>;
  /** Set by the last attempt that failed; vectors that are saved end it. */
  trouble(): Promise<EmbeddingTrouble | undefined>;
  noteTrouble(trouble: EmbeddingTrouble): Promise<void>;
  /**
   * The places of all entries in sessions that have changed since a position (0: all sessions, in at most `limit` at a time),
   * and the position to go on from. With a model, each says which vector is its newest.
   */
  placesAfter(
    position: number,
    options: { readonly model?: string | undefined; readonly limit: number },
  ): Promise<PlacePage>;
  /** Vectors with a number above `seq`, in the order of their numbers. */
  after(seq: number, of: { kind: SubjectKind; model: string; limit: number }): Promise<VectorPage>;
  /** The vectors of these rows, in the order of their numbers. */
  of(ids: readonly number[], of: { kind: SubjectKind; model: string }): Promise<VectorPage>;
  /** The vectors with these numbers, in this order; those that are gone are left out. */
  at(seqs: readonly number[]): Promise<VectorPage>;
  /** The numbers of all vectors of a kind. */
  numbers(of: { kind: SubjectKind; model: string }): Promise<{ readonly seqs: readonly number[] }>;
}
