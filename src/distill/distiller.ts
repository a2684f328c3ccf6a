// Who distils: the offline distiller, or a model. Both are given material and give back text; neither stores anything.

import type { Extraction } from '../schema/extraction.ts';
import type { Usage } from '../schema/job.ts';
import type { Observation, ObservationText } from '../schema/observation.ts';
import type { SummaryText } from '../schema/summary.ts';
import type { ConversationMaterial, SessionMaterial, Turn } from './material.ts';
import type { KnownPages } from './memory/known.ts';

export interface Distilled<T> {
  readonly value: T;
  readonly usage: Usage;
}

export interface Distiller {
  /** `offline`, or the model. */
  readonly name: string;
  /** Raised when it would say other things about the same material: then it says them again. Absent where that would cost something. */
  readonly rules?: string | undefined;
  /** How many of its works may go on at once. */
  readonly parallel: number;
  /** How many turns it may be given at once. */
  readonly turns: number;
  /** Whether they may be of several sessions: what costs nothing saves transactions so. */
  readonly mixed: boolean;
  /** Whether it reads the pages that it changes. */
  readonly readsPages: boolean;
  /** Tokens that the work would take, at most; 0 when it costs nothing. */
  estimate(work: Work): number;
  /** In the order of the turns. Undefined: there is nothing to say. */
  observe(turns: readonly Turn[], signal: AbortSignal): Promise<Distilled<readonly (ObservationText | undefined)[]>>;
  summarize(material: SummaryMaterial, signal: AbortSignal): Promise<Distilled<SummaryText | undefined>>;
  remember(material: MemoryMaterial, signal: AbortSignal): Promise<Distilled<Extraction>>;
}

export interface SummaryMaterial {
  readonly session: SessionMaterial;
  /** What was said of its turns, in their order. */
  readonly observations: readonly Observation[];
}

export interface MemoryMaterial {
  readonly conversation: ConversationMaterial;
  /** What the pages say now about the things of the conversation; nothing where the distiller does not read them. */
  readonly known: KnownPages;
  /** What was said of its turns. */
  readonly observations: readonly Observation[];
}

export type Work =
  | { readonly kind: 'observe'; readonly turns: readonly Turn[] }
  | ({ readonly kind: 'summarize' } & SummaryMaterial)
  | ({ readonly kind: 'remember' } & MemoryMaterial);
