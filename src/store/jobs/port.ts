// Distilling as rows: jobs, the processes that hold them, their results and their cost.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Job, JobKind, JobStatus, Spending, Usage } from '../../schema/job.ts';
import type { NewObservation, NewSummary } from '../distilled/port.ts';

export interface PlanRules {
  /** A silence longer than this ends a turn and a session of which nothing else was told. */
  readonly gapMs: number;
}

export interface JobFilter {
  readonly ids?: readonly number[] | undefined;
  readonly kind?: JobKind | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly session?: { readonly agent: AgentName; readonly session: string } | undefined;
  /** Only what has material from then on. */
  readonly since?: number | undefined;
}

export interface JobClaim extends Pick<JobFilter, 'session' | 'since' | 'kind'> {
  /** Names the process, or the part of it, that does the work. */
  readonly claimant: string;
  readonly now: number;
  readonly leaseMs: number;
  /** A job whose lease has expired this often has failed. */
  readonly maxAttempts: number;
  readonly limit: number;
  /** Jobs of one kind, but of several sessions. */
  readonly mixed?: boolean | undefined;
  /** Does not wait for a silence. */
  readonly early?: boolean | undefined;
}

export interface ClaimedJob {
  readonly id: number;
  readonly kind: JobKind;
  readonly agent: AgentName;
  readonly session: string;
  /** The number of a prompt, or the id of a conversation. */
  readonly subject: number;
  /** This one included. */
  readonly attempts: number;
}

/** What a job has given: stored with its end, in one transaction. Nothing to say takes away what was said before. */
export type JobResult = { readonly id: number; readonly by: string; readonly tokens: number } & (
  | { readonly kind: 'observe'; readonly observation: NewObservation | undefined }
  | { readonly kind: 'summarize'; readonly summary: NewSummary | undefined }
  | { readonly kind: 'remember' }
);

/** What calls to a model have cost. */
export interface Spent {
  readonly agent: AgentName;
  readonly session: string;
  readonly kind: JobKind;
  readonly model: string;
  readonly usage: Usage;
  /** Tokens that one call for each tool use would have taken. */
  readonly insteadOf: number;
}

export interface JobFailure {
  readonly error: string;
  readonly retryAt: number;
  readonly waitsFor?: string | undefined;
  readonly maxAttempts: number;
}

export interface JobCounts extends Readonly<Record<JobStatus, number>> {
  /** Ready jobs that wait for something other than time. */
  readonly waits: readonly { reason: string; until: number; jobs: number; error?: string }[];
}

export interface TokenLimits {
  readonly dayStart: number;
  readonly perDay: number;
  readonly perSession: number;
}

/** The jobs of distilling. */
export interface JobsPort {
  /**
   * Derives the jobs of every session that has changed, in steps; conversations that are ready become queued, with a job each.
   * Its result is a function of the rows: it can be interrupted and repeated at will. False when more than `atMost` sessions
   * have changed, and some are left.
   */
  plan(now: number, rules: PlanRules, atMost?: number): Promise<boolean>;
  /**
   * Takes jobs of one kind and, unless mixed, of one session, newest material first, under a lease. Jobs whose lease has expired are ready
   * again before that, or failed after too many attempts. A conversation is `processing` while its job is claimed.
   */
  claim(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  renewClaims(claimant: string, until: number): Promise<void>;
  /** Who holds jobs. */
  claimants(): Promise<readonly string[]>;
  /**
   * Ends jobs together with what they gave, and with what that has cost. Returns those that were still the claimant's: a result that
   * comes after its lease is dropped. A job whose material has changed meanwhile is ready again.
   */
  finish(claimant: string, results: readonly JobResult[], now: number, spent?: Spent): Promise<readonly number[]>;
  /** Gives jobs back to be tried again, or as failed after too many attempts. */
  fail(claimant: string, ids: readonly number[], failure: JobFailure, now: number, spent?: Spent): Promise<void>;
  /** Gives back all that a claimant holds, as if it had never been taken; with `wait`, for later. */
  release(claimant: string, now: number, wait?: { until: number; reason: string }): Promise<void>;
  /** Lets every ready job wait: for the budget's next day, or for a service that does not answer. */
  defer(until: number, reason: string): Promise<number>;
  /** Ends such waits when the settings are others than those under which they began. */
  undefer(settings: string): Promise<number>;
  /** Ends the waits for one reason. */
  endWaits(reason: string): Promise<number>;
  countDue(due: Pick<JobClaim, 'now' | 'session' | 'since' | 'early'>): Promise<number>;
  /** When the next job can begin, or the next lease expires. */
  nextAt(): Promise<number | undefined>;
  /** Last changed first. */
  list(filter: JobFilter & { limit?: number | undefined }): Promise<readonly Job[]>;
  counts(): Promise<JobCounts>;
  /** Makes failed and cancelled jobs ready. */
  retry(filter: JobFilter, now: number): Promise<number>;
  /** Returns those that could be: not what is done. What somebody is doing meanwhile is dropped. */
  cancel(ids: readonly number[], now: number): Promise<readonly number[]>;
  /** Makes jobs that have ended ready again; with `notBy`, only those that something else has done. */
  redo(filter: JobFilter & { notBy?: readonly string[] }, now: number): Promise<number>;
  /**
   * Makes what `by` has done ready again when it did so by other rules than these, and notes the rules. Returns how many jobs that were: none the
   * second time.
   */
  renewByRules(by: string, rules: string, now: number): Promise<number>;
  /** Sets tokens of the budget aside for a claimed job, unless a limit is in the way. */
  reserveTokens(job: number, tokens: number, limits: TokenLimits, now: number): Promise<'ok' | 'day' | 'session'>;
  /** What was spent from then on, by model and by the person's days. */
  spending(
    since: number,
    dayOf: (at: number) => string,
  ): Promise<readonly (Spending & { model: string; day: string })[]>;
}
