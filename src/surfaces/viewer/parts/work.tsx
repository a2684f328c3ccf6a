// What the worker does in the background right now, with progress and the remaining time.
import { workProgress, workTitle } from '../../../schema/work-text.ts';
import { work } from '../live.ts';

export const Spinner = () => <span class="spinner" aria-hidden="true" />;

/**
 * Shows nothing if the worker is idle. Stays at the lower edge of the window, so that nothing moves when it appears. Not
 * a live region: the numbers change twice a second.
 */
export function WorkList() {
  if (work.value.length === 0) return null;
  return (
    <ul class="work" aria-label="In progress">
      {work.value.map((one) => (
        <li key={`${one.kind} ${one.since}`}>
          <Spinner />
          <span class="work-title">{workTitle(one)}</span>
          <span class="dim">{workProgress(one)}</span>
          {one.share !== undefined && <progress value={one.share} aria-label={workTitle(one)} />}
        </li>
      ))}
    </ul>
  );
}
