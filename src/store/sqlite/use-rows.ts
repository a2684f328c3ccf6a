// Which entries used which tools.
import type { Database } from 'better-sqlite3';
import type { EntryBeginning, Store, UseAt } from '../store.ts';
import { useConditions } from './search.ts';

/** Enough to tell what kind of text it is. */
const beginning = 400;

type Run = <T>(work: () => T) => T;

export function useRows(db: Database, run: Run): Pick<Store, 'toolNames' | 'toolUsers' | 'usesAt' | 'beginningsAt'> {
  // One step of the index for each name, however many uses there are.
  const names = db
    .prepare<[], string>(
      `WITH RECURSIVE named (tool) AS (
         SELECT min(tool) FROM tool_uses
         UNION ALL SELECT (SELECT min(t.tool) FROM tool_uses t WHERE t.tool > named.tool) FROM named WHERE tool IS NOT NULL
       ) SELECT tool FROM named WHERE tool IS NOT NULL`,
    )
    .pluck();
  const at = db.prepare<[string], Omit<UseAt, 'outcome'> & { outcome: 'ok' | 'error' | null }>(
    `SELECT t.entry_id AS row, t.tool, t.outcome FROM json_each(?) j JOIN tool_uses t ON t.entry_id = j.value`,
  );
  const beginnings = db.prepare<[string], Omit<EntryBeginning, 'isPrompt'> & { isPrompt: number }>(
    `SELECT e.id AS row, e.uuid AS id, e.author = 'person' AS isPrompt, substr(e.text, 1, ${beginning}) AS text FROM json_each(?) j JOIN entries e ON e.id = j.value`,
  );

  return {
    async beginningsAt(rows) {
      return run(() => beginnings.all(JSON.stringify(rows)).map((one) => ({ ...one, isPrompt: one.isPrompt === 1 })));
    },
    async toolNames() {
      return run(() => names.all());
    },
    async toolUsers(use) {
      return run(() => {
        const { conditions, values } = useConditions(use);
        return db
          .prepare<unknown[], number>(`SELECT DISTINCT t.entry_id FROM tool_uses t WHERE ${conditions.join(' AND ')}`)
          .pluck()
          .all(...values);
      });
    },
    async usesAt(rows) {
      return run(() => at.all(JSON.stringify(rows)).map((use) => ({ ...use, outcome: use.outcome ?? undefined })));
    },
  };
}
