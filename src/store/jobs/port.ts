// Distillation jobs: the processes that hold them, their results and their cost.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Job, JobKind, JobStatus, Spending, Usage } from '../../schema/job.ts';
import type { NewObservation, NewSummary } from '../distilled/port.ts';
import type { JobId } from '../row-ids.ts';

export interface PlanRules {
  /** A silence longer than this ends a turn, and a session about which no hook or client reported anything else. */
  readonly gapMs: number;
  /**
   * The agent may write entries this long after it reported its stop, and a conversation that has grown may grow again
   * within this time.
   */
  readonly lateMs: number;
  /** What people read on a conversation from another machine, which that machine distils. */
  readonly distilledElsewhere: string;
}

/** What people read on jobs and conversations. The distiller writes it. */
export interface JobWords {
  /** The error of a job whose processes died: how often, and the last error before that. */
  lost(attempts: number, before: string | undefined): string;
  /** Why a conversation was given up. */
  givenUp(error: string): string;
}

export interface JobFilter {
  readonly ids?: readonly JobId[] | undefined;
  readonly kind?: JobKind | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly session?: { readonly agent: AgentName; readonly session: string } | undefined;
  /** Only jobs with material from this moment on. */
  readonly since?: number | undefined;
}

export interface JobClaim extends Pick<JobFilter, 'session' | 'since' | 'kind'> {
  /** Names the process, or the part of it, that does the work. */
  readonly claimant: string;
  readonly now: number;
  readonly leaseMs: number;
  /** A job fails after its lease has expired this many times. */
  readonly maxAttempts: number;
  readonly words: JobWords;
  readonly limit: number;
  /** Take jobs of one kind from several sessions. */
  readonly mixed?: boolean | undefined;
  /** Do not wait for a silence. */
  readonly early?: boolean | undefined;
}

export interface ClaimedJob {
  readonly id: JobId;
  readonly kind: JobKind;
  readonly agent: AgentName;
  readonly session: string;
  /** The number of a prompt, or the id of a conversation. */
  readonly subject: number;
  /** Including this attempt. */
  readonly attempts: number;
}

/** The result of a job, stored in the transaction that ends it. An empty result deletes the earlier one. */
export type JobResult = { readonly id: JobId; readonly by: string; readonly tokens: number } & (
  | { readonly kind: 'observe'; readonly observation: NewObservation | undefined }
  | { readonly kind: 'summarize'; readonly summary: NewSummary | undefined }
  | { readonly kind: 'remember' }
);

/** The cost of calls to a model. */
export interface Spent {
  readonly agent: AgentName;
  readonly session: string;
  readonly kind: JobKind;
  readonly model: string;
  readonly usage: Usage;
  /** Tokens that one call per tool use would have taken. */
  readonly insteadOf: number;
}

export interface JobFailure {
  readonly error: string;
  readonly retryAt: number;
  readonly waitsFor?: string | undefined;
  readonly maxAttempts: number;
  readonly words: Pick<JobWords, 'givenUp'>;
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

/** Distillation jobs. */
export interface JobsPort {
  /**
   * Derives the jobs of every changed session, in steps, and queues ready conversations with
   * one job each. The result depends only on the rows, so a run can be interrupted and
   * repeated. False if changed sessions are left after `atMost`.
   */
  plan(now: number, rules: PlanRules, atMost?: number): Promise<boolean>;
  /**
   * Claims jobs of one kind under a lease, newest material first. Unless mixed, all are of one session. Jobs with an
   * expired lease first become ready again, or failed after too many attempts. A conversation is `processing` while its
   * job is claimed.
   */
  claim(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  renewClaims(claimant: string, until: number): Promise<void>;
  /** The processes that hold jobs. */
  claimants(): Promise<readonly string[]>;
  /**
   * Ends jobs and stores their results and cost. Returns the jobs that the claimant still held; a result that arrives
   * after its lease is dropped. A job whose material changed during the work becomes ready again.
   */
  finish(claimant: string, results: readonly JobResult[], now: number, spent?: Spent): Promise<readonly JobId[]>;
  /** Gives jobs back for another attempt, or marks them as failed after too many attempts. */
  fail(claimant: string, ids: readonly JobId[], failure: JobFailure, now: number, spent?: Spent): Promise<void>;
  /** Gives back all jobs of a claimant as if it had never claimed them; with `wait`, for later. */
  release(claimant: string, now: number, wait?: { until: number; reason: string }): Promise<void>;
  /** Delays every ready job: until the budget's next day, or until a service answers again. */
  defer(until: number, reason: string): Promise<number>;
  /** Ends those delays if the settings have changed since they began. */
  undefer(settings: string): Promise<number>;
  /** Ends the delays with this reason. */
  endWaits(reason: string): Promise<number>;
  countDue(due: Pick<JobClaim, 'now' | 'session' | 'since' | 'early'>): Promise<number>;
  /** When the next job can start, or the next lease expires. */
  nextAt(): Promise<number | undefined>;
  /** Most recently changed first. */
  list(filter: JobFilter & { limit?: number | undefined }): Promise<readonly Job[]>;
  counts(): Promise<JobCounts>;
  /** Makes failed and cancelled jobs ready. */
  retry(filter: JobFilter, now: number): Promise<number>;
  /**
   * Returns the jobs that could be cancelled; jobs that are done cannot. The result of a job in progress is dropped.
   * `reason` is what people read on the conversation of a cancelled job.
   */
  cancel(ids: readonly JobId[], now: number, reason?: string): Promise<readonly JobId[]>;
  /** Makes ended jobs ready again; with `notBy`, only those that these distillers did not do. */
  redo(filter: JobFilter & { notBy?: readonly string[] }, now: number): Promise<number>;
  /**
   * If the rules of `by` have changed, makes the jobs that it has done ready again and records the rules. Returns how
   * many; a second call returns 0.
   */
  renewByRules(by: string, rules: string, now: number): Promise<number>;
  /** Reserves tokens of the budget for a claimed job, unless that would exceed a limit. */
  reserveTokens(job: number, tokens: number, limits: TokenLimits, now: number): Promise<'ok' | 'day' | 'session'>;
  /** Spending from this moment on, by model and by day in the person's time zone. */
  spending(
    since: number,
    dayOf: (at: number) => string,
  ): Promise<readonly (Spending & { model: string; day: string })[]>;
}
