// How background work is described to people.
import { withCommas } from './with-commas.ts';
import type { Work, WorkKind } from './work.ts';

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
