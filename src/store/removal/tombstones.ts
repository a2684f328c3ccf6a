// Checks whether an item was forgotten, in the transaction that would bring it back.
import type { Connection } from '../sqlite/connection.ts';

export function tombstoneRows(connection: Connection) {
  const any = connection.statement<[], number>('SELECT EXISTS (SELECT 1 FROM tombstones)').pluck();
  const has = connection.statement<[string], number>('SELECT 1 FROM tombstones WHERE print = ?').pluck();
  const add = connection.statement('INSERT INTO tombstones (print, at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    /** False for most people, who then pay nothing for hashing. */
    any: (): boolean => any.get() === 1,
    has: (print: string): boolean => has.get(print) === 1,
    add: (print: string, at: number): void => void add.run(print, at),
  };
}
