// Copies rows that an export omits, or exports without their ids, from
// another database of the same origin. Existing rows stay.
import Database from 'better-sqlite3';

/** Tables whose rows have names or ids of their own, so that they can be copied unchanged. */
export const ownTables = [
  ...['groups', 'group_sessions', 'bookmarks', 'incoming', 'outgoing', 'host_runs', 'group_retries', 'tasks'],
  ...['pins', 'session_labels', 'project_links', 'session_states', 'archives', 'imports', 'memory_merges'],
] as const;
export type OwnTable = (typeof ownTables)[number];

/**
 * Contract: both databases have the schema of this version, and no other process writes the target. Returns the number
 * of rows added to each table.
 */
export function mergeTables(
  target: string,
  source: string,
  tables: readonly OwnTable[] = ownTables,
): Partial<Record<OwnTable, number>> {
  const db = new Database(target, { timeout: 5000 });
  try {
    db.prepare('ATTACH ? AS other').run(source);
    return db
      .transaction(() => {
        const taken: Partial<Record<OwnTable, number>> = {};
        for (const table of tables) {
          const columns = (db.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
          const list = columns.join(', ');
          taken[table] = db
            .prepare(`INSERT OR IGNORE INTO main.${table} (${list}) SELECT ${list} FROM other.${table}`)
            .run().changes;
        }
        // Raise the counter, so that no process can present an epoch that a merged group already had.
        db.exec('UPDATE main.group_epoch SET last = max(last, (SELECT coalesce(max(epoch), 0) FROM main.groups))');
        return taken;
      })
      .immediate();
  } finally {
    db.close();
  }
}

const counted = {
  ...{ transcripts: 'files', sessions: 'sessions', entries: 'entries', toolUses: 'tool_uses' },
  ...{ conversations: 'conversations', observations: 'observations', summaries: 'summaries' },
  ...{ extractions: 'extractions', statements: 'statements WHERE extraction_id IS NULL', edits: 'memory_edits' },
  ...{ pins: 'pins', labels: 'session_labels', groups: 'groups', bookmarks: 'bookmarks', tasks: 'tasks' },
  ...{ messagesIn: 'incoming', messagesOut: 'outgoing', archives: 'archives' },
  ...{ forgotten: 'tombstones', memoriesForgotten: 'memory_tombstones', pauses: 'pauses' },
} as const;
export type RowCounts = Readonly<Record<keyof typeof counted, number>>;

/** Counts the rows that a person would miss. */
export function rowCounts(file: string): RowCounts {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return Object.fromEntries(
      Object.entries(counted).map(([name, from]) => [name, db.prepare(`SELECT count(*) FROM ${from}`).pluck().get()]),
    ) as RowCounts;
  } finally {
    db.close();
  }
}
