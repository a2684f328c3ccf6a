// Databases as agents write them, made from rows in a JSON file: a database itself is no text that a person can check.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

export type Row = Record<string, unknown>;

export function insert(db: Database.Database, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const values = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      ]),
    );
    db.prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
    ).run(values);
  }
}

/** `rows` is a JSON file: `schema` lists the statements, and every other field is a table with its rows. */
export function makeDatabase(file: string, rows: string): void {
  const { schema, ...tables } = JSON.parse(fs.readFileSync(rows, 'utf8')) as Record<string, Row[]> & {
    schema: string[];
  };
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = OFF');
  for (const sql of schema) db.exec(sql);
  for (const [table, all] of Object.entries(tables)) insert(db, table, all);
  db.close();
}
