import { z } from 'zod';
import { cancelledReason } from '../../distill/job-policy.ts';
import { Job, JobStatus } from '../../schema/job.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from '../recall/find.ts';

const number = z.coerce.number().int().min(1).describe('number of a job, from the list');

export const jobs = operation({
  name: 'jobs',
  summary: 'List distillation jobs: waiting, running and failed',
  input: z.object({
    status: JobStatus.optional().describe('only jobs with this status; without it, all that are not done'),
    session: z.string().min(1).optional().describe('only jobs of this session'),
    job: number.optional().describe('only this job, whatever its status'),
    limit: z.int().min(1).default(50).describe('at most this many'),
  }),
  output: z.object({ jobs: z.array(Job), counts: z.record(JobStatus, z.int()) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast jobs', 'holdfast jobs --status failed', 'holdfast jobs --session 0f3c --json'],
  async run({ store }: Context<'entries' | 'jobs' | 'sessions'>, { status, session, job, limit }) {
    const of = session === undefined ? undefined : (await find(store, session.trim(), undefined)).session;
    const statuses = status === undefined ? (['ready', 'claimed', 'failed'] as const) : [status];
    const found = await store.jobs.list({
      ...(job === undefined ? { statuses, limit } : { ids: [job] }),
      ...(of === undefined ? {} : { session: { agent: of.agent, session: of.id } }),
    });
    const { waits: _, ...counts } = await store.jobs.counts();
    return { jobs: [...found], counts };
  },
});

export const jobsRetry = operation({
  name: 'jobs retry',
  summary: 'Try a failed or cancelled job again, or all failed jobs',
  input: z.object({
    job: number.optional(),
    failed: z.boolean().default(false).describe('all failed jobs; the default without a number'),
  }),
  output: z.object({ retried: z.int() }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['job'],
  examples: ['holdfast jobs retry 12', 'holdfast jobs retry --failed'],
  async run({ store, clock }: Context<'jobs'>, { job, failed }) {
    if (job === undefined) return { retried: await store.jobs.retry({ statuses: ['failed'] }, clock()) };
    if (failed)
      throw new HoldfastError('BAD_INPUT', 'A job number and --failed cannot be used together', {
        hint: 'Give one of them.',
      });
    const retried = await store.jobs.retry({ ids: [job] }, clock());
    if (retried === 0) throw await refusal(store, job, 'tried again');
    return { retried };
  },
});

export const jobsCancel = operation({
  name: 'jobs cancel',
  summary: 'Cancel a job; it comes back when its session continues',
  input: z.object({ job: number }),
  output: z.object({ cancelled: z.int() }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['job'],
  examples: ['holdfast jobs cancel 12'],
  async run({ store, clock }: Context<'jobs'>, { job }) {
    if ((await store.jobs.cancel([job], clock(), cancelledReason)).length === 0)
      throw await refusal(store, job, 'cancelled');
    return { cancelled: job };
  },
});

async function refusal(store: Pick<Store, 'jobs'>, id: number, what: string): Promise<HoldfastError> {
  const [job] = await store.jobs.list({ ids: [id] });
  return job === undefined
    ? new HoldfastError('NOT_FOUND', `There is no job ${id}`, { hint: 'See: holdfast jobs' })
    : new HoldfastError('CONFLICT', `Job ${id} is ${job.status} and cannot be ${what}`);
}
