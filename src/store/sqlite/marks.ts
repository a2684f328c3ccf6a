// How far a database, or a copy of it, is cleaned: the version of its redaction rules, and the items forgotten in it.
import fs from 'node:fs';
import Database from 'better-sqlite3';

export interface Marks {
  readonly redaction: number;
  readonly forgotten: number;
  readonly memories: number;
  /** The number of the last change. Of two copies of one database, the higher number is newer. */
  readonly changes: number;
}

/** Read-only. Undefined if the file is unreadable or not a Holdfast database. */
export function marksOf(file: string): Marks | undefined {
  if (!fs.existsSync(file)) return undefined;
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    const value = (sql: string) => Number((db as Database.Database).prepare(sql).pluck().get() ?? 0);
    return {
      redaction: value("SELECT json_extract(value, '$.done') FROM facts WHERE name = 'redaction'"),
      forgotten: value('SELECT count(*) FROM tombstones'),
      memories: value('SELECT count(*) FROM memory_tombstones'),
      changes: value('SELECT max(seq) FROM changes'),
    };
  } catch {
    // Damaged, or older than one of these tables.
    return undefined;
  } finally {
    db?.close();
  }
}
