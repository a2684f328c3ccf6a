// What every port's SQLite code uses: one open database, ways to read and
// write it, and statements that compile on first use.
import type { Database, Statement } from 'better-sqlite3';
import { explain } from '../../system/errors.ts';
import { ledgerOf } from './ledger.ts';

/** Runs `work`, and explains errors from SQLite. */
export type Run = <T>(work: () => T) => T;

export interface Statements {
  /**
   * Does not compile yet: of some four hundred statements, a command or a
   * hook needs a dozen. Wrong SQL throws at the first run.
   */
  statement<Values extends object = unknown[], Row = unknown>(
    sql: string,
  ): Values extends unknown[] ? LazyStatement<Values, Row> : LazyStatement<[Values], Row>;
}

export interface Connection extends Statements {
  readonly db: Database;
  /** The path of the database file. */
  readonly location: string;
  readonly read: Run;
  /** One immediate transaction, so that two processes wait for each other instead of failing. */
  readonly write: Run;
  /** The same for a transaction that changes thousands of rows, such as a batch of an import. */
  readonly writeMany: Run;
}

export interface LazyStatement<Values extends unknown[], Row>
  extends Pick<Statement<Values, Row>, 'run' | 'get' | 'all' | 'iterate'> {
  pluck(): LazyStatement<Values, Row>;
  raw(): LazyStatement<Values, Row>;
}

/** So many small transactions in a row are no longer part of an import. */
const smallInARow = 20;

/** Every write goes through here, and so into the ledger. */
export function connect(db: Database, location: string): Connection {
  const ledger = ledgerOf(db, location);
  let isInMemory = false;
  let small = 0;
  const write: Run = (work) => {
    if (isInMemory && ++small === smallInARow) setInMemory(false);
    return transaction(work);
  };
  const transaction: Run = (work) => {
    try {
      const done = db
        .transaction(() => {
          const result = work();
          ledger.beforeCommit();
          return result;
        })
        .immediate();
      ledger.afterCommit();
      return done;
    } catch (error) {
      ledger.drop();
      throw explain(error, `the database ${location}`);
    }
  };
  const read: Run = (work) => {
    try {
      return work();
    } catch (error) {
      throw explain(error, `the database ${location}`);
    }
  };
  /** Drops all temporary triggers, including those that feed the ledger, and makes SQLite compile all statements again. */
  function setInMemory(wanted: boolean): void {
    db.pragma(`temp_store = ${wanted ? 'MEMORY' : 'DEFAULT'}`);
    isInMemory = wanted;
    ledger.watch();
  }
  /**
   * SQLite keeps an undo journal for each statement. In a large transaction it goes to a file: six of seven writes of
   * an import. Here it stays in memory, where it is as large as the changes of one statement. Small transactions never
   * write that file. So several of them in a row switch back: an import has a few between its batches.
   */
  const writeMany: Run = (work) => {
    if (!isInMemory) setInMemory(true);
    small = 0;
    return transaction(work);
  };
  return { ...statementsOf(db), db, location, read, write, writeMany };
}

type Compiled = Statement<unknown[], unknown>;

export const statementsOf = (db: Database): Statements => ({
  // The caller states the types of values and rows: SQL has none that the compiler could check.
  statement: ((sql: string) => lazy(() => db.prepare(sql) as Compiled)) as unknown as Statements['statement'],
});

function lazy(compile: () => Compiled): LazyStatement<unknown[], unknown> {
  let made: Compiled | undefined;
  let shape: 'pluck' | 'raw' | undefined;
  const statement = (): Compiled => {
    if (made === undefined) {
      made = compile();
      if (shape !== undefined) made[shape]();
    }
    return made;
  };
  const shaped = (as: 'pluck' | 'raw') => () => {
    shape = as;
    made?.[as]();
    return self;
  };
  const self: LazyStatement<unknown[], unknown> = {
    run: (...values) => statement().run(...values),
    get: (...values) => statement().get(...values),
    all: (...values) => statement().all(...values),
    iterate: (...values) => statement().iterate(...values),
    pluck: shaped('pluck'),
    raw: shaped('raw'),
  };
  return self;
}
