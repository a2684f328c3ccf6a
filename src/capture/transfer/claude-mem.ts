// The database of claude-mem → lines of an export. It has prompts and what claude-mem derived from them, but no answers. If a session's
// transcript is already stored here, only the derived rows are imported.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import Database from 'better-sqlite3';
import type { ExportedEntry, ExportedLine } from '../../schema/exported.ts';
import { ObservationType } from '../../schema/observation.ts';
import { emptyState } from '../../schema/reader-state.ts';
import { toMoment } from '../../schema/time.ts';
import type { Store } from '../../store/store.ts';
import { explain, HoldfastError } from '../../system/errors.ts';

interface SessionRow {
  readonly session: string;
  readonly memory: string | null;
  readonly project: string;
  readonly source: string;
  readonly prompt: string | null;
  readonly at: number;
}

interface PromptRow {
  readonly number: number;
  readonly text: string;
  readonly at: number;
}

type Texts = Readonly<Record<string, string | null>>;
type MadeRow = Texts & { readonly number: number | null; readonly at: number; readonly tokens: number | null };

/** A prompt in this store's terms. */
interface Asked {
  readonly uuid: string;
  readonly prompt: number;
  readonly at: number;
}

export interface ClaudeMemReport {
  sessions: number;
  /** Sessions whose transcripts are stored here. */
  known: number;
  prompts: number;
  observations: number;
  summaries: number;
  /** What was left out because it has no counterpart here, in words. */
  left: string[];
}

const agent = 'claude-code';
const by = 'claude-mem';
const longestTitle = 120;
/** Distance between two prompts: positions must increase. */
const step = 10;

export async function* claudeMemLines(
  store: Pick<Store, 'entries' | 'projects' | 'transcripts'>,
  file: string,
  report: ClaudeMemReport,
): AsyncGenerator<ExportedLine> {
  const db = open(file);
  try {
    const tables = new Set(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all());
    const missing = ['sdk_sessions', 'observations', 'session_summaries'].filter((table) => !tables.has(table));
    if (missing.length > 0) throw notOne(file, `it has no table ${missing[0]}`);
    const projects = new Map((await store.projects.list()).map(({ name, path }) => [name, path]));
    const sessions = sessionsOf(db);
    let foreign = 0;
    for (const row of sessions) {
      if (row.source !== 'claude') {
        foreign++;
        continue;
      }
      report.sessions++;
      yield* sessionLines(db, store, row, projects.get(row.project) ?? row.project, tables.has('user_prompts'), report);
    }
    if (foreign > 0) report.left.push(`${foreign} sessions of other agents than Claude Code`);
    for (const [table, what] of [
      ['directives', 'rules of its own'],
      ['observation_feedback', 'marks on observations'],
      ['pending_messages', 'messages that it had not worked on yet'],
    ] as const) {
      const rows = tables.has(table) ? (db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number) : 0;
      if (rows > 0) report.left.push(`${rows} ${what} (${table})`);
    }
  } catch (error) {
    throw explain(error, file);
  } finally {
    db.close();
  }
}

function open(file: string): Database.Database {
  try {
    if (!fs.statSync(file).isFile()) throw notOne(file, 'it is not a file');
    const db = new Database(file, { readonly: true, fileMustExist: true });
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_NOTADB') throw notOne(file, 'it is no SQLite database');
    throw explain(error, file);
  }
}

const notOne = (file: string, why: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `${file} is not a database of claude-mem: ${why}`, {
    hint: 'It is usually called claude-mem.db. Nothing was changed.',
  });

const columnsOf = (db: Database.Database, table: string): Set<string> =>
  new Set((db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name));

/** Older versions use other names for the two ids of a session. */
const idColumns = (db: Database.Database, table: string) => {
  const columns = columnsOf(db, table);
  return {
    session: columns.has('content_session_id') ? 'content_session_id' : 'claude_session_id',
    memory: columns.has('memory_session_id') ? 'memory_session_id' : 'sdk_session_id',
    has: (name: string) => columns.has(name),
  };
};

function sessionsOf(db: Database.Database): SessionRow[] {
  const { session, memory, has } = idColumns(db, 'sdk_sessions');
  const source = has('platform_source') ? 'platform_source' : "'claude'";
  return db
    .prepare(
      `SELECT ${session} AS session, ${memory} AS memory, project, ${source} AS source, user_prompt AS prompt, started_at_epoch AS at
       FROM sdk_sessions WHERE ${session} IS NOT NULL AND ${session} <> '' ORDER BY started_at_epoch, id`,
    )
    .all() as SessionRow[];
}

async function* sessionLines(
  db: Database.Database,
  store: Pick<Store, 'entries' | 'transcripts'>,
  row: SessionRow,
  project: string,
  hasPrompts: boolean,
  report: ClaudeMemReport,
): AsyncGenerator<ExportedLine> {
  const { session } = row;
  const key = `claude-mem/${session}.jsonl`;
  const observations = madeOf(db, 'observations', row.memory);
  const summaries = madeOf(db, 'session_summaries', row.memory);
  const stored = await store.entries.prompts(agent, session);
  const taken = (await store.transcripts.state(agent, key)) !== undefined;
  let asked: Asked[] = stored.map(({ prompt, entry, at }) => ({ prompt, uuid: entry, at }));
  let isKnown = stored.length > 0;
  if (!isKnown || taken) {
    const prompts = promptsOf(db, row, hasPrompts);
    const entries =
      prompts.length > 0
        ? prompts.map((prompt) => promptEntry(session, prompt))
        : standIn(row, observations, summaries);
    if (entries.length === 0) return;
    isKnown = false;
    asked = entries.map((entry, i) => ({ uuid: entry.uuid, prompt: i + 1, at: entry.at }));
    report.prompts += prompts.length;
    yield fileOf(key, session, project, entries);
    yield* entries;
  } else report.known++;
  const made: ExportedLine[] = [];
  for (const [turn, rows] of byTurn(observations, asked, isKnown)) {
    made.push(observationOf(session, turn, rows));
    report.observations += rows.length;
    made.push(jobOf(session, 'observe', turn.prompt, turn.at));
  }
  const last = summaries.at(-1);
  if (last !== undefined) {
    made.push(summaryOf(session, last, asked.length, row));
    made.push(jobOf(session, 'summarize', 0, last.at));
    report.summaries++;
  }
  yield* made;
}

function promptsOf(db: Database.Database, row: SessionRow, hasPrompts: boolean): PromptRow[] {
  const found = hasPrompts
    ? (db
        .prepare(
          `SELECT prompt_number AS number, prompt_text AS text, created_at_epoch AS at FROM user_prompts
           WHERE ${idColumns(db, 'user_prompts').session} = ? AND trim(prompt_text) <> '' ORDER BY prompt_number, id`,
        )
        .all(row.session) as PromptRow[])
    : [];
  if (found.length > 0) return found;
  return row.prompt === null || row.prompt.trim() === '' ? [] : [{ number: 1, text: row.prompt, at: row.at }];
}

function madeOf(db: Database.Database, table: 'observations' | 'session_summaries', memory: string | null): MadeRow[] {
  if (memory === null) return [];
  const { memory: column, has } = idColumns(db, table);
  const tokens = has('discovery_tokens') ? 'discovery_tokens' : '0';
  const number = has('prompt_number') ? 'prompt_number' : 'NULL';
  return db
    .prepare(
      `SELECT *, ${number} AS number, created_at_epoch AS at, ${tokens} AS tokens FROM ${table} WHERE ${column} = ?
       ORDER BY created_at_epoch, id`,
    )
    .all(memory) as MadeRow[];
}

/** The same prompt always gets the same id. */
function uuidOf(...parts: readonly (string | number)[]): string {
  const hex = createHash('sha256')
    .update([by, ...parts].join('\0'))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const entryOf = (uuid: string, session: string, at: number, text: string, pos: number): ExportedEntry => ({
  ...{ is: 'entry', uuid, session, pos, at, role: 'user', author: 'person', form: null, text },
  ...{ tools: [], joinsAt: null, subagent: null, uses: [] },
});

const promptEntry = (session: string, { number, text, at }: PromptRow): ExportedEntry =>
  entryOf(uuidOf(session, number), session, at, text, number * step);

/** A session without a known prompt is imported too, if claude-mem derived something from it. */
function standIn(row: SessionRow, observations: readonly MadeRow[], summaries: readonly MadeRow[]): ExportedEntry[] {
  const text = summaries.at(-1)?.request ?? observations[0]?.title;
  if (text === null || text === undefined || text.trim() === '') return [];
  return [entryOf(uuidOf(row.session, 0), row.session, row.at, `[claude-mem kept no prompt] ${text}`, 0)];
}

const fileOf = (key: string, session: string, project: string, entries: readonly ExportedEntry[]): ExportedLine => ({
  is: 'file',
  ...{
    agent,
    key,
    partial: false,
    subagent: null,
    lines: entries.length,
    head: by,
    tail: '',
    state: emptyState(),
    reader: 0,
    malformed: 0,
  },
  offset: (entries.at(-1)?.pos ?? 0) + step,
  bornAt: entries[0]?.at ?? null,
  ...{ status: 'ok', error: null, copies: [] },
  sessions: [{ session, cwd: project, project, title: null, titleBy: null, facts: [] }],
  titles: [],
});

/** Groups rows by turn: there is one observation per turn here, and one per tool use in claude-mem. */
function byTurn(rows: readonly MadeRow[], asked: readonly Asked[], byTime: boolean): Map<Asked, MadeRow[]> {
  const turns = new Map<Asked, MadeRow[]>();
  for (const row of rows) {
    const numbered = byTime ? undefined : asked.find(({ prompt }) => prompt === row.number);
    const turn = numbered ?? asked.findLast(({ at }) => at <= row.at) ?? asked[0];
    if (turn !== undefined) turns.set(turn, [...(turns.get(turn) ?? []), row]);
  }
  return turns;
}

function observationOf(session: string, turn: Asked, rows: readonly MadeRow[]): ExportedLine {
  const first = rows[0] as MadeRow;
  const titles = rows.map((row) => titleOf(row.title ?? row.narrative ?? row.text));
  const lists = (name: string) => [...new Set(rows.flatMap((row) => listOf(row[name])))];
  const type = ObservationType.safeParse(first.type);
  return {
    is: 'observation',
    ...{ agent, session, prompt: turn.prompt, at: toMoment(rows.at(-1)?.at ?? turn.at) },
    type: type.success ? type.data : 'change',
    title: titles[0] as string,
    subtitle: (first.subtitle ?? '').slice(0, 300),
    // The titles of the other observations become facts of the turn.
    facts: [...new Set([...lists('facts'), ...titles.slice(1)])],
    narrative: rows
      .map((row) => row.narrative ?? row.text ?? '')
      .filter((text) => text.trim() !== '')
      .join('\n\n'),
    concepts: lists('concepts'),
    filesRead: lists('files_read'),
    filesModified: lists('files_modified'),
    tools: [],
    entries: [turn.uuid],
    by,
    tokens: rows.reduce((sum, { tokens }) => sum + Math.max(0, Math.trunc(tokens ?? 0)), 0),
  };
}

function summaryOf(session: string, row: MadeRow, prompts: number, of: SessionRow): ExportedLine {
  const text = (name: string) => row[name] ?? '';
  return {
    is: 'summary',
    ...{ agent, session, at: toMoment(row.at), prompts, title: titleOf(row.request ?? row.completed ?? of.prompt) },
    ...{ request: text('request'), investigated: text('investigated'), learned: text('learned') },
    ...{
      completed: text('completed'),
      outcome: text('completed'),
      nextSteps: text('next_steps'),
      notes: text('notes'),
    },
    filesRead: listOf(row.files_read),
    filesModified: listOf(row.files_edited),
    commits: [],
    by,
    tokens: Math.max(0, Math.trunc(row.tokens ?? 0)),
  };
}

/** Marked as done: our distiller would know less about the turn, or would cost tokens a second time. */
const jobOf = (session: string, kind: 'observe' | 'summarize', subject: number, at: number): ExportedLine => ({
  is: 'job',
  ...{ agent, session, kind, subject, file: null, version: null, status: 'done', at, attempts: 0, error: null },
  ...{ by, tokens: 0, updatedAt: at },
});

function titleOf(text: string | null | undefined): string {
  const line = (text ?? '').trim().split('\n', 1)[0] ?? '';
  if (line === '') return 'Untitled';
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1).toWellFormed()}…`;
}

/** A JSON list of texts. An empty value gives no text; any other value gives one. */
function listOf(json: string | null | undefined): string[] {
  if (json === null || json === undefined || json.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.map(String).filter((text) => text.trim() !== '') : [String(value)];
  } catch {
    return [json]; // Older versions wrote plain text.
  }
}
