// Statements that are compiled when they are first used: of some four hundred, a command or a hook needs a dozen.
import type { Database, Statement } from 'better-sqlite3';

type Made = Statement<unknown[], unknown>;

/** From now on `db.prepare` compiles nothing: the statement does, with its first run. What is wrong with its SQL is thrown there. */
export function prepareLater(db: Database): void {
  const compile = db.prepare.bind(db) as (sql: string) => Made;
  db.prepare = ((sql: string) => later(() => compile(sql))) as unknown as Database['prepare'];
}

function later(compile: () => Made): Pick<Made, 'run' | 'get' | 'all' | 'iterate' | 'pluck' | 'raw'> {
  let made: Made | undefined;
  let shape: 'pluck' | 'raw' | undefined;
  const statement = (): Made => {
    if (made === undefined) {
      made = compile();
      if (shape !== undefined) made[shape]();
    }
    return made;
  };
  const shaped = (as: 'pluck' | 'raw') => () => {
    shape = as;
    made?.[as]();
    return self as Made;
  };
  const self = {
    run: (...values: unknown[]) => statement().run(...values),
    get: (...values: unknown[]) => statement().get(...values),
    all: (...values: unknown[]) => statement().all(...values),
    iterate: (...values: unknown[]) => statement().iterate(...values),
    pluck: shaped('pluck'),
    raw: shaped('raw'),
  };
  return self;
}
