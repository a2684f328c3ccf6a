// Reads observations and summaries.

import { everyone } from '../../schema/group.ts';
import type { Summary } from '../../schema/summary.ts';
import { sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { exactOrAll, startsWith } from '../sqlite/ids.ts';
import type { DistilledFilter, DistilledPort, ObservationFilter } from './port.ts';
import {
  joins,
  type ObservationRow,
  type SummaryRow,
  selectObservation,
  selectSummary,
  toObservation,
  toSummary,
} from './rows.ts';

export function distilledRows(
  connection: Connection,
): Pick<
  DistilledPort,
  'observations' | 'summaries' | 'pastSummaries' | 'findObservations' | 'findSummaries' | 'counts'
> {
  const { read } = connection;
  function list<T>(select: string, table: string, filter: ObservationFilter): T[] {
    const { where, values } = conditions(connection, filter);
    const sql = `${select} FROM ${table} d ${joins} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY d.at DESC, d.id DESC LIMIT ?`;
    return connection.statement(sql).all(...values, filter.limit ?? -1) as T[];
  }

  const past = connection.statement<
    [string, string],
    { uid: string; project: string | null; prompts: number; json: string }
  >(
    `SELECT d.uid, coalesce(p.label, p.name) AS project, x.prompts, x.json FROM past_summaries x JOIN summaries d ON d.session_id = x.session_id ${joins}
     WHERE s.session = ? AND s.agent = ? ORDER BY x.prompts`,
  );
  const byUid = <T>(select: string, table: string, id: string): T[] =>
    connection.statement(`${select} FROM ${table} d ${joins} WHERE ${startsWith('d.uid')} LIMIT 50`).all(id, id) as T[];

  return {
    async observations(filter) {
      return read(() => list<ObservationRow>(selectObservation, 'observations', filter).map(toObservation));
    },
    async summaries(filter) {
      return read(() => list<SummaryRow>(selectSummary, 'summaries', filter).map(toSummary));
    },
    async pastSummaries({ agent, session }) {
      return read(() =>
        past.all(session, agent).map(({ uid, project, prompts, json }) => ({
          ...(JSON.parse(json) as Omit<Summary, 'id' | 'session' | 'agent' | 'project'>),
          ...{ id: `${uid}-${prompts}`, session, agent, project: project ?? '' },
        })),
      );
    },
    async findObservations(id) {
      return read(() =>
        exactOrAll(byUid<ObservationRow>(selectObservation, 'observations', id).map(toObservation), id),
      );
    },
    async findSummaries(id) {
      return read(() => exactOrAll(byUid<SummaryRow>(selectSummary, 'summaries', id).map(toSummary), id));
    },
    async counts() {
      return read(() => ({
        observations: connection.statement('SELECT count(*) FROM observations').pluck().get() as number,
        summaries: connection.statement('SELECT count(*) FROM summaries').pluck().get() as number,
      }));
    },
  };
}

/** SQL conditions on `d`, the row itself, and `s`, its session. */
export function conditions(
  connection: Connection,
  filter: ObservationFilter | DistilledFilter,
): { where: string[]; values: (string | number)[] } {
  // A filter that names a session needs no group: the caller knows whose session it is.
  const group = filter.group ?? (filter.session === undefined ? undefined : everyone);
  const { where, values } = sessionConditions(connection, { ...filter, group });
  const add = (condition: string, ...given: (string | number)[]) => {
    where.push(condition);
    values.push(...given);
  };
  if (filter.session !== undefined) add(startsWith('s.session'), filter.session, filter.session);
  if (filter.since !== undefined) add('d.at >= ?', filter.since);
  if (filter.until !== undefined) add('d.at < ?', filter.until);
  if ('type' in filter && filter.type !== undefined) add('d.type = ?', filter.type);
  if (filter.file !== undefined) {
    const file = filter.file.replace(/^\.\//, '');
    const named = 'SELECT value FROM json_each(d.files_modified) UNION ALL SELECT value FROM json_each(d.files_read)';
    add(
      `EXISTS (SELECT 1 FROM (${named}) WHERE value = ? OR substr(value, -length(?) - 1) = '/' || ? OR p.path || '/' || value = ?)`,
      file,
      file,
      file,
      file,
    );
  }
  return { where, values };
}
