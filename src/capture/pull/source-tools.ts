// Opens agents' databases and JSON files: read-only, locked only for one short query at a time, with bounded memory.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import type Database from 'better-sqlite3';
import type { PullTools, SourceDatabase } from '../../agents/pull.ts';
import { HoldfastError, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';

/** A database up to this size that no program has open is read into memory, so that SQLite creates no file beside it. */
const smallDatabase = 32 << 20;
/** Larger than any session. */
const largestJson = 256 << 20;
/** If the agent is writing for longer, the next pull reads the database. */
const patienceMs = 200;

/** Loaded with the first database, because every command loads this module. */
const sqlite = (): typeof Database => createRequire(import.meta.url)('better-sqlite3');

/** `scratch` is a folder for a copy, used if the database's own folder is not writable. `close` closes everything that was opened. */
export function sourceTools(home: string, scratch: string): PullTools & { close(): void } {
  const open = new Map<string, Database.Database>();
  return {
    database(file): SourceDatabase {
      const db = open.get(file) ?? openDatabase(file, home, scratch);
      open.set(file, db);
      const statements = new Map<string, Database.Statement>();
      const prepare = (sql: string) => {
        const known = statements.get(sql) ?? db.prepare(sql);
        statements.set(sql, known);
        return known;
      };
      return {
        rows: (sql, ...values) => prepare(sql).all(...values) as Record<string, unknown>[],
        hasTable: (name) =>
          prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").all(name).length > 0,
      };
    },
    json,
    names,
    text,
    unpacked,
    stamp,
    writtenAt: (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs,
    close() {
      for (const db of open.values()) db.close();
      open.clear();
      fs.rmSync(scratch, { recursive: true, force: true });
    },
  };
}

function openDatabase(file: string, home: string, scratch: string): Database.Database {
  const small = fromMemory(file);
  if (small !== undefined) return small;
  try {
    const db = new (sqlite())(file, { readonly: true, timeout: patienceMs });
    // The first query opens the log beside the database, which may fail.
    db.prepare('SELECT 1 FROM sqlite_master').all();
    return db;
  } catch (error) {
    if (!/^SQLITE_(?:CANTOPEN|READONLY)/.test(systemCode(error) ?? '')) throw error;
    makeFolder(home, scratch);
    const copy = path.join(scratch, `${fs.readdirSync(scratch).length}.db`);
    for (const end of ['', '-wal']) if (fs.existsSync(file + end)) fs.copyFileSync(file + end, copy + end);
    return new (sqlite())(copy);
  }
}

/** Undefined if a program has the database open, or if it is too large. */
function fromMemory(file: string): Database.Database | undefined {
  if (fs.existsSync(`${file}-wal`)) return undefined;
  const before = fs.statSync(file);
  if (before.size === 0 || before.size > smallDatabase) return undefined;
  const bytes = fs.readFileSync(file);
  const after = fs.statSync(file);
  if (fs.existsSync(`${file}-wal`) || after.mtimeMs !== before.mtimeMs || after.size !== bytes.length) return undefined;
  // The header says that a WAL exists. There is no WAL file, and a database in memory cannot have one.
  if (bytes.length > 20) bytes.fill(1, 18, 20);
  return new (sqlite())(bytes, { readonly: true });
}

function text(file: string): string | undefined {
  try {
    return fs.statSync(file).size > largestJson ? undefined : fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Node has this function from version 22.15 on. */
const unzstd = (zlib as { zstdDecompressSync?: (bytes: Buffer, options: object) => Buffer }).zstdDecompressSync;

function unpacked(file: string): string | undefined {
  if (unzstd === undefined)
    throw new HoldfastError('UNREADABLE', `${file} is packed with zstd, which Node ${process.version} cannot read`, {
      hint: 'Run Holdfast with Node 22.15 or newer, or resume the session once: the agent then unpacks it.',
    });
  try {
    return unzstd(fs.readFileSync(file), { maxOutputLength: largestJson }).toString('utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function json(file: string): unknown {
  try {
    const said = text(file);
    return said === undefined ? undefined : JSON.parse(said);
  } catch (error) {
    // Half written: the next pull reads it whole.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function names(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function stamp(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.size}-${stat.mtimeMs}`;
}
