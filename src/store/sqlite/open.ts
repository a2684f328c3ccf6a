// Opens the store: one SQLite database in WAL mode, which all ports share. An acknowledged commit is on disk.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { explain, HoldfastError } from '../../system/errors.ts';
import { adminPort } from '../admin/sqlite.ts';
import { archivesPort } from '../archives/sqlite.ts';
import { briefingsPort } from '../briefings/sqlite.ts';
import { changesPort } from '../changes/sqlite.ts';
import { conversationsPort } from '../conversations/sqlite.ts';
import { distilledPort } from '../distilled/sqlite.ts';
import { entriesPort } from '../entries/sqlite.ts';
import { groupsPort } from '../groups/sqlite.ts';
import { hubPort } from '../hub/sqlite.ts';
import { jobsPort } from '../jobs/sqlite.ts';
import { memoryPort } from '../memory/sqlite.ts';
import { messagesPort } from '../messages/sqlite.ts';
import { pagesPort } from '../pages/sqlite.ts';
import { pausesPort } from '../pauses/sqlite.ts';
import { pinsPort } from '../pins/sqlite.ts';
import { projectsPort } from '../projects/sqlite.ts';
import { removalPort } from '../removal/sqlite.ts';
import { runsPort } from '../runs/sqlite.ts';
import { searchPort } from '../search/sqlite.ts';
import { sessionsPort } from '../sessions/sqlite.ts';
import type { Store } from '../store.ts';
import { tasksPort } from '../tasks/sqlite.ts';
import { transcriptsPort } from '../transcripts/sqlite.ts';
import { transferPort } from '../transfer/sqlite.ts';
import { usagePort } from '../usage/sqlite.ts';
import { vaultPort } from '../vault/sqlite.ts';
import { vectorsPort } from '../vectors/sqlite.ts';
import { type BackupPlan, backUpFirst } from './backup-files.ts';
import { type Connection, connect } from './connection.ts';
import { copyInto, createPrivate, syncFile } from './copy.ts';
import { migrate } from './migrations.ts';
import { cannotWrite, openReadOnly } from './read-only.ts';
import { writeAhead } from './write-ahead.ts';

/** `trace` receives every statement that runs, with its values. With `backups`, a migration makes a copy first. */
export async function openSqliteStore(
  location: string,
  trace?: (sql: string) => void,
  backups?: BackupPlan,
): Promise<Store> {
  const connection = connect(open(location, trace, backups), location);
  return {
    get engine() {
      return `SQLite ${connection.statement('SELECT sqlite_version()').pluck().get()}`;
    },
    location,
    async close() {
      connection.db.close();
    },
    ...portsOf(connection),
  };
}

/** Every port, on one connection. */
export const portsOf = (connection: Connection): Omit<Store, 'engine' | 'location' | 'close'> => ({
  transcripts: transcriptsPort(connection),
  projects: projectsPort(connection),
  sessions: sessionsPort(connection),
  entries: entriesPort(connection),
  search: searchPort(connection),
  vectors: vectorsPort(connection),
  distilled: distilledPort(connection),
  conversations: conversationsPort(connection),
  jobs: jobsPort(connection),
  memory: memoryPort(connection),
  pages: pagesPort(connection),
  briefings: briefingsPort(connection),
  pins: pinsPort(connection),
  archives: archivesPort(connection),
  usage: usagePort(connection),
  vault: vaultPort(connection),
  groups: groupsPort(connection),
  messages: messagesPort(connection),
  runs: runsPort(connection),
  tasks: tasksPort(connection),
  hub: hubPort(connection),
  removal: removalPort(connection),
  pauses: pausesPort(connection),
  transfer: transferPort(connection),
  changes: changesPort(connection),
  admin: adminPort(connection),
});

function open(
  location: string,
  trace: ((sql: string) => void) | undefined,
  backups: BackupPlan | undefined,
): Database.Database {
  let db: Database.Database | undefined;
  try {
    // SQLite gives its side files the mode of the database, so create it private.
    if (!fs.existsSync(location)) {
      // Another process may do the same at this moment.
      createPrivate(location, 'a');
      syncFile(path.dirname(location));
    }
    db = new Database(location, { timeout: 5000, ...(trace && { verbose: (sql) => trace(String(sql)) }) });
    const copy = backups && ((file: string) => copyInto(db as Database.Database, file));
    migrate(db, location, copy && (() => backUpFirst(backups, copy, fs.statSync(location).size, Date.now())));
    writeAhead(db);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('cache_size = -16000');
    // A checkpoint rewrites pages that the next batch of an import changes again, so let several batches share one.
    db.pragma('wal_autocheckpoint = 4000');
    return db;
  } catch (error) {
    db?.close();
    if (cannotWrite(error, location)) return readable(location, error);
    throw explain(error, `the database ${location}`);
  }
}

/** If reading fails too, throws the error of the write attempt: that is the one a person needs to know. */
function readable(location: string, obstacle: unknown): Database.Database {
  try {
    return openReadOnly(location);
  } catch (error) {
    throw error instanceof HoldfastError ? error : explain(obstacle, `the database ${location}`);
  }
}
