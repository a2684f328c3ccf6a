// The hashes of forgotten items, and the pauses, are also in a file beside the database, so that losing the
// database does not undo them. Lines are only ever appended. Readers skip a line that a crash truncated.
import fs from 'node:fs';
import path from 'node:path';
import type { Database } from 'better-sqlite3';
import type { ExportedRow } from '../../schema/exported.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { syncFolder } from '../../system/replace-file.ts';

export type LedgerLine = Extract<ExportedRow, { is: 'tombstone' | 'memory-tombstone' | 'pause' }>;

/** The ledger in the data folder of a database. */
export const ledgerFile = (location: string): string => path.join(path.dirname(location), 'never-again.jsonl');

/** Of several lines about one pause, the last counts. */
export function readLedger(file: string): LedgerLine[] {
  const known = new Map<string, LedgerLine>();
  for (const text of textOf(file).split('\n')) {
    const line = parsed(text);
    if (line !== undefined) known.set(nameOf(line), line);
  }
  return [...known.values()];
}

/** Appends the lines that the file lacks. They are on disk when this returns. */
export function appendToLedger(file: string, lines: readonly LedgerLine[]): void {
  if (lines.length === 0) return;
  try {
    const before = textOf(file);
    const known = new Map(readLedger(file).map((line) => [nameOf(line), JSON.stringify(line)]));
    const fresh = lines.filter((line) => known.get(nameOf(line)) !== JSON.stringify(line));
    if (fresh.length === 0) return;
    const cut = before === '' || before.endsWith('\n') ? '' : '\n';
    const fd = fs.openSync(file, 'a', 0o600);
    try {
      fs.writeFileSync(fd, cut + fresh.map((line) => `${JSON.stringify(line)}\n`).join(''));
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    if (before === '') syncFolder(path.dirname(file));
  } catch (error) {
    throw explain(error, file);
  }
}

/** Two lines with the same name are about the same item. */
const nameOf = (line: LedgerLine): string => `${line.is} ${line.is === 'pause' ? line.from : line.print}`;

function parsed(text: string): LedgerLine | undefined {
  try {
    const line = JSON.parse(text) as Record<string, unknown>;
    if (line.is === 'pause' && typeof line.from === 'number')
      return { is: 'pause', from: line.from, until: typeof line.until === 'number' ? line.until : null };
    if (typeof line.print !== 'string') return undefined;
    if (line.is === 'memory-tombstone') return { is: line.is, print: line.print };
    return line.is === 'tombstone' ? { is: line.is, print: line.print, at: Number(line.at) || 0 } : undefined;
  } catch {
    // An empty line, or one that a crash truncated.
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw explain(error, file);
  }
}

export interface Ledger {
  /**
   * Records what this connection adds. Call it again after anything that drops
   * temporary triggers, such as a change of `temp_store`.
   */
  watch(): void;
  /** Called inside a transaction, after its work: hashes and new pauses reach the disk before the rows do. */
  beforeCommit(): void;
  /** A pause ends only with its row: until the commit, nothing may be kept. */
  afterCommit(): void;
  /** The transaction was rolled back. */
  drop(): void;
}

/** Records every row that this connection adds, whichever statement adds it. */
export function ledgerOf(db: Database, location: string): Ledger {
  const file = ledgerFile(location);
  let first: LedgerLine[] = [];
  let then: LedgerLine[] = [];
  db.function('note_tombstone', { directOnly: false }, (print, at) => {
    first.push({ is: 'tombstone', print: String(print), at: Number(at) });
    return null;
  });
  db.function('note_memory', { directOnly: false }, (print) => {
    first.push({ is: 'memory-tombstone', print: String(print) });
    return null;
  });
  db.function('note_pause', { directOnly: false }, (from, until) => {
    if (until === null) first.push({ is: 'pause', from: Number(from), until: null });
    else then.push({ is: 'pause', from: Number(from), until: Number(until) });
    return null;
  });
  // If the clock was changed, a pause may get a new start; then the line of the old start ends too.
  const watch = () =>
    db.exec(`
    CREATE TEMP TRIGGER IF NOT EXISTS tombstone_noted AFTER INSERT ON main.tombstones BEGIN SELECT note_tombstone(new.print, new.at); END;
    CREATE TEMP TRIGGER IF NOT EXISTS memory_noted AFTER INSERT ON main.memory_tombstones BEGIN SELECT note_memory(new.print); END;
    CREATE TEMP TRIGGER IF NOT EXISTS pause_noted AFTER INSERT ON main.pauses BEGIN SELECT note_pause(new.from_at, new.until_at); END;
    CREATE TEMP TRIGGER IF NOT EXISTS pause_end_noted AFTER UPDATE ON main.pauses BEGIN
      SELECT note_pause(old.from_at, new.until_at);
      SELECT note_pause(new.from_at, new.until_at);
    END;
  `);
  watch();
  const append = (lines: LedgerLine[]) => location !== ':memory:' && appendToLedger(file, lines);
  return {
    watch,
    beforeCommit() {
      append(first);
      first = [];
    },
    afterCommit() {
      append(then);
      then = [];
    },
    drop() {
      first = [];
      then = [];
    },
  };
}

/** All such rows of a database, to complete a file that lacks some. */
export function ledgerLinesIn(db: Database): LedgerLine[] {
  const tombstones = db.prepare<[], { print: string; at: number }>('SELECT print, at FROM tombstones ORDER BY seq');
  const memories = db.prepare<[], { print: string }>('SELECT print FROM memory_tombstones');
  const pauses = db.prepare<[], { from: number; until: number | null }>(
    'SELECT from_at AS "from", until_at AS "until" FROM pauses ORDER BY id',
  );
  return [
    ...tombstones.all().map((row) => ({ is: 'tombstone' as const, ...row })),
    ...memories.all().map((row) => ({ is: 'memory-tombstone' as const, ...row })),
    ...pauses.all().map((row) => ({ is: 'pause' as const, ...row })),
  ];
}
