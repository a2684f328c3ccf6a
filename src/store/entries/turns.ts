// A session's entries, split into turns: a person's prompt and everything up to the next.

import type { TitleSource } from '../../schema/session-fact.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort, StoredTurn, StoredTurns } from './port.ts';
import { type EntryRow, entryColumns, type ToolRow, toEntry, toToolUse } from './rows.ts';

/** A longer turn gives only its first and last entries. */
const firstEntries = 300;
const lastEntries = 900;
/** A session with more turns gives only the first and last ones. */
const firstTurns = 60;
const lastTurns = 240;
/** A longer text gives only its two ends. */
const ends = 8000;

/** How many previous prompts come with a turn, and how much of each. */
const promptsBefore = 3;
const beginning = 1000;

const inMain = 'e.subagent IS NULL AND e.abandoned = 0';

/** Where a turn begins, and the position of the next prompt in the same file. */
interface Stretch {
  readonly prompt: number;
  readonly session_id: number;
  readonly file_id: number;
  readonly from: number;
  readonly to: number;
  readonly before: readonly string[];
}

interface PlaceRow extends Omit<StoredTurns, 'turns' | 'prompts' | 'titleSource' | 'branches' | 'links'> {
  readonly id: number;
  readonly title_by: TitleSource | null;
  readonly facts: string;
  readonly file_id: number | null;
}

interface PromptRow {
  readonly session_id: number;
  readonly file_id: number;
  readonly pos: number;
  readonly uuid: string;
  readonly at: number;
  readonly text: string;
}

export function turnRows(connection: Connection): Pick<EntriesPort, 'prompts' | 'turns'> {
  const { read: run } = connection;
  const prompts = connection.statement<[string, string], PromptRow>(
    `SELECT e.session_id, e.file_id, e.pos, e.uuid, e.at, substr(e.text, 1, ${beginning}) AS text FROM sessions s
       JOIN entries e INDEXED BY entries_by_person ON e.session_id = s.id AND e.author = 'person' JOIN files f ON f.id = e.file_id
     WHERE s.session = ? AND s.agent = ? AND ${inMain} ORDER BY f.born_at, f.key, e.pos`,
  );
  const place = connection.statement<[string, string], PlaceRow>(
    `SELECT s.id, coalesce(p.name, '') AS project, coalesce(p.path, '') AS projectPath, coalesce(s.cwd, '') AS cwd,
       coalesce(s.title, '') AS title, s.title_by,
       (SELECT json_group_array(json_array(x.kind, x.value) ORDER BY f.born_at DESC, f.key, x.pos DESC) FROM session_facts x
          JOIN files f ON f.id = x.file_id WHERE x.session_id = s.id AND x.kind IN ('branch', 'link')) AS facts,
       (SELECT f.id FROM file_sessions x JOIN files f ON f.id = x.file_id
         WHERE x.session_id = s.id AND f.subagent IS NULL ORDER BY f.born_at, f.key LIMIT 1) AS file_id
     FROM sessions s LEFT JOIN projects p ON p.id = s.project_id WHERE s.session = ? AND s.agent = ?`,
  );
  const places = connection
    .statement<[number, number, number, number], number>(
      `SELECT e.id FROM entries e WHERE e.file_id = ? AND e.pos >= ? AND e.pos < ? AND e.session_id = ? AND ${inMain} ORDER BY e.pos`,
    )
    .pluck();
  const text = `CASE WHEN length(e.text) <= ${2 * ends} THEN e.text
    ELSE substr(e.text, 1, ${ends}) || char(10) || '…' || char(10) || substr(e.text, -${ends}) END AS text`;
  const entries = connection.statement<[string], EntryRow>(
    `SELECT ${entryColumns.replace('e.text', text)} FROM json_each(?) j JOIN entries e ON e.id = j.value
     JOIN sessions s ON s.id = e.session_id ORDER BY j.key`,
  );
  const toolUses = connection.statement<[string], ToolRow>(
    `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM json_each(?) j
     JOIN entries e ON e.id = j.value JOIN tool_uses t ON t.entry_id = e.id WHERE e.tools IS NOT NULL ORDER BY j.key, t.id`,
  );

  function stretches({ id, file_id }: PlaceRow, rows: readonly PromptRow[]): Stretch[] {
    const found = rows.map((row, i): Stretch => {
      const next = rows[i + 1];
      const to = next?.file_id === row.file_id ? next.pos : Number.MAX_SAFE_INTEGER;
      const before = rows.slice(Math.max(0, i - promptsBefore), i).map(({ text }) => text);
      return { prompt: i + 1, session_id: id, file_id: row.file_id, from: row.pos, to, before: before.reverse() };
    });
    const [first] = found;
    const file = first?.file_id ?? file_id;
    const to = first?.from ?? Number.MAX_SAFE_INTEGER;
    return file === null ? found : [{ prompt: 0, session_id: id, file_id: file, from: 0, to, before: [] }, ...found];
  }

  function read({ prompt, session_id, file_id, from, to, before }: Stretch): StoredTurn | undefined {
    const all = places.all(file_id, from, to, session_id);
    if (all.length === 0) return undefined;
    const ids = JSON.stringify(headAndTail(all, firstEntries, lastEntries));
    return { prompt, before, entries: entries.all(ids).map(toEntry), toolUses: toolUses.all(ids).map(toToolUse) };
  }

  return {
    async prompts(agent, session) {
      return run(() => prompts.all(session, agent).map(({ uuid, at }, i) => ({ prompt: i + 1, entry: uuid, at })));
    },
    async turns(agent, session, prompt) {
      return run(() => {
        const row = place.get(session, agent);
        if (row === undefined) return undefined;
        const rows = prompts.all(session, agent);
        const wanted = stretches(row, rows).filter((stretch) => prompt === undefined || stretch.prompt === prompt);
        const turns = headAndTail(wanted, firstTurns, lastTurns).flatMap((stretch) => read(stretch) ?? []);
        const { project, projectPath, cwd, title, title_by } = row;
        const facts = JSON.parse(row.facts) as [string, string][];
        const all = (kind: string) => [...new Set(facts.filter(([of]) => of === kind).map(([, value]) => value))];
        const named = title_by === null ? {} : { titleSource: title_by };
        const said = { branches: all('branch'), links: all('link') };
        return { project, projectPath, cwd, title, ...named, ...said, prompts: rows.length, turns };
      });
    },
  };
}

const headAndTail = <T>(all: readonly T[], first: number, last: number): readonly T[] =>
  all.length <= first + last ? all : [...all.slice(0, first), ...all.slice(-last)];
