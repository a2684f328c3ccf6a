// Lines of a kind that a reader does not know: a newer version of the agent may write them. They are counted and are never an error.
import type { CaptureState } from '../schema/reader-state.ts';
import { redact } from './redaction/redact.ts';

const mostKinds = 20;
const longestKind = 80;
/** Redacted before it is cut: half a secret has no shape. */
const longestRead = 1000;

export function countUnknown(kind: string, state: CaptureState): void {
  const counts = new Map(Object.entries(state.unknown ?? {}));
  const name = redact(kind.slice(0, longestRead)).slice(0, longestKind).toWellFormed();
  const counted = counts.has(name) || counts.size < mostKinds ? name : 'others';
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
  state.unknown = Object.fromEntries(counts);
}
