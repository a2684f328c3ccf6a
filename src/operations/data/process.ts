// Runs the waiting distillation jobs now. The worker also runs this, in a separate process.
import { z } from 'zod';
import { planRules } from '../../distill/job-policy.ts';
import type { Conversation } from '../../schema/conversation.ts';
import type { Extraction } from '../../schema/extraction.ts';
import { JobKind } from '../../schema/job.ts';
import { Moment, toMoment } from '../../schema/time.ts';
import type { JobFilter } from '../../store/jobs/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { MemoryPorts } from '../ports.ts';
import { find } from '../recall/find.ts';
import { parseSince } from '../recall/when.ts';

const Counts = z.record(JobKind, z.int());

export const ProcessReport = z.object({
  by: z.string().describe('the distiller: offline, or the model'),
  done: Counts.describe('jobs that were done'),
  failedAttempts: z.int(),
  calls: z.int(),
  tokens: z.int(),
  left: z.object({ ready: z.int(), failed: z.int() }),
  waits: z
    .array(z.object({ reason: z.string(), until: Moment, jobs: z.int(), error: z.string().optional() }))
    .describe('jobs that wait for the budget or for the model'),
  stopped: z.string().optional().describe('why it stopped early'),
  cost: z
    .object({
      jobs: Counts,
      calls: z.int(),
      tokens: z.int(),
      insteadOf: z.int().describe('tokens that one call for each tool use would take'),
      days: z.int().describe('days that it takes within the budget'),
    })
    .optional()
    .describe('for a dry run: what it would take'),
});

export const processJobs = operation({
  name: 'process',
  ending: 'guarded',
  summary:
    'Process waiting sessions now: turns into observations, sessions into summaries, conversations into memory pages',
  input: z.object({
    all: z.boolean().default(false).describe('also active sessions, failed jobs, and what another distiller has done'),
    again: z.boolean().default(false).describe('also sessions distilled before; the new result replaces the old one'),
    session: z.string().min(1).optional().describe('only this session, even while it is active'),
    since: z.string().min(1).optional().describe('only what was said since then: 2026-03-01, 3d, monday, last week'),
    dryRun: z.boolean().default(false).describe('only say what it would cost'),
    due: z.boolean().default(false).describe('as the worker does: wait if the model asked to wait'),
  }),
  output: ProcessReport,
  surfaces: ['cli'],
  examples: [
    'holdfast process',
    'holdfast process --all --dry-run',
    'holdfast process --session 0f3c',
    'holdfast process --again',
  ],
  succeeded: ({ stopped, waits }) => stopped === undefined || !waits.some(({ reason }) => reason === 'model'),
  async run(context: Context<MemoryPorts | 'conversations' | 'distilled' | 'entries' | 'jobs' | 'vectors'>, input) {
    const { store, config, clock, signal, progress } = context;
    const { settings } = config;
    // Loaded only here so that a search does not pay for it.
    const [{ openDistiller }, { runJobs }, { redact }] = await Promise.all([
      import('../../distill/open.ts'),
      import('../../distill/run.ts'),
      import('../../capture/redaction/redact.ts'),
    ]);
    const filter = await toFilter(context, input);
    await store.jobs.plan(clock(), planRules(settings));
    const distiller = await openDistiller(config, redact).catch(async (error: unknown) => {
      // Nothing can start, so the worker need not try again at once.
      if (input.due) await store.jobs.defer(clock() + 3_600_000, 'model');
      throw error;
    });
    const early = input.all || input.session !== undefined;
    const by = { by: distiller.name };
    /** Results of these distillers stay: imported results cannot be made again from what is stored here. */
    const kept = ['claude-mem', ...(input.again ? [] : [distiller.name])];
    if (input.dryRun) {
      const { costOf } = await import('../../distill/cost.ts');
      const wanted = await store.jobs.list(filter);
      const now = clock();
      const isWanted = (job: (typeof wanted)[number]) =>
        job.status === 'ready'
          ? early || Date.parse(job.notBefore) <= now || job.waitsFor !== undefined
          : job.status !== 'claimed' && (input.again || input.all) && !kept.includes(job.by ?? '');
      const cost = await costOf(store, distiller, wanted.filter(isWanted), signal);
      const days = cost.tokens === 0 ? 0 : Math.ceil(cost.tokens / Math.max(1, settings.budget.tokensPerDay));
      return { ...by, ...(await left(context)), ...nothing, cost: { ...cost, days } };
    }
    if (!input.due) await store.jobs.endWaits('model');
    if (input.again || input.all) await store.jobs.redo({ ...filter, notBy: kept }, clock());
    if (input.all) await store.jobs.retry(filter, clock());
    const keep = await pages(context);
    const { done, failedAttempts, usage, stopped } = await runJobs(
      { store, settings, clock, distiller, keep: keep.one, known: keep.known, signal, progress },
      { ...filter, early },
    );
    await keep.all();
    await embed(context);
    return {
      ...by,
      done,
      failedAttempts,
      calls: usage.calls,
      tokens: usage.input + usage.output,
      ...(await left(context)),
      ...(stopped === undefined ? {} : { stopped: stopped.message }),
    };
  },
});

/**
 * Makes the new results searchable by meaning. If this fails, the worker tries again; until then, keywords find them.
 */
async function embed({ store, config, clock, signal }: Context<'vectors'>): Promise<void> {
  const { embedPending, noteTrouble } = await import('../../embedding/pending.ts');
  try {
    await embedPending({ store, config, clock, signal, instantOnly: true });
  } catch (error) {
    if (signal?.aborted !== true) await noteTrouble({ store, clock }, error);
  }
}

/**
 * Statements from a conversation are stored at once. Pages are written now and then, because many statements share a
 * page.
 */
async function pages(context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>) {
  const [{ keepExtraction }, { afterBatch }, { knownFor }] = await Promise.all([
    import('../../distill/memory/librarian.ts'),
    import('../../distill/memory/git.ts'),
    import('../../distill/memory/known.ts'),
  ]);
  let writtenAt = context.clock();
  return {
    async one(conversation: Conversation, extraction: Extraction, by: string): Promise<void> {
      await keepExtraction(context, conversation, extraction, by);
      if (context.clock() - writtenAt < 60_000) return;
      writtenAt = context.clock();
      await afterBatch(context);
    },
    known: (conversation: Conversation, said: string) => knownFor(context, conversation, said),
    all: () => afterBatch(context),
  };
}

const nothing = { done: { observe: 0, summarize: 0, remember: 0 }, failedAttempts: 0, calls: 0, tokens: 0 };

async function toFilter(
  { store, config, clock }: Context<'entries' | 'sessions'>,
  { session: id, since, all }: { session?: string | undefined; since?: string | undefined; all: boolean },
): Promise<Pick<JobFilter, 'session' | 'since'>> {
  if (id !== undefined && all)
    throw new HoldfastError('BAD_INPUT', '--session and --all cannot be used together', { hint: 'Give one of them.' });
  const found = id === undefined ? undefined : await find(store, id.trim(), undefined);
  return {
    ...(found === undefined ? {} : { session: { agent: found.session.agent, session: found.session.id } }),
    ...(since === undefined ? {} : { since: parseSince(since, { now: clock(), timeZone: config.settings.timeZone }) }),
  };
}

async function left({ store }: Context<'jobs'>) {
  const { ready, failed, waits } = await store.jobs.counts();
  return { left: { ready, failed }, waits: waits.map((wait) => ({ ...wait, until: toMoment(wait.until) })) };
}
