// Puts observations and summaries into a memory without a model, in the two ways that the program has: an import, and the end of a job.
import { distillSession } from '../src/distill/offline/session.ts';
import type { Observation } from '../src/schema/observation.ts';
import type { Summary } from '../src/schema/summary.ts';
import type { NewObservation, NewSummary } from '../src/store/distilled/port.ts';
import type { Store } from '../src/store/store.ts';
import { planningWith, threeAttempts } from './job-rules.ts';

export async function distillAll(store: Pick<Store, 'entries' | 'projects' | 'sessions' | 'transfer'>): Promise<void> {
  for (const { agent, id } of await store.sessions.list({})) {
    const { observations, summary } = await distillSession(store, { agent, session: id });
    await store.transfer.takeRows([
      ...observations.map((one) => ({ is: 'observation' as const, ...one })),
      ...(summary === undefined ? [] : [{ is: 'summary' as const, ...summary }]),
    ]);
  }
}

/** As an import does it. Undefined if the store did not take it. */
export async function takeObservation(
  store: Pick<Store, 'distilled' | 'transfer'>,
  one: NewObservation,
): Promise<Observation | undefined> {
  const { observation } = await store.transfer.takeRows([{ is: 'observation', ...one }]);
  const { agent, session, prompt } = one;
  return observation === 1
    ? (await store.distilled.observations({ agent, session })).find((row) => row.prompt === prompt)
    : undefined;
}

export async function takeSummary(
  store: Pick<Store, 'distilled' | 'transfer'>,
  one: NewSummary,
): Promise<Summary | undefined> {
  const { summary } = await store.transfer.takeRows([{ is: 'summary', ...one }]);
  const { agent, session } = one;
  return summary === 1 ? (await store.distilled.summaries({ agent, session }))[0] : undefined;
}

type Given =
  | { readonly kind: 'observe'; readonly observation: NewObservation | undefined }
  | { readonly kind: 'summarize'; readonly summary: NewSummary | undefined };

/** As a distiller does it: the first job of this kind ends with this result, which replaces the earlier one. */
export async function endJob(
  store: Pick<Store, 'jobs'>,
  session: Pick<NewSummary, 'agent' | 'session'>,
  given: Given,
): Promise<void> {
  const now = Date.parse('2100-01-01T00:00:00Z');
  const { kind } = given;
  await store.jobs.plan(now, planningWith(0));
  await store.jobs.redo({ session, kind }, now);
  const claim = { claimant: 'test', now, leaseMs: 1000, ...threeAttempts, limit: 1, session, early: true };
  // A summary waits for the observations.
  for (let jobs = await store.jobs.claim(claim); jobs[0] !== undefined; jobs = await store.jobs.claim(claim)) {
    const [{ id, kind: other }] = jobs;
    if (other === kind)
      return void (await store.jobs.finish('test', [{ id, by: 'offline', tokens: 0, ...given }], now));
    await store.jobs.cancel([id], now);
  }
  throw new Error(`There was no job to ${kind}`);
}
