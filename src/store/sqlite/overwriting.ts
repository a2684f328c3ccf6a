// Free bytes of the file must not keep the old content of changed or deleted rows.
import type { Database } from 'better-sqlite3';
import type { Connection, Run } from './connection.ts';

/** Writes that overwrite what they free. The log beside the database keeps the old content until it is emptied. */
export function overwriting({ db, write }: Connection): Run {
  let isOn = false;
  return (work) => {
    if (!isOn) db.pragma('secure_delete = ON');
    isOn = true;
    return write(work);
  };
}

/** False if a reader still needs the log. Does not wait for that reader. */
export function emptyLog(db: Database): boolean {
  const patience = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma('busy_timeout = 0');
  try {
    const [{ busy } = { busy: 1 }] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}
