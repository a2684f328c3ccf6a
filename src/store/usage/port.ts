// The tokens of each session, counted from its transcripts and kept: reading a long transcript takes seconds.
import type { ModelUsage } from '../../schema/model-usage.ts';
import type { SessionKey } from '../sessions/port.ts';

export interface SessionUsage extends SessionKey {
  readonly models: readonly ModelUsage[];
}

export interface UsagePort {
  /** How much of the session's transcripts is stored, as a number that changes with it. Undefined: there is no such session. */
  extent(session: SessionKey): Promise<number | undefined>;
  /** What was kept for this extent. Undefined if the transcripts have changed since, or were never counted. */
  get(session: SessionKey, extent: number): Promise<readonly ModelUsage[] | undefined>;
  /** Keeps a count. Does nothing if the session is gone. */
  keep(session: SessionKey, extent: number, models: readonly ModelUsage[]): Promise<void>;
  /** All counts that are kept, also of sessions that have grown since. */
  all(): Promise<readonly SessionUsage[]>;
  /** Sessions that have no count of their present extent, and no entry since `before`; newest first. */
  due(before: number, limit: number): Promise<readonly SessionKey[]>;
}
