// Whether something was forgotten, asked in the transaction that would bring it back.
import type { Database } from 'better-sqlite3';

export function tombstoneRows(db: Database) {
  const any = db.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM tombstones)').pluck();
  const has = db.prepare<[string], number>('SELECT 1 FROM tombstones WHERE print = ?').pluck();
  const add = db.prepare('INSERT INTO tombstones (print, at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    /** False for nearly everybody: then nobody pays for prints. */
    any: (): boolean => any.get() === 1,
    has: (print: string): boolean => has.get(print) === 1,
    add: (print: string, at: number): void => void add.run(print, at),
  };
}
