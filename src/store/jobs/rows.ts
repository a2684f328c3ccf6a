// Jobs as rows, and the conditions that select them.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Job, JobKind, JobStatus } from '../../schema/job.ts';
import { toMoment } from '../../schema/time.ts';
import type { ClaimedJob, JobFilter } from './port.ts';

export interface JobRow {
  id: number;
  kind: JobKind;
  agent: AgentName;
  session: string;
  session_id: number;
  project: string | null;
  subject: number;
  version: string;
  claimed_version: string | null;
  status: JobStatus;
  material_at: number;
  not_before: number;
  waits_for: string | null;
  attempts: number;
  error: string | null;
  by: string | null;
  tokens: number;
  updated_at: number;
}

export const select = `SELECT j.*, s.agent, s.session, coalesce(p.label, p.name) AS project FROM jobs j JOIN sessions s ON s.id = j.session_id
  LEFT JOIN projects p ON p.id = s.project_id`;
// Summaries and memories are made from observations, so their jobs wait for the observe jobs.
export const open = `(j.kind = 'observe' OR NOT EXISTS (SELECT 1 FROM jobs o WHERE o.session_id = j.session_id AND o.kind = 'observe'
  AND o.status IN ('ready', 'claimed') AND o.material_at <= j.material_at))`;

/** `early` skips only the wait for a silence, not the waits after a failure, for the budget or for the model. */
export const dueIf = (early: boolean): string =>
  early ? '(j.not_before <= ? OR (j.waits_for IS NULL AND j.attempts = 0))' : 'j.not_before <= ?';

/** SQL conditions for a filter, and their values. */
export function wanted({ session, since, statuses, ids, kind }: JobFilter): { where: string; values: unknown[] } {
  const parts: [string, unknown][] = [];
  if (session !== undefined) parts.push(['s.agent = ?', session.agent], ['s.session = ?', session.session]);
  if (since !== undefined) parts.push(['j.material_at >= ?', since]);
  if (kind !== undefined) parts.push(['j.kind = ?', kind]);
  if (statuses !== undefined) parts.push(['j.status IN (SELECT value FROM json_each(?))', JSON.stringify(statuses)]);
  if (ids !== undefined) parts.push(['j.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)]);
  return { where: parts.map(([sql]) => ` AND ${sql}`).join(''), values: parts.map(([, value]) => value) };
}

export const toClaimed = (row: JobRow): ClaimedJob => ({
  id: row.id,
  kind: row.kind,
  agent: row.agent,
  session: row.session,
  subject: row.subject,
  attempts: row.attempts + 1,
});

export const toJob = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  agent: row.agent,
  session: row.session,
  project: row.project ?? '',
  subject: row.kind === 'summarize' ? '' : String(row.subject),
  status: row.status,
  at: toMoment(row.material_at),
  notBefore: toMoment(row.not_before),
  ...(row.waits_for === null ? {} : { waitsFor: row.waits_for }),
  attempts: row.attempts,
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.by === null ? {} : { by: row.by }),
  tokens: row.tokens,
  updatedAt: toMoment(row.updated_at),
});
