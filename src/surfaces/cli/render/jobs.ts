import { plural } from '../../../language/plural.ts';
import type { Job, JobStatus } from '../../../schema/job.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderJobs(
  { jobs, counts }: { jobs: readonly Job[]; counts: Readonly<Record<JobStatus, number>> },
  view: View,
): string {
  const { style } = view;
  const sums = (Object.keys(counts) as JobStatus[]).filter((status) => counts[status] > 0);
  if (sums.length === 0) return 'No jobs: nothing waits, runs or has failed.';
  const summary = sums.map((status) => `${withCommas(counts[status])} ${status}`).join(', ');
  if (jobs.length === 0) return `No such jobs. All: ${summary}.`;
  const rows = jobs.map((job) => [
    String(job.id),
    job.status,
    job.kind,
    job.session.slice(0, 8) + (job.subject === '' ? '' : ` ${job.kind === 'observe' ? '#' : 'c'}${job.subject}`),
    oneLine(job.project, 20),
    localTime(job.at, view),
    oneLine(remark(job, view), Math.max(20, view.width - 80)),
  ]);
  const paint = [style.cyan, style.yellow, style.bold, style.dim];
  const body = table([['id', 'status', 'job', 'of', 'project', 'said', ''], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
  return `${body}\n\n${style.dim(`All: ${summary}.`)}`;
}

function remark({ status, attempts, error, waitsFor, notBefore }: Job, view: View): string {
  const tried = attempts > 0 && status !== 'claimed' ? `${plural(attempts, 'attempt')}` : '';
  const isLater = status === 'ready' && Date.parse(notBefore) > view.now;
  const wait = isLater ? `waits${waitsFor ? ` for the ${waitsFor}` : ''} until ${localTime(notBefore, view)}` : '';
  return [wait, tried, error ?? ''].filter(Boolean).join(': ');
}

export const renderRetried = ({ retried }: { retried: number }): string =>
  `${plural(retried, 'job')} will be tried again. Now: holdfast process`;

export const renderCancelled = ({ cancelled }: { cancelled: number }): string => `Job ${cancelled} is cancelled.`;
