// A distiller turns material into text and stores nothing. There are two kinds: the offline distiller, and models.

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
  /** The version of its rules. When it changes, the runner repeats the jobs done by older rules. Absent if repeating them costs money. */
  readonly rules?: string | undefined;
  /** How many jobs it may work on at once. */
  readonly parallel: number;
  /** How many turns it takes at once. */
  readonly turns: number;
  /** Whether those turns may come from several sessions. The offline distiller allows it, which saves transactions. */
  readonly mixed: boolean;
  /** Whether it reads the pages that it changes. */
  readonly readsPages: boolean;
  /** An upper bound of the tokens that the work takes; 0 if it costs nothing. */
  estimate(work: Work): number;
  /** One item per turn, in their order. Undefined: there is nothing to say about this turn. */
  observe(turns: readonly Turn[], signal: AbortSignal): Promise<Distilled<readonly (ObservationText | undefined)[]>>;
  summarize(material: SummaryMaterial, signal: AbortSignal): Promise<Distilled<SummaryText | undefined>>;
  remember(material: MemoryMaterial, signal: AbortSignal): Promise<Distilled<Extraction>>;
}

export interface SummaryMaterial {
  readonly session: SessionMaterial;
  /** The observations of its turns, in their order. */
  readonly observations: readonly Observation[];
}

export interface MemoryMaterial {
  readonly conversation: ConversationMaterial;
  /** What the pages say now about the subjects of the conversation. Empty if the distiller does not read pages. */
  readonly known: KnownPages;
  /** The observations of its turns. */
  readonly observations: readonly Observation[];
}

export type Work =
  | { readonly kind: 'observe'; readonly turns: readonly Turn[] }
  | ({ readonly kind: 'summarize' } & SummaryMaterial)
  | ({ readonly kind: 'remember' } & MemoryMaterial);
