import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { ProcessReport } from '../../../operations/data/process.ts';
import type { modelTest } from '../../../operations/machine/model.ts';
import type { JobKind } from '../../../schema/job.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

const things: Readonly<Record<JobKind, readonly [string, string]>> = {
  observe: ['turn', 'turns'],
  summarize: ['session', 'sessions'],
  remember: ['conversation', 'conversations'],
};

const counted = (counts: Readonly<Record<JobKind, number>>): string =>
  (Object.keys(things) as JobKind[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => plural(counts[kind], ...things[kind]))
    .join(', ');

export function renderProcess(
  { by, done, failedAttempts, calls, tokens, left, waits, stopped, cost }: z.infer<typeof ProcessReport>,
  view: View,
): string {
  const { style } = view;
  if (cost !== undefined) {
    const what = counted(cost.jobs);
    if (what === '') return 'Nothing is waiting to be distilled.';
    if (cost.tokens === 0) return `${what} would be distilled, ${by}: it costs nothing.`;
    const days = cost.days > 1 ? ` Within the budget that takes ${cost.days} days.` : '';
    return `${what} would be distilled by ${by}: about ${withCommas(cost.tokens)} tokens in ${plural(cost.calls, 'call')}; one call per tool use would take ${withCommas(cost.insteadOf)}.${days}`;
  }
  const what = counted(done);
  const spent = tokens === 0 ? '' : `: ${withCommas(tokens)} tokens in ${plural(calls, 'call')}`;
  const lines = [what === '' ? 'Nothing was due to be distilled.' : `Distilled ${what} (${by})${spent}.`];
  if (failedAttempts > 0) lines.push(style.yellow(`${plural(failedAttempts, 'attempt')} failed.`));
  for (const { reason, until, jobs, error } of waits)
    lines.push(
      style.yellow(`${plural(jobs, 'job')} wait for the ${reason} until ${localTime(until, view)}`) +
        style.dim(stopped ? ` (${oneLine(stopped, 160)})` : error ? ` (${oneLine(error, 160)})` : ''),
    );
  if (left.failed > 0)
    lines.push(style.dim(`${plural(left.failed, 'job')} failed for good: holdfast jobs --status failed`));
  return lines.join('\n');
}

export function renderModel(
  { by, ms, calls, tokens, observation }: z.infer<(typeof modelTest)['output']>,
  { style }: View,
): string {
  const took = calls === 0 ? `${ms} ms` : `${ms} ms, ${plural(calls, 'call')}, ${withCommas(tokens)} tokens`;
  const lines = [`${style.bold(by)} answers (${took}).`];
  if (observation)
    lines.push(
      `It says of the sample: ${oneLine(observation.title, 120)}`,
      style.dim(oneLine(observation.narrative, 400)),
    );
  return lines.join('\n');
}
