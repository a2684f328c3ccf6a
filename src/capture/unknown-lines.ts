// Lines of a kind that a reader does not know: a newer version of the agent may write them. They are counted and are never an error.
import type { CaptureState } from '../schema/reader-state.ts';

const mostKinds = 20;
const longestKind = 80;

export function countUnknown(kind: string, state: CaptureState): void {
  const counts = new Map(Object.entries(state.unknown ?? {}));
  const name = kind.slice(0, longestKind).toWellFormed();
  const counted = counts.has(name) || counts.size < mostKinds ? name : 'others';
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
  state.unknown = Object.fromEntries(counts);
}
