// The briefings that sessions received.
import type { AgentName } from '../../schema/agent-name.ts';
import type { BriefingSource, GivenBriefing } from '../../schema/briefing.ts';

export interface NewBriefing {
  readonly agent: AgentName;
  readonly session: string;
  readonly project: string;
  readonly at: number;
  readonly source: BriefingSource;
  readonly text: string;
}

export interface BriefingsPort {
  /** Records the briefing that a session received. The same text twice in a row counts once. */
  save(briefing: NewBriefing): Promise<void>;
  /** Deletes briefings given since this moment; returns how many. */
  drop(since: number): Promise<number>;
  /** Newest first; `session` may be an id or its beginning. */
  list(filter: { session?: string | undefined; limit: number }): Promise<readonly GivenBriefing[]>;
}
