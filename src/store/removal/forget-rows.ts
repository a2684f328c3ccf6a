// Deletes rows for good with everything derived from them, and leaves hashes that keep them from coming back. Runs in
// the caller's transaction.
import type { ConversationRules } from '../conversations/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { distilledForgetting } from './forget-distilled.ts';
import { entryForgetting } from './forget-entry.ts';
import type { DistilledRow, EntryRow } from './forget-lookup.ts';
import { sessionForgetting } from './forget-session.ts';
import { forgetSettling } from './forget-settling.ts';
import type { UseRow } from './forget-use.ts';
import { begun } from './forget-work.ts';
import type { ForgottenTraces } from './port.ts';

/** Forgets items one by one; `settle` updates the rest before the transaction ends. */
export interface Forgetter {
  entry(entry: EntryRow): void;
  use(use: UseRow, entry: EntryRow): void;
  session(id: number): void;
  distilled(kind: 'observation' | 'summary', row: DistilledRow): void;
  /** Returns the traces outside the database, and until when a process may store more of them. */
  settle(rules: ConversationRules): { readonly traces: ForgottenTraces; readonly busyUntil: number };
}

export function forgetters(connection: Connection): (now: number) => Forgetter {
  const { entry: forgetEntry, use: forgetUse } = entryForgetting(connection);
  const forgetSession = sessionForgetting(connection);
  const forgetDistilled = distilledForgetting(connection);
  const settle = forgetSettling(connection);
  return (now) => {
    const work = begun(now);
    return {
      entry: (entry) => forgetEntry(work, entry),
      use: (use, entry) => forgetUse(work, use, entry),
      session: (id) => forgetSession(work, id),
      distilled: (kind, row) => forgetDistilled(work, kind, row),
      settle: (rules) => ({ traces: settle(work, rules), busyUntil: work.busyUntil }),
    };
  };
}
