// Changes to the files and databases that sessions are pulled from, as an agent or an accident makes them.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { insert, type Row } from '../source-database.ts';

/** What to add to a source: `line` to the messages of the file `in`, `rows` to the database `in`, or files. */
export interface Addition {
  readonly in?: string;
  readonly line?: Row;
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
  readonly files?: Readonly<Record<string, unknown>>;
}

/** Where the messages of a database are. */
interface Messages {
  readonly table: string;
  readonly column: string;
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Adds `line` three times; rows and files are listed one by one. */
export function add(below: string, addition: Addition): void {
  const { in: file = '', line, rows = {}, files = {} } = addition;
  if (line !== undefined) rewriteFile(path.join(below, file), (all) => [...all, line, line, line]);
  if (Object.keys(rows).length > 0) {
    const db = new Database(path.join(below, file));
    for (const [table, all] of Object.entries(rows)) insert(db, table, all);
    db.close();
  }
  for (const [name, value] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(below, name)), { recursive: true });
    fs.writeFileSync(path.join(below, name), JSON.stringify(value));
  }
}

export type Rewrite = (messages: readonly unknown[]) => readonly unknown[];

/** Writes a source again with other messages. Returns false if it has no list of messages. */
export function rewrite(file: string, messages: Messages | undefined, how: Rewrite): boolean {
  if (messages === undefined) return rewriteFile(file, how);
  const { table, column } = messages;
  const db = new Database(file);
  // A row may be written again before the rows that refer to it.
  db.pragma('foreign_keys = OFF');
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() as Row[];
  db.exec(`DELETE FROM ${table}`);
  for (const [i, message] of how(rows).entries()) {
    // A message that was not there before is JSON in a row like the others.
    const isRow = rows.includes(message as Row);
    const like = rows[0] as Row;
    const id = typeof like.id === 'number' ? undefined : `${String(like.id)}_${i}`;
    const row = isRow ? (message as Row) : { ...like, id, [column]: JSON.stringify(message) };
    // Rows get new numbers, as when an agent replaces a conversation.
    const { id: own, ...rest } = row;
    insert(db, table, [typeof own === 'string' ? row : rest]);
  }
  db.close();
  return true;
}

function rewriteFile(file: string, how: Rewrite): boolean {
  const text = fs.readFileSync(file, 'utf8');
  if (file.endsWith('.jsonl')) {
    const all = how(lines(text).map((line) => JSON.parse(line)));
    fs.writeFileSync(file, all.map((value) => `${JSON.stringify(value)}\n`).join(''));
    return true;
  }
  const whole = JSON.parse(text) as unknown;
  if (Array.isArray(whole)) fs.writeFileSync(file, JSON.stringify(how(whole)));
  else {
    const { messages } = whole as { messages?: unknown };
    if (!Array.isArray(messages)) return false;
    fs.writeFileSync(file, JSON.stringify({ ...(whole as Row), messages: how(messages) }));
  }
  return true;
}
