// Rows that an export does not carry, or carries without their numbers, from another database of the same origin: what is here stays.
import Database from 'better-sqlite3';

/** Their rows have names or numbers of their own, which no row of another table speaks of by its place. */
export const ownTables = [
  ...['groups', 'group_sessions', 'bookmarks', 'incoming', 'outgoing', 'host_runs', 'group_retries', 'tasks'],
  ...['pins', 'session_labels', 'project_links', 'session_states', 'archives', 'imports', 'memory_merges'],
] as const;
export type OwnTable = (typeof ownTables)[number];

/** Contract: both have the schema of this version, and nobody else writes the target. Returns how many rows each table got. */
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
        // No process may show the epoch of a group that it had before.
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

/** How much of what a person would miss a database holds. */
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
