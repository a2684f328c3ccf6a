// Observations and summaries, and the search over them.
import type { AgentName } from '../../schema/agent-name.ts';
import type { DerivedKind } from '../../schema/hit-text.ts';
import type { Observation, ObservationType } from '../../schema/observation.ts';
import type { Summary } from '../../schema/summary.ts';
import type { Moment } from '../../schema/time.ts';
import type { DerivedRowId } from '../row-ids.ts';
import type { KeywordQuery } from '../search/port.ts';
import type { SessionFilter } from '../sessions/port.ts';

/** The first of `entries` is the one that begins the turn. */
export type NewObservation = Omit<Observation, 'id' | 'project'>;

export type NewSummary = Omit<Summary, 'id' | 'project'>;

/** Times refer to the observation or summary itself. */
export interface DistilledFilter extends SessionFilter {
  /** A session id, or its beginning. */
  readonly session?: string | undefined;
  /** A path relative to the project, or its last parts. */
  readonly file?: string | undefined;
}

export interface ObservationFilter extends DistilledFilter {
  readonly type?: ObservationType | undefined;
}

/** A row that passes the filter. */
export interface DerivedMatch {
  readonly row: DerivedRowId;
  readonly at: number;
  /** Dated rows count less as they age. */
  readonly fades: boolean;
  /** BM25; undefined if the row does not match the query. */
  readonly score: number | undefined;
}

export interface DerivedAt {
  readonly row: DerivedRowId;
  readonly id: string;
  readonly title: string;
  /** The indexed text apart from the title. */
  readonly text: string;
  readonly at: Moment;
  readonly project: string;
  /** Empty if it belongs to no session. */
  readonly session: string;
  readonly agent?: AgentName | undefined;
}

/** Observations and summaries. */
export interface DistilledPort {
  /** Newest first. */
  observations(filter: ObservationFilter): Promise<readonly Observation[]>;
  summaries(filter: DistilledFilter): Promise<readonly Summary[]>;
  /**
   * Earlier summaries of a session, one per finished turn, in order. Search does not find them. They are deleted with
   * the session's last summary.
   */
  pastSummaries(of: { readonly agent: AgentName; readonly session: string }): Promise<readonly Summary[]>;
  /** Observations whose id is, or starts with, the given text. */
  findObservations(id: string): Promise<readonly Observation[]>;
  findSummaries(id: string): Promise<readonly Summary[]>;
  /** All rows that pass the filter, newest first, whether or not they match the query. */
  search(
    kind: DerivedKind,
    query: KeywordQuery,
    filter: Omit<DistilledFilter, 'limit'>,
  ): Promise<readonly DerivedMatch[]>;
  /** In the order of `rows`; missing rows are left out. */
  at(kind: DerivedKind, rows: readonly DerivedRowId[]): Promise<readonly DerivedAt[]>;
  counts(): Promise<{ observations: number; summaries: number }>;
}
