// An OpenCode database made from rows that the real program wrote, as large and as old as a test needs it.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { insert, type Row } from './source-database.ts';

export { insert };

interface Rows {
  readonly schema: readonly string[];
  readonly session: readonly Row[];
  readonly message: readonly (Row & { data: Row })[];
  readonly part: readonly (Row & { data: Row })[];
  readonly event_sequence: readonly Row[];
}

const fixture = path.join(import.meta.dirname, '../src/agents/opencode/fixtures/opencode-1.18.33.json');
export const openCodeRows = (): Rows => JSON.parse(fs.readFileSync(fixture, 'utf8')) as Rows;

/** Opens the database as the agent does: in WAL mode, with its tables. */
export function openCodeDatabase(file: string): Database.Database {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  const isNew = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'session'").get() === undefined;
  if (isNew) for (const sql of openCodeRows().schema) db.exec(sql);
  db.pragma('foreign_keys = OFF');
  return db;
}

/** The whole sample. */
export function fillWithSample(db: Database.Database): void {
  const rows = openCodeRows();
  for (const table of ['session', 'message', 'part', 'event_sequence'] as const) insert(db, table, rows[table]);
}

/** A separate session with as many turns as wanted, each of one prompt and one answer. */
export function addSession(
  db: Database.Database,
  session: string,
  turns: readonly { readonly prompt: string; readonly answer?: string | undefined }[],
  more: { readonly directory?: string; readonly from?: number; readonly title?: string } = {},
): void {
  const { directory = '/home/dev/proj', from = Date.parse('2026-03-02T09:00:00Z') } = more;
  const { title = `About ${session}` } = more;
  const own = { id: session, project_id: 'p', slug: session, directory, title, version: '1.18.33' };
  insert(db, 'session', [{ ...own, time_created: from, time_updated: from + turns.length }]);
  turns.forEach(({ prompt, answer }, i) => {
    const at = from + i * 60_000;
    const name = `${session}_${String(i).padStart(6, '0')}`;
    const say = (role: string, text: string, offset: number, done: boolean) => {
      const message = `msg_${name}_${offset}`;
      const time = { created: at + offset, ...(done ? { completed: at + offset + 1 } : {}) };
      const stamps = { time_created: at + offset, time_updated: at + offset };
      insert(db, 'message', [{ id: message, session_id: session, ...stamps, data: { role, time } }]);
      const part = { type: 'text', text, ...(done ? { time: { start: at, end: at + 1 } } : {}) };
      insert(db, 'part', [
        { id: `prt_${name}_${offset}`, message_id: message, session_id: session, ...stamps, data: part },
      ]);
    };
    say('user', prompt, 0, false);
    if (answer !== undefined) say('assistant', answer, 1, true);
  });
}
