// Which of several files is the earliest, whatever the order of import.
import type { Connection } from '../sqlite/connection.ts';

interface FileFacts {
  readonly key: string;
  readonly born_at: number | null;
  readonly last_at: number | null;
  readonly subagent: string | null;
}

/** Reads what decides between files. */
export function fileFacts(connection: Connection): (file: number) => FileFacts | undefined {
  const facts = connection.statement<[number], FileFacts>(
    `SELECT f.key, f.born_at, f.subagent, max(coalesce((SELECT max(at) FROM entries WHERE file_id = f.id), 0),
       coalesce((SELECT max(e.at) FROM entry_copies c JOIN entries e ON e.id = c.entry_id WHERE c.file_id = f.id), 0)) AS last_at
     FROM files f WHERE f.id = ?`,
  );
  return (file) => facts.get(file);
}

/**
 * Picks the earliest of some files: by birth, or, if a fork repeats its origin's first lines, by the entries that
 * only one of them has. Answers are cached, and the order of the files does not matter.
 */
export function earliestFile(connection: Connection): () => (files: readonly number[]) => number {
  const facts = fileFacts(connection);
  const firstAlone = connection
    .statement<{ here: number; there: number }, number | null>(
      `SELECT min(at) FROM (
       SELECT e.at FROM entries e WHERE e.file_id = @here
         AND NOT EXISTS (SELECT 1 FROM entry_copies c WHERE c.entry_id = e.id AND c.file_id = @there)
       UNION ALL
       SELECT e.at FROM entry_copies k JOIN entries e ON e.id = k.entry_id WHERE k.file_id = @here AND e.file_id <> @there
         AND NOT EXISTS (SELECT 1 FROM entry_copies c WHERE c.entry_id = e.id AND c.file_id = @there))`,
    )
    .pluck();

  return () => {
    const known = new Map<number, FileFacts>();
    const compared = new Map<string, number>();
    const factsOf = (id: number): FileFacts => {
      const found = known.get(id) ?? (facts(id) as FileFacts);
      known.set(id, found);
      return found;
    };
    const compare = (a: number, b: number): number => {
      const [x, y] = [factsOf(a), factsOf(b)];
      const alone = (here: number, there: number) => firstAlone.get({ here, there }) ?? Number.NEGATIVE_INFINITY;
      return (
        order(x.subagent === null ? 0 : 1, y.subagent === null ? 0 : 1) ||
        order(x.born_at ?? Number.POSITIVE_INFINITY, y.born_at ?? Number.POSITIVE_INFINITY) ||
        order(alone(a, b), alone(b, a)) ||
        order(x.last_at ?? 0, y.last_at ?? 0) ||
        order(x.key, y.key)
      );
    };
    const isBefore = (a: number, b: number): boolean => {
      const pair = `${a} ${b}`;
      const result = compared.get(pair) ?? compare(a, b);
      compared.set(pair, result);
      return result < 0;
    };
    return (files) =>
      files
        .toSorted((a, b) => order(factsOf(a).key, factsOf(b).key))
        .reduce((best, next) => (isBefore(next, best) ? next : best));
  };
}

const order = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
