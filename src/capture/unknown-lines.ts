// Lines of a kind that a reader does not know: a newer version of the agent may write them. They are counted, and never an error.
import type { ReaderState } from '../agents/agent.ts';

/** In the reader's state: counts by kind, as JSON. */
const key = '@unknown';
const mostKinds = 20;
const longestKind = 80;

export function countUnknown(kind: string, state: ReaderState): void {
  const counts = unknownLines(state);
  const name = kind.slice(0, longestKind).toWellFormed();
  const counted = counts.has(name) || counts.size < mostKinds ? name : 'others';
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
  state[key] = JSON.stringify([...counts]);
}

/** How many lines of which unknown kinds a file has. */
export const unknownLines = (state: ReaderState): Map<string, number> =>
  typeof state[key] === 'string' ? new Map(JSON.parse(state[key]) as [string, number][]) : new Map();
