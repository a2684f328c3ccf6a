// Rows → entries and tool uses.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Author, Entry, EntryForm, Role } from '../../schema/entry.ts';
import { toMoment } from '../../schema/time.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { UseAt } from './port.ts';

export interface EntryRow {
  uuid: string;
  session: string;
  agent: AgentName;
  role: Role;
  author: Author;
  form: EntryForm | null;
  at: number;
  text: string;
  tools: string | null;
  subagent: string | null;
  abandoned: number;
  gone: number;
}

export const entryColumns =
  'e.uuid, s.session, s.agent, e.role, e.author, e.form, e.at, e.text, e.tools, e.subagent, e.abandoned, e.gone';

export const toEntry = (row: EntryRow): Entry => ({
  id: row.uuid,
  session: row.session,
  agent: row.agent,
  role: row.role,
  author: row.author,
  ...(row.form === null ? {} : { form: row.form }),
  at: toMoment(row.at),
  text: row.text,
  tools: row.tools === null ? [] : (JSON.parse(row.tools) as string[]),
  ...(row.subagent === null ? {} : { subagent: row.subagent }),
  abandoned: row.abandoned === 1,
  ...(row.gone === 1 ? { gone: true } : {}),
});

export interface ToolRow {
  use_id: string;
  uuid: string;
  tool: string;
  at: number;
  input: string;
  files: string | null;
  outcome: 'ok' | 'error' | null;
  output: string | null;
}

export const toToolUse = (row: ToolRow): ToolUse => ({
  id: row.use_id,
  entry: row.uuid,
  tool: row.tool,
  at: toMoment(row.at),
  input: row.input,
  files: row.files === null ? [] : (JSON.parse(row.files) as string[]),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.output === null ? {} : { output: row.output }),
});

export interface UseRow {
  row: number;
  use: number;
  file: string | null;
  tool: string;
  outcome: 'ok' | 'error' | null;
}

export const useColumns = 't.entry_id AS row, t.id AS "use", t.tool, t.outcome, t.files ->> 0 AS file';

export const toUseAt = (row: UseRow): UseAt => ({
  ...row,
  outcome: row.outcome ?? undefined,
  file: row.file ?? undefined,
});

export const likeAnywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
