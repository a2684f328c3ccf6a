// Rows of observations and summaries ↔ the schema's types.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Observation, ObservationType } from '../../schema/observation.ts';
import type { Summary } from '../../schema/summary.ts';
import { toMoment } from '../../schema/time.ts';
import type { NewObservation, NewSummary } from './port.ts';

interface Row {
  id: number;
  uid: string;
  session: string;
  agent: AgentName;
  project: string | null;
  at: number;
  title: string;
  files_read: string;
  files_modified: string;
  by: string;
  tokens: number;
}

export interface ObservationRow extends Row {
  prompt: number;
  type: ObservationType;
  subtitle: string;
  facts: string;
  narrative: string;
  concepts: string;
  tools: string;
  entries: string;
}

export interface SummaryRow extends Row {
  prompts: number;
  request: string;
  investigated: string;
  learned: string;
  completed: string;
  outcome: string;
  next_steps: string;
  notes: string;
  commits: string;
}

export const joins = 'JOIN sessions s ON s.id = d.session_id LEFT JOIN projects p ON p.id = s.project_id';
export const selectObservation = `SELECT d.*, s.session, s.agent, coalesce(p.label, p.name) AS project, (SELECT json_group_array(uuid) FROM
    (SELECT e.uuid FROM observation_entries x JOIN entries e ON e.id = x.entry_id WHERE x.observation_id = d.id ORDER BY x.place)) AS entries`;
export const selectSummary = 'SELECT d.*, s.session, s.agent, coalesce(p.label, p.name) AS project';

/** The indexed text apart from the title. */
export const observationText = (one: NewObservation): string =>
  [one.subtitle, ...one.facts, one.narrative, ...one.concepts, ...one.filesModified, ...one.filesRead].join('\n');

export const summaryText = (one: NewSummary): string =>
  [one.request, one.investigated, one.learned, one.completed, one.nextSteps, one.notes, ...one.filesModified].join(
    '\n',
  );

const strings = (json: string): string[] => JSON.parse(json) as string[];

export const toObservation = (row: ObservationRow): Observation => ({
  id: row.uid,
  session: row.session,
  agent: row.agent,
  project: row.project ?? '',
  at: toMoment(row.at),
  prompt: row.prompt,
  type: row.type,
  title: row.title,
  subtitle: row.subtitle,
  facts: strings(row.facts),
  narrative: row.narrative,
  concepts: strings(row.concepts),
  filesRead: strings(row.files_read),
  filesModified: strings(row.files_modified),
  tools: strings(row.tools),
  entries: strings(row.entries),
  by: row.by,
  tokens: row.tokens,
});

export const toSummary = (row: SummaryRow): Summary => ({
  id: row.uid,
  session: row.session,
  agent: row.agent,
  project: row.project ?? '',
  at: toMoment(row.at),
  prompts: row.prompts,
  title: row.title,
  request: row.request,
  investigated: row.investigated,
  learned: row.learned,
  completed: row.completed,
  outcome: row.outcome,
  nextSteps: row.next_steps,
  notes: row.notes,
  filesRead: strings(row.files_read),
  filesModified: strings(row.files_modified),
  commits: strings(row.commits),
  by: row.by,
  tokens: row.tokens,
});
