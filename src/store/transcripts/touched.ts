// What a chunk has touched; updated before the transaction ends.
import type { IndexedUses } from '../search/tool-text.ts';
import type { NewEntry, NewToolResult } from './port.ts';

export interface Touched {
  readonly sessions: Set<number>;
  /** Row ids of the sessions of its entries, by the agent's id. */
  readonly names: Map<string, number>;
  /** Files whose conversations must be rebuilt from the start. */
  readonly files: Set<number>;
  /** Entries with new tool uses or results. */
  readonly users: Set<number>;
  /** Entries that this chunk added. */
  readonly fresh: Map<number, NewEntry>;
  /** Those of them that came with the index text of their tool uses. */
  readonly prepared: Map<number, IndexedUses>;
  /** Results that came with a use of an entry that was there before. */
  readonly results: NewToolResult[];
}

export const nothingTouched = (): Touched => ({
  sessions: new Set(),
  names: new Map(),
  files: new Set(),
  users: new Set(),
  fresh: new Map(),
  prepared: new Map(),
  results: [],
});

/** The chunk has withdrawn an entry that it added. */
export function forgetFresh({ fresh, prepared, users }: Touched, id: number): void {
  fresh.delete(id);
  prepared.delete(id);
  users.delete(id);
}
