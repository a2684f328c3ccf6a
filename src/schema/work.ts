import { z } from 'zod';
import { Moment } from './time.ts';
import { withCommas } from './with-commas.ts';

/** What the worker does in the background right now. Contains counts, never text. */
export const Work = z.object({
  kind: z.enum(['import', 'reread', 'redact', 'embed', 'refine', 'distill', 'copy', 'backup']),
  since: Moment,
  done: z.int().min(0).optional().describe('absent if the work cannot be counted'),
  total: z.int().min(0).optional(),
  share: z.number().min(0).max(1).optional().describe('how much is done; of an import: of its bytes'),
  secondsLeft: z
    .int()
    .min(0)
    .optional()
    .describe('estimated from the speed of the last seconds; absent if that says nothing'),
});
export type Work = z.infer<typeof Work>;
export type WorkKind = Work['kind'];

export interface WorkSource {
  now(): Work[];
  /** Calls `listen` soon after a change. Returns a function that unsubscribes. */
  subscribe(listen: (work: Work[]) => void): () => void;
}

/** A title, and what is counted; without a unit only the share is shown. */
const titles: Readonly<Record<WorkKind, readonly [title: string, unit: string]>> = {
  import: ['Importing', 'transcripts'],
  reread: ['Reading again what an older version read', 'transcripts'],
  redact: ['Applying newer redaction rules', ''],
  embed: ['Preparing search by meaning', 'texts'],
  refine: ['Reading closely for search by meaning', 'texts'],
  distill: ['Distilling', 'jobs'],
  copy: ['Copying into the vault', 'transcripts'],
  backup: ['Making the daily backup', ''],
};

export const workTitle = ({ kind }: Pick<Work, 'kind'>): string => titles[kind][0];

/** `12 of 40 transcripts, 31 %, about 2 min left`; empty if nothing can be counted. */
export function workProgress({ kind, done, total, share, secondsLeft }: Work): string {
  const [, unit] = titles[kind];
  const n = withCommas;
  return [
    ...(done === undefined || total === undefined || unit === '' ? [] : [`${n(done)} of ${n(total)} ${unit}`]),
    ...(share === undefined ? [] : [`${Math.floor(100 * share)} %`]),
    ...(secondsLeft === undefined ? [] : [`${roughly(secondsLeft)} left`]),
  ].join(', ');
}

/** An estimate has no exact seconds. */
function roughly(seconds: number): string {
  if (seconds < 10) return 'a few seconds';
  if (seconds < 55) return `about ${10 * Math.round(seconds / 10)} s`;
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `about ${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), 10 * Math.round((minutes % 60) / 10)];
  return rest === 60 ? `about ${hours + 1} h` : rest === 0 ? `about ${hours} h` : `about ${hours} h ${rest} min`;
}
