// Briefings that sessions were given.
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

/** Briefings that sessions were given. */
export interface BriefingsPort {
  /** Records what a session was given. The same text twice in a row is one. */
  save(briefing: NewBriefing): Promise<void>;
  /** Forgets what was given since; returns how many. */
  drop(since: number): Promise<number>;
  /** Newest first; `session` may be the beginning of an id. */
  list(filter: { session?: string | undefined; limit: number }): Promise<readonly GivenBriefing[]>;
}
