// ③ The runner claims jobs, has the distiller do them, and stores each result together with the end of its job. It works until nothing is due.
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setImmediate as breathe } from 'node:timers/promises';
import type { AgentName } from '../schema/agent-name.ts';
import type { Conversation } from '../schema/conversation.ts';
import type { Extraction } from '../schema/extraction.ts';
import type { JobKind, Usage } from '../schema/job.ts';
import type { Observation } from '../schema/observation.ts';
import type { Settings } from '../schema/settings.ts';
import type { ClaimedJob, JobFilter, JobResult, Spent } from '../store/jobs/port.ts';
import type { Store } from '../store/store.ts';
import { isAlive } from '../system/alive.ts';
import { HoldfastError } from '../system/errors.ts';
import { eachToolUse, limitsAt } from './budget.ts';
import type { Distilled, Distiller, Work } from './distiller.ts';
import { jobWords, planRules } from './job-policy.ts';
import { type ConversationMaterial, readConversation, readSession, readTurn, type Turn } from './material.ts';
import { type KnownPages, nothingKnown } from './memory/known.ts';
import { addUsage, ModelError, type ModelTrouble, noUsage } from './models/model.ts';
import { hasWork } from './offline/observe.ts';
import { observationOf, summaryOf } from './rows.ts';

export interface RunDeps {
  readonly store: Pick<Store, 'conversations' | 'distilled' | 'entries' | 'jobs' | 'sessions'>;
  readonly settings: Settings;
  readonly clock: () => number;
  readonly distiller: Distiller;
  /** Writes the extraction of a conversation into the memory pages. Contract: idempotent. */
  readonly keep: (conversation: Conversation, extraction: Extraction, by: string) => Promise<void>;
  /** What the pages say now about the subjects of a conversation with the text `said`. */
  readonly known: (conversation: Conversation, said: string) => Promise<KnownPages>;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((progress: RunProgress) => void) | undefined;
  readonly leaseMs?: number | undefined;
}

export interface RunProgress {
  readonly jobs: number;
  readonly totalJobs: number;
  readonly tokens: number;
}

export interface RunReport {
  readonly done: Readonly<Record<JobKind, number>>;
  /** Attempts that failed. The runner tries their jobs again later, or they have failed for good. */
  readonly failedAttempts: number;
  readonly usage: Usage;
  /** Present if the run stopped while jobs were left: because of the budget, or because of the model. */
  readonly stopped?: { readonly reason: 'budget' | 'model'; readonly until: number; readonly message: string };
}

/** A service that is down usually comes back, so it gets more attempts than a model that answers badly. */
const maxAttempts: Readonly<Record<ModelTrouble | 'other', number>> = {
  invalid: 3,
  refused: 2,
  failed: 6,
  busy: 10,
  setup: 1000,
  other: 3,
};
/** If this many processes died during a job, the job is probably the cause. */
const maxDeaths = 10;
const firstPauseMs = 10_000;
const longestPauseMs = 3_600_000;
const longestWishMs = 6 * 3_600_000;

/** The pause after the nth attempt. It doubles each time, and is at least as long as the service asks for (`wish`, up to a limit). */
export function pauseAfter(attempts: number, wish = 0): number {
  const own = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 20), longestPauseMs);
  return Math.max(own, Math.min(wish, longestWishMs));
}

/** What the lanes of one run share. */
interface Running {
  readonly deps: RunDeps;
  readonly filter: Pick<JobFilter, 'session' | 'since'> & { readonly early?: boolean };
  readonly leaseMs: number;
  readonly signal: AbortSignal;
  /** How many jobs were due at the beginning. */
  readonly total: number;
  readonly done: Record<JobKind, number>;
  failedAttempts: number;
  /** Failed attempts since the last success. */
  inARow: number;
  usage: Usage;
  stopped: RunReport['stopped'];
}

export async function runJobs(
  deps: RunDeps,
  filter: Pick<JobFilter, 'session' | 'since'> & { readonly early?: boolean } = {},
): Promise<RunReport> {
  const { store, clock, distiller, leaseMs = 30_000 } = deps;
  await prepare(deps);
  const stop = new AbortController();
  const run: Running = {
    ...{ deps, filter, leaseMs },
    signal: AbortSignal.any([stop.signal, ...(deps.signal ? [deps.signal] : [])]),
    total: await store.jobs.countDue({ ...filter, now: clock() }),
    done: { observe: 0, summarize: 0, remember: 0 },
    ...{ failedAttempts: 0, inARow: 0, usage: noUsage, stopped: undefined },
  };
  try {
    const lanes = await Promise.allSettled(Array.from({ length: distiller.parallel }, () => lane(run)));
    const broken = lanes.find((one) => one.status === 'rejected');
    if (broken) throw broken.reason;
  } finally {
    stop.abort();
  }
  deps.signal?.throwIfAborted();
  const { done, failedAttempts, usage, stopped } = run;
  return { done, failedAttempts, usage, ...(stopped === undefined ? {} : { stopped }) };
}

/** Plans jobs that are due, and makes jobs ready again if their reason to wait no longer applies. */
async function prepare({ store, settings, clock, distiller }: RunDeps): Promise<void> {
  await store.jobs.plan(clock(), planRules(settings));
  // A process that has ended cannot finish its jobs, so its lease need not run out first.
  for (const claimant of await store.jobs.claimants())
    if (isGone(claimant)) await store.jobs.renewClaims(claimant, clock());
  if (distiller.rules !== undefined) await store.jobs.renewByRules(distiller.name, distiller.rules, clock());
  await store.jobs.undefer(hashOf([distiller.name, settings.distill, settings.budget]));
}

function report({ deps, done, total, usage }: Running): void {
  const jobs = done.observe + done.summarize + done.remember;
  deps.progress?.({ jobs, totalJobs: Math.max(total, jobs), tokens: usage.input + usage.output });
}

/** Ends the run, and makes every ready job wait until then. */
async function stopUntil(run: Running, until: number, reason: 'budget' | 'model', message: string): Promise<void> {
  run.stopped = { reason, until, message };
  await run.deps.store.jobs.defer(until, reason);
}

/** Claims and does jobs until nothing is due. Several lanes run side by side. */
async function lane(run: Running): Promise<void> {
  const { deps, filter, leaseMs, signal } = run;
  const { store, clock, distiller } = deps;
  const claimant = `${hostname()} ${process.pid} ${randomUUID()}`;
  const renewal = setInterval(() => {
    // If the store cannot be written now, it cannot take the result either. The lease then runs out.
    void store.jobs.renewClaims(claimant, clock() + leaseMs).catch(() => {});
  }, leaseMs / 3);
  try {
    while (!signal.aborted && run.stopped === undefined) {
      const { turns: limit, mixed } = distiller;
      const limits = { leaseMs, maxAttempts: maxDeaths, limit, words: jobWords };
      const jobs = await store.jobs.claim({ claimant, now: clock(), mixed, ...limits, ...filter });
      if (jobs.length === 0) return;
      // Jobs that failed together are tried one by one, so that a single bad job does not fail the others.
      const alone = jobs.some(({ attempts }) => attempts > 1) || (!mixed && jobs[0]?.kind !== 'observe');
      for (const part of alone ? jobs.map((job) => [job]) : [jobs]) {
        if (signal.aborted || !(await attempt(run, claimant, part))) break;
        report(run);
        await breathe();
      }
    }
  } finally {
    clearInterval(renewal);
    await store.jobs.release(claimant, clock());
  }
}

/** False if the claimant no longer holds its jobs, or should not go on. */
async function attempt(run: Running, claimant: string, jobs: readonly ClaimedJob[]): Promise<boolean> {
  const { deps, signal } = run;
  const { store, clock, distiller } = deps;
  const [first] = jobs as readonly [ClaimedJob, ...ClaimedJob[]];
  let used = noUsage;
  const count = (more: Usage) => {
    used = addUsage(used, more);
    run.usage = addUsage(run.usage, more);
  };
  const spent = (insteadOf: number): Spent => {
    const { agent, session, kind } = first;
    return { agent, session, kind, model: distiller.name, usage: used, insteadOf };
  };
  const allowed = (work: Work) => reserve(run, claimant, first, work);
  try {
    const { results, insteadOf } = await distil(deps, [first, ...jobs.slice(1)], { allowed, count, signal });
    const ended = await store.jobs.finish(claimant, results, clock(), spent(insteadOf));
    run.done[first.kind] += ended.length;
    run.inARow = 0;
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof OverBudget) return false;
    // If the store cannot be written, the job is not to blame, and its failure could not be stored either.
    if (error instanceof HoldfastError && error.code !== 'BAD_INPUT') throw error;
    run.failedAttempts++;
    run.inARow++;
    const { isAboutAll, ...failure } = failureOf(
      error,
      clock() + pauseAfter(first.attempts, wishOf(error)),
      run.inARow,
    );
    if (error instanceof ModelError) count(error.usage);
    await store.jobs.fail(
      claimant,
      jobs.map(({ id }) => id),
      failure,
      clock(),
      spent(0),
    );
    if (isAboutAll) await stopUntil(run, failure.retryAt, 'model', failure.error);
    return run.stopped === undefined;
  }
}

const wishOf = (error: unknown): number | undefined => (error instanceof ModelError ? error.retryAfterMs : undefined);

/** `isAboutAll`: the model would fail at every other job too. */
function failureOf(error: unknown, retryAt: number, inARow: number) {
  const kind = error instanceof ModelError ? error.kind : 'other';
  const isAboutAll = kind === 'busy' || kind === 'setup' || (kind === 'failed' && inARow >= 3);
  return {
    error: error instanceof Error ? error.message : String(error),
    retryAt,
    maxAttempts: maxAttempts[kind],
    words: jobWords,
    waitsFor: isAboutAll ? 'model' : undefined,
    isAboutAll,
  };
}

/** Reserves the tokens of the work. Rejects with `OverBudget` if the budget does not allow it. */
async function reserve(run: Running, claimant: string, { id, session }: ClaimedJob, work: Work): Promise<void> {
  const { store, settings, clock, distiller } = run.deps;
  const tokens = distiller.estimate(work);
  if (tokens === 0) return;
  const { dayEnd, ...limits } = limitsAt(clock(), settings);
  const verdict = await store.jobs.reserveTokens(id, tokens, limits, clock());
  if (verdict === 'ok') return;
  const message =
    verdict === 'day'
      ? `the ${settings.budget.tokensPerDay} tokens of this day are used up`
      : `the ${settings.budget.tokensPerSession} tokens of session ${session} are used up`;
  await store.jobs.release(claimant, clock(), { until: dayEnd, reason: 'budget' });
  if (verdict === 'day') await stopUntil(run, dayEnd, 'budget', message);
  throw new OverBudget(message);
}

class OverBudget extends Error {}

/** Whether a claimant is a process of this machine that has ended. If unsure, assumes that it is alive. */
function isGone(claimant: string): boolean {
  const [host, pid] = claimant.split(' ');
  return host === hostname() && !isAlive(Number(pid));
}

/** Settings may contain a key. The store gets only their hash. */
const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

interface Outcome {
  readonly results: JobResult[];
  /** Tokens that one call for each tool use would have taken. */
  readonly insteadOf: number;
}

interface Limits {
  /** Rejects if the budget does not allow the work. */
  allowed(work: Work): Promise<void>;
  /** Records spent tokens at once, so that they count even if the work fails later. */
  count(used: Usage): void;
  readonly signal: AbortSignal;
}

/** Does jobs of one kind. A job whose material is gone, or contains no work, ends without text. */
async function distil(
  { store, distiller, keep, known }: RunDeps,
  jobs: readonly [ClaimedJob, ...ClaimedJob[]],
  { allowed, count, signal }: Limits,
): Promise<Outcome> {
  const { name: by } = distiller;
  const { kind } = jobs[0];
  const take = async <T>(work: Work, done: () => Promise<Distilled<T>>) => {
    await allowed(work);
    const { value, usage } = await done();
    count(usage);
    return { value, tokens: usage.input + usage.output };
  };

  if (kind === 'observe') {
    const turns: (Turn | undefined)[] = [];
    for (const { agent, session, subject } of jobs)
      turns.push(await readTurn(store, { agent, session, prompt: subject }));
    const worth = turns.filter((turn): turn is Turn => turn !== undefined && hasWork(turn));
    const { value, tokens } =
      worth.length === 0
        ? { value: [], tokens: 0 }
        : await take({ kind, turns: worth }, () => distiller.observe(worth, signal));
    const texts = new Map(worth.map((turn, i) => [turn, value[i]]));
    const each = Math.round(tokens / Math.max(1, worth.length));
    const results = jobs.map(({ id }, i): JobResult => {
      const turn = turns[i];
      const text = turn && texts.get(turn);
      const observation = turn && text && observationOf(turn, text, { by, tokens: each });
      return { kind, id, by, tokens: text ? each : 0, observation };
    });
    return { results, insteadOf: tokens > 0 ? eachToolUse(worth) : 0 };
  }

  // The offline distiller reads the turns themselves and does not need their observations.
  const observed = async (agent: AgentName, session: string) =>
    distiller.mixed ? [] : observationsOf(store, { agent, session });
  const results: JobResult[] = [];
  for (const { id, agent, session, subject } of jobs) {
    if (kind === 'summarize') {
      const material = await readSession(store, { agent, session });
      if (!material?.turns.some(hasWork)) {
        results.push({ kind, id, by, tokens: 0, summary: undefined });
        continue;
      }
      const given = { session: material, observations: await observed(agent, session) };
      const { value, tokens } = await take({ kind, ...given }, () => distiller.summarize(given, signal));
      const summary = value && summaryOf(material, value, { by, tokens });
      results.push({ kind, id, by, tokens, summary });
      continue;
    }
    const material = await readConversation(store, subject);
    const conversation = await store.conversations.get(subject);
    if (conversation === undefined || !material?.turns.some(hasWork)) {
      results.push({ kind, id, by, tokens: 0 });
      continue;
    }
    const given = {
      conversation: material,
      observations: await observed(agent, session),
      known: distiller.readsPages ? await known(conversation, saidIn(material)) : nothingKnown,
    };
    const { value, tokens } = await take({ kind, ...given }, () => distiller.remember(given, signal));
    // The person may have deleted the session while the model was answering.
    if ((await store.conversations.get(subject)) !== undefined) await keep(conversation, value, by);
    results.push({ kind, id, by, tokens });
  }
  return { results, insteadOf: 0 };
}

/** Enough of a conversation's text to find the pages that it is about. */
const saidIn = ({ turns }: ConversationMaterial): string =>
  turns
    .flatMap(({ entries }) => entries.map(({ text }) => text.slice(0, 2000)))
    .join('\n')
    .slice(0, 100_000);

/** In the order of their turns. */
async function observationsOf(
  store: Pick<Store, 'distilled'>,
  { agent, session }: { agent: AgentName; session: string },
): Promise<readonly Observation[]> {
  const found = await store.distilled.observations({ agent, session });
  return found.filter((one) => one.session === session).sort((a, b) => a.prompt - b.prompt);
}
