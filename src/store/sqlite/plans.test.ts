import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { connect } from './connection.ts';
import { migrate } from './migrations.ts';
import { portsOf } from './open.ts';

/** Every statement that the ports prepare, compiled on an empty database of the current version. */
function statements(): { db: Database.Database; all: readonly string[] } {
  const db = new Database(':memory:');
  migrate(db, ':memory:');
  const all: string[] = [];
  const connection = connect(db, ':memory:');
  portsOf({
    ...connection,
    statement: (sql) => {
      all.push(sql);
      return connection.statement(sql) as never;
    },
  });
  return { db, all };
}

const planOf = (db: Database.Database, sql: string): string[] =>
  (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values(sql)) as { detail: string }[]).map(({ detail }) => detail);

/** EXPLAIN wants a value for each parameter, and uses none. */
const values = (sql: string): unknown => {
  const names = [...sql.matchAll(/[@:$](\w+)/g)].map(([, name]) => name as string);
  return names.length > 0
    ? Object.fromEntries(names.map((name) => [name, null]))
    : (sql.match(/\?/g) ?? []).map(() => null);
};

it('a list of ids is read once, and each id is looked up by an index', () => {
  const { db, all } = statements();
  const listed = all.filter((sql) => /FROM json_each\([^)]*\) j\b/.test(sql));
  expect(listed.length).toBeGreaterThan(5);
  const wrong = listed.flatMap((sql) => {
    const steps = planOf(db, sql).filter((step) => /^(?:SCAN|SEARCH)/.test(step));
    return steps.find((step) => step.startsWith('SCAN j ')) !== steps[0] ? [{ sql, steps }] : [];
  });
  expect(wrong).toEqual([]);
});
