// Observations and summaries, and the search in what was distilled.
import type { AgentName } from '../../schema/agent-name.ts';
import type { DerivedKind } from '../../schema/hit.ts';
import type { Observation, ObservationType } from '../../schema/observation.ts';
import type { Summary } from '../../schema/summary.ts';
import type { Moment } from '../../schema/time.ts';
import type { KeywordQuery } from '../search/port.ts';
import type { SessionFilter } from '../sessions/port.ts';

/** The first of `entries` is the entry that the turn begins with. */
export type NewObservation = Omit<Observation, 'id' | 'project'>;

export type NewSummary = Omit<Summary, 'id' | 'project'>;

/** Times are those of the observation or summary itself. */
export interface DistilledFilter extends SessionFilter {
  /** The id of a session, or its beginning. */
  readonly session?: string | undefined;
  /** A path as seen from the project, or its last parts. */
  readonly file?: string | undefined;
}

export interface ObservationFilter extends DistilledFilter {
  readonly type?: ObservationType | undefined;
}

/** A row that passes the filter. */
export interface DerivedMatch {
  readonly row: number;
  readonly at: number;
  /** It is dated, and counts less as time goes by. */
  readonly fades: boolean;
  /** BM25; undefined where it does not hold what was asked for. */
  readonly score: number | undefined;
}

export interface DerivedAt {
  readonly row: number;
  readonly id: string;
  readonly title: string;
  /** What the index holds beside the title. */
  readonly text: string;
  readonly at: Moment;
  readonly project: string;
  /** Empty where there is none. */
  readonly session: string;
  readonly agent?: AgentName | undefined;
}

/** What turns and sessions came to. */
export interface DistilledPort {
  /** Newest first. */
  observations(filter: ObservationFilter): Promise<readonly Observation[]>;
  summaries(filter: DistilledFilter): Promise<readonly Summary[]>;
  /** The accounts of a session at the ends of earlier turns, in their order. They are in no search, and go with the session's last account. */
  pastSummaries(of: { readonly agent: AgentName; readonly session: string }): Promise<readonly Summary[]>;
  /** Those whose id is, or starts with, the given text. */
  findObservations(id: string): Promise<readonly Observation[]>;
  findSummaries(id: string): Promise<readonly Summary[]>;
  /** All that pass, newest first, whether they hold words of the query or not. */
  search(
    kind: DerivedKind,
    query: KeywordQuery,
    filter: Omit<DistilledFilter, 'limit'>,
  ): Promise<readonly DerivedMatch[]>;
  /** In the order asked for; rows that are gone are left out. */
  at(kind: DerivedKind, rows: readonly number[]): Promise<readonly DerivedAt[]>;
  counts(): Promise<{ observations: number; summaries: number }>;
}
