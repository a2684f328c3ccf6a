// Applies a change to all stored texts, a few at a time: entries with their
// index, tool uses, then the small tables and titles.

import type { Connection } from '../sqlite/connection.ts';
import type { RemovalPort, TextChange } from './port.ts';
import { entryRewriting, useRewriting } from './rewrite-entries.ts';
import { rewriteRest } from './rewrite-rest.ts';

/** Stored in `facts`: the version that all texts have, and the progress of the next one. */
interface Progress {
  readonly done: number;
  readonly version: number;
  readonly phase: Phase;
  readonly after: number;
  readonly changed: number;
}

/** `outside`: all rows have the version; the caller still has to clean up outside the database. */
type Phase = 'entries' | 'tool_uses' | 'rest' | 'outside';

const fact = 'redaction';

export function textRewriting(connection: Connection): Pick<RemovalPort, 'rewriteTexts' | 'finishRewriting'> {
  const { write } = connection;
  const get = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const put = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const last = (table: string) => connection.statement<[], number>(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck();
  const [lastEntry, lastUse] = [last('entries'), last('tool_uses')];
  const rewriteEntries = entryRewriting(connection);
  const rewriteUses = useRewriting(connection);

  function step(progress: Progress, limit: number, change: TextChange): Progress & { looked: number } {
    const { phase, after } = progress;
    if (phase === 'outside') return { ...progress, looked: 0 };
    if (phase === 'rest') {
      const changed = progress.changed + rewriteRest(connection, change);
      // The index keeps words of removed texts until its segments are merged.
      if (changed > 0)
        for (const table of ['entries_fts', 'uses_fts', 'observations_fts', 'summaries_fts', 'memories_fts'])
          connection.statement(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
      return { ...progress, phase: 'outside', changed, looked: 0 };
    }
    const { rows, changed } = (phase === 'entries' ? rewriteEntries : rewriteUses)(after, limit, change);
    const last = rows.at(-1)?.id;
    const next =
      last === undefined
        ? { phase: phase === 'entries' ? ('tool_uses' as const) : ('rest' as const), after: 0 }
        : { phase, after: last };
    return { ...progress, ...next, changed: progress.changed + changed, looked: rows.length };
  }

  /** Ids grow with the rows; counting the rows would take longer than a step. */
  function shareOf({ phase, after }: Progress): number {
    const [entries, uses] = [lastEntry.get() ?? 0, lastUse.get() ?? 0];
    const at = phase === 'entries' ? after : phase === 'tool_uses' ? entries + after : entries + uses;
    return entries + uses === 0 ? 1 : at / (entries + uses);
  }

  return {
    async rewriteTexts(version, change, limit) {
      const stored = get.get(fact);
      const known = stored === undefined ? undefined : (JSON.parse(stored) as Progress);
      if (known !== undefined && known.done >= version) return { done: true, outside: false, changed: 0, share: 1 };
      // Free pages of the file must not keep the removed data.
      connection.db.pragma('secure_delete = ON');
      const after = write(() => {
        // Read again inside the transaction: another process may be working on it.
        const value = get.get(fact);
        const before = value === undefined ? undefined : (JSON.parse(value) as Progress);
        if (before !== undefined && before.done >= version) return { ...before, looked: 0 };
        const fresh: Progress = { done: before?.done ?? 0, version, phase: 'entries', after: 0, changed: 0 };
        const next = step(before?.version === version ? before : fresh, limit, change);
        const { looked: _, ...kept } = next;
        put.run(fact, JSON.stringify(kept));
        return next;
      });
      const done = after.done >= version;
      const outside = !done && after.phase === 'outside';
      // Until this checkpoint, the log still contains the old pages. A reader may delay it; that is not a failure.
      if (outside && after.changed > 0) connection.db.pragma('wal_checkpoint(TRUNCATE)');
      return { done, outside, changed: after.changed, share: done || outside ? 1 : shareOf(after) };
    },
    async finishRewriting(version) {
      write(() => {
        const value = get.get(fact);
        const progress = value === undefined ? undefined : (JSON.parse(value) as Progress);
        if (progress?.version === version && progress.phase === 'outside')
          put.run(fact, JSON.stringify({ ...progress, done: version }));
      });
    },
  };
}
