// SQLite behind the Store interface: one connection, WAL, and a commit that is on the disk when it is acknowledged.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import type { Chunk, ConversationRules, FileState, FileStatus } from '../files.ts';
import type { Store } from '../store.ts';
import { activityRows } from './activity.ts';
import { archiveRows } from './archives.ts';
import { type BackupPlan, backUpFirst, draftOf } from './backup-files.ts';
import { briefingRows } from './briefings.ts';
import { changeRows } from './changes.ts';
import { committer } from './commit.ts';
import { conversationRows } from './conversations.ts';
import { deletion } from './deletion.ts';
import { derivedSearch } from './derived-search.ts';
import { digests } from './digest.ts';
import { distilledRows } from './distilled.ts';
import { exporting } from './exporting.ts';
import { fileTouches } from './file-touches.ts';
import { forgetting } from './forgetting.ts';
import { groupRows } from './groups.ts';
import { hostRows } from './host.ts';
import { hubRows } from './hub-rows.ts';
import { importing } from './importing.ts';
import { importNotes, importRows } from './imports.ts';
import { indexMerging } from './index-merging.ts';
import { jobRows } from './jobs.ts';
import { keywordRanking } from './keyword-ranking.ts';
import { labelRows } from './labels.ts';
import { appendToLedger, type Ledger, ledgerFile, ledgerLinesIn, ledgerOf } from './ledger.ts';
import { projectLinks } from './links.ts';
import { memoryIndex } from './memory-index.ts';
import { memoryRows } from './memory-rows.ts';
import { migrate } from './migrations.ts';
import { pauseRows } from './pauses.ts';
import { pinRows } from './pins.ts';
import { placeRows } from './places.ts';
import { prepareLater } from './prepared.ts';
import { reader } from './read.ts';
import { cannotWrite, openReadOnly } from './read-only.ts';
import { renewal } from './renewal.ts';
import { textRewriting } from './rewrite.ts';
import { keywordSearch } from './search.ts';
import { sessionStates } from './session-states.ts';
import { setAsideRows } from './set-aside.ts';
import { spendingRows } from './spending.ts';
import { timelines } from './timeline.ts';
import { transcripts } from './transcript.ts';
import { turnRows } from './turns.ts';
import { useRows } from './use-rows.ts';
import { vaultRows } from './vault.ts';
import { vectorRows } from './vectors.ts';

interface FileRow {
  id: number;
  agent: AgentName;
  key: string;
  offset: number;
  lines: number;
  head: string;
  tail: string;
  state: string;
  born_at: number | null;
  malformed: number;
  status: FileStatus;
  error: string | null;
  reader: number;
}

/** `trace` is told every statement that runs, with its values in place. With `backups`, a copy is made before a migration. */
export async function openSqliteStore(
  location: string,
  trace?: (sql: string) => void,
  backups?: BackupPlan,
): Promise<Store> {
  const db = open(location, trace, backups);
  const ledger = ledgerOf(db, location);
  const apply = committer(db);
  const noteImport = importNotes(db);
  const fileRows = db.prepare<[], FileRow>('SELECT * FROM files');
  const fileRow = db.prepare<[string, string], FileRow>('SELECT * FROM files WHERE agent = ? AND key = ?');
  const copies = db.prepare<[], { file_id: number; root: string; size: number }>('SELECT * FROM file_copies');
  const copiesOf = db.prepare<[number], { file_id: number; root: string; size: number }>(
    'SELECT * FROM file_copies WHERE file_id = ?',
  );
  const noteCopy = db.prepare(
    `INSERT INTO file_copies (file_id, root, size) SELECT id, @root, @size FROM files WHERE agent = @agent AND key = @key
     ON CONFLICT DO UPDATE SET size = excluded.size`,
  );
  const noteRoot = db.prepare(
    `INSERT INTO file_copies (file_id, root, size) SELECT id, @root, 0 FROM files WHERE agent = @agent AND key = @key
     ON CONFLICT DO NOTHING`,
  );
  const addFailed = db.prepare(
    `INSERT INTO files (agent, key, offset, lines, head, tail, state, malformed, status, error)
     VALUES (@agent, @key, 0, 0, '', '', '{}', 0, 'failed', @error)
     ON CONFLICT (agent, key) DO UPDATE SET status = 'failed', error = excluded.error`,
  );

  /** Every write runs here: one immediate transaction, so that two processes wait for each other instead of colliding. */
  const write = <T>(work: () => T): T => {
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
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explain(error, `the database ${location}`);
    }
  };

  return {
    get engine() {
      return `SQLite ${db.prepare('SELECT sqlite_version()').pluck().get()}`;
    },
    location,

    async fileStates(agent) {
      return read(() => {
        const byFile = groupCopies(copies.all());
        const rows = fileRows.all().filter((row) => agent === undefined || row.agent === agent);
        return rows.map((row) => toState(row, byFile.get(row.id) ?? []));
      });
    },
    async fileState(agent, key) {
      return read(() => {
        const row = fileRow.get(agent, key);
        return row === undefined ? undefined : toState(row, copiesOf.all(row.id));
      });
    },
    async commit(chunks: readonly Chunk[], rules: ConversationRules, note) {
      return undoneInMemory(db, ledger, () =>
        write(() => {
          const outcomes = chunks.map((chunk) => apply(chunk, rules));
          if (note !== undefined) noteImport(chunks, outcomes, note);
          return outcomes;
        }),
      );
    },
    async noteCopies(seen) {
      if (seen.length === 0) return;
      write(() => {
        for (const copy of seen) noteCopy.run(copy);
      });
    },
    async noteFailure(agent, key, root, error) {
      write(() => {
        addFailed.run({ agent, key, error });
        noteRoot.run({ agent, key, root });
      });
    },

    ...reader(db, read),
    ...transcripts(db, read),
    ...keywordSearch(db, read),
    ...keywordRanking(db, read),
    ...useRows(db, read),
    ...timelines(db, read),
    ...activityRows(db, read),
    ...digests(db, read),
    ...turnRows(db, read),
    ...distilledRows(db, read),
    ...derivedSearch(db, read),
    ...briefingRows(db, read, write),
    ...groupRows(db, read, write),
    ...hostRows(db, read, write),
    ...changeRows(db, read),
    ...pinRows(db, read, write),
    ...labelRows(db, write),
    ...projectLinks(db, read, write),
    ...conversationRows(db, read, write),
    ...pauseRows(db, read, write),
    ...archiveRows(db, read, write),
    ...vaultRows(db, read, write),
    ...fileTouches(db, read),
    ...textRewriting(db, write),
    ...renewal(db, write),
    ...indexMerging(db, read, write),
    ...sessionStates(db, read, write),
    ...setAsideRows(db, read, write),
    ...deletion(db, read, write),
    ...forgetting(db, read, write),
    ...exporting(location),
    ...importing(db, write),
    ...hubRows(db, location, read, write),
    ...jobRows(db, read, write),
    ...spendingRows(db, read, write),
    ...importRows(db, read),
    ...vectorRows(db, read, write),
    ...placeRows(db, read),
    ...memoryRows(db, read, write),
    ...memoryIndex(db, read),

    async size() {
      return ['', '-wal', '-shm'].reduce(
        (sum, side) => sum + (fs.statSync(location + side, { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
    },
    async probe() {
      read(() => db.prepare('SELECT count(*) FROM facts').get());
    },
    async shrink() {
      read(() => db.pragma('shrink_memory'));
    },
    async integrity() {
      return read(() => {
        const said = db.pragma('quick_check(20)') as { quick_check: string }[];
        const orphans = db.pragma('foreign_key_check') as { table: string }[];
        const problems = said.map((row) => row.quick_check).filter((line) => line !== 'ok');
        if (orphans.length > 0) problems.push(`${orphans.length} rows refer to rows that do not exist`);
        for (const table of ['entries', 'observations', 'summaries']) {
          const indexed = db.prepare(`SELECT count(*) FROM ${table}_fts_docsize`).pluck().get() as number;
          const rows = db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
          if (indexed !== rows) problems.push(`the search index holds ${indexed} of ${rows} ${table}`);
        }
        return problems;
      });
    },
    async backup(target) {
      if (fs.existsSync(target)) {
        throw new HoldfastError('CONFLICT', `${target} exists already`, {
          hint: 'Name a file that does not exist yet.',
        });
      }
      try {
        copyInto(db, target);
      } catch (error) {
        throw explain(error, target);
      }
    },
    async keepLedger() {
      appendToLedger(
        ledgerFile(location),
        read(() => ledgerLinesIn(db)),
      );
    },
    async close() {
      db.close();
    },
  };
}

function open(
  location: string,
  trace: ((sql: string) => void) | undefined,
  backups: BackupPlan | undefined,
): Database.Database {
  let db: Database.Database | undefined;
  try {
    // SQLite gives its side files the mode of the database: created closed, they stay closed.
    if (!fs.existsSync(location)) {
      // Another process may do the same at this moment.
      createPrivate(location, 'a');
      syncFile(path.dirname(location));
    }
    db = new Database(location, { timeout: 5000, ...(trace && { verbose: (sql) => trace(String(sql)) }) });
    const copy = backups && ((file: string) => copyInto(db as Database.Database, file));
    migrate(db, location, copy && (() => backUpFirst(backups, copy, fs.statSync(location).size, Date.now())));
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('cache_size = -16000');
    // A checkpoint rewrites pages that the next batch of an import changes again: let several share one.
    db.pragma('wal_autocheckpoint = 4000');
    prepareLater(db);
    return db;
  } catch (error) {
    db?.close();
    if (cannotWrite(error, location)) return readable(location, error);
    throw explain(error, `the database ${location}`);
  }
}

/** Where not even reading is possible, what stood in the way of writing is what a person has to know. */
function readable(location: string, obstacle: unknown): Database.Database {
  try {
    const db = openReadOnly(location);
    prepareLater(db);
    return db;
  } catch (error) {
    throw error instanceof HoldfastError ? error : explain(obstacle, `the database ${location}`);
  }
}

/** A copy of one moment, there when it is whole. */
function copyInto(db: Database.Database, target: string): void {
  const draft = draftOf(target);
  try {
    createPrivate(draft, 'w');
    db.prepare('VACUUM INTO ?').run(draft);
    syncFile(draft);
    fs.renameSync(draft, target);
    syncFile(path.dirname(target));
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

const createPrivate = (file: string, flag: 'a' | 'w'): void => fs.closeSync(fs.openSync(file, flag, 0o600));

function syncFile(file: string): void {
  const handle = fs.openSync(file, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

const toState = (row: FileRow, seen: readonly { root: string; size: number }[]): FileState => ({
  agent: row.agent,
  key: row.key,
  offset: row.offset,
  lines: row.lines,
  head: row.head,
  tail: row.tail,
  state: JSON.parse(row.state) as FileState['state'],
  bornAt: row.born_at ?? undefined,
  malformed: row.malformed,
  status: row.status,
  error: row.error ?? undefined,
  reader: row.reader,
  copies: new Map(seen.map((copy) => [copy.root, copy.size])),
});

function groupCopies<T extends { file_id: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.file_id);
    if (group === undefined) groups.set(row.file_id, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * SQLite notes for each statement how to undo it. In a large transaction it writes these notes to a file: six writes of seven that an import
 * makes. Here they stay in memory; they are as large as what one statement changes.
 */
function undoneInMemory<T>(db: Database.Database, ledger: Ledger, work: () => T): T {
  // A change of this setting drops all temporary triggers, and with them what keeps the ledger.
  db.pragma('temp_store = MEMORY');
  ledger.watch();
  try {
    return work();
  } finally {
    db.pragma('temp_store = DEFAULT');
    ledger.watch();
  }
}
