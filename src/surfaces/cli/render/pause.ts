import { localTime, type View } from '../view.ts';

export const renderPause = ({ since, alreadyPaused }: { since: string; alreadyPaused: boolean }, view: View): string =>
  [
    alreadyPaused
      ? `Capture was already paused, since ${localTime(since, view)}.`
      : `${view.style.yellow('Capture is paused.')} Nothing that agents do from now on will ever be stored.`,
    view.style.dim('End it with: holdfast resume-capture'),
  ].join('\n');

export function renderResume(
  { resumed, since, until }: { resumed: boolean; since?: string | undefined; until?: string | undefined },
  view: View,
): string {
  if (!resumed || since === undefined || until === undefined) return 'Capture was not paused.';
  const stretch = `from ${localTime(since, view)} to ${localTime(until, view)}`;
  return `${view.style.green('Capture has resumed.')} What happened ${stretch} is never stored, even if its transcripts are imported again.`;
}
