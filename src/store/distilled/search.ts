// Candidates for ranking among observations, summaries and memories: all rows with their BM25, then the texts of the best.

import type { AgentName } from '../../schema/agent-name.ts';
import { everyone, nameOfGroup } from '../../schema/group.ts';
import type { DerivedKind } from '../../schema/hit-text.ts';
import { toMoment } from '../../schema/time.ts';
import { projectIds } from '../projects/ids.ts';
import { matchExpression } from '../search/keywords.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { DerivedAt, DistilledFilter, DistilledPort } from './port.ts';
import { conditions } from './reading.ts';
import {
  joins,
  type ObservationRow,
  observationText,
  type SummaryRow,
  selectObservation,
  selectSummary,
  summaryText,
  toObservation,
  toSummary,
} from './rows.ts';

type Conditions = ReturnType<typeof conditions>;

interface Table {
  readonly name: string;
  readonly joins: string;
  /** SQL for whether a row fades with time. */
  readonly fades: string;
  conditions(connection: Connection, filter: DistilledFilter): Conditions;
  /** The texts of rows, in their order; rows that are gone are left out. */
  at(connection: Connection, rows: readonly number[]): DerivedAt[];
}

interface MemoryRow {
  readonly memory: string;
  readonly title: string;
  readonly text: string;
  readonly project: string;
  readonly session: string;
  readonly agent: AgentName | null;
  readonly at: number;
}

const tables: Readonly<Record<DerivedKind, Table>> = {
  observation: {
    name: 'observations',
    joins,
    fades: '0',
    conditions,
    at: reading(`${selectObservation} FROM observations d ${joins}`, (row: ObservationRow) =>
      shown(toObservation(row), observationText),
    ),
  },
  summary: {
    name: 'summaries',
    joins,
    fades: '0',
    conditions,
    at: reading(`${selectSummary} FROM summaries d ${joins}`, (row: SummaryRow) => shown(toSummary(row), summaryText)),
  },
  memory: {
    name: 'memories',
    joins: '',
    fades: "d.kind = 'dated'",
    conditions: memoryConditions,
    // A memory stores only the agent's id of its session.
    at: reading(
      'SELECT d.*, (SELECT agent FROM sessions WHERE session = d.session LIMIT 1) AS agent FROM memories d',
      ({ memory, title, text, project, session, agent, at }: MemoryRow) => ({
        ...{ id: memory, title, text, project, session, at: toMoment(at) },
        ...(agent === null ? {} : { agent }),
      }),
    ),
  },
};

function reading<Row>(select: string, read: (row: Row) => Omit<DerivedAt, 'row'>): Table['at'] {
  return (connection, rows) => {
    const one = connection.statement<[number], Row>(`${select} WHERE d.id = ?`);
    return rows.flatMap((row) => {
      const found = one.get(row);
      return found === undefined ? [] : [{ row, ...read(found) }];
    });
  };
}

function shown<T extends Omit<DerivedAt, 'row' | 'text'>>(one: T, textOf: (one: T) => string): Omit<DerivedAt, 'row'> {
  const { id, title, project, session, agent, at } = one;
  return { id, title, project, session, agent, at, text: textOf(one) };
}

export function derivedSearch(connection: Connection): Pick<DistilledPort, 'search' | 'at'> {
  const { read: run } = connection;
  return {
    async search(kind, query, filter) {
      return run(() => {
        const table = tables[kind];
        const { where, values } = table.conditions(connection, filter);
        const rows = connection
          .statement<unknown[], [number, number, number]>(
            `SELECT d.id, d.at, ${table.fades} FROM ${table.name} d ${table.joins}
             ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY d.at DESC, d.id DESC`,
          )
          .raw()
          .all(...values);
        const match = matchExpression(query);
        const fts = `${table.name}_fts`;
        // A word in the title counts more than one in the text.
        const found = connection
          .statement<[string], [number, number]>(
            `SELECT rowid, -bm25(${fts}, 2.0, 1.0) FROM ${fts} WHERE ${fts} MATCH ?`,
          )
          .raw();
        const scores = new Map(match === '' ? [] : found.all(match));
        return rows.map(([row, at, fades]) => ({ row, at, fades: fades === 1, score: scores.get(row) }));
      });
    },
    async at(kind, rows) {
      return run(() => tables[kind].at(connection, rows));
    },
  };
}

function memoryConditions(
  connection: Connection,
  { project, agent, group, since, until }: DistilledFilter,
): Conditions {
  const where: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...given: (string | number)[]) => {
    where.push(condition);
    values.push(...given);
  };
  // Memories store project names; a project may have a page before it has a session here.
  if (project !== undefined && 'name' in project) add('d.project = ? COLLATE NOCASE', project.name);
  else if (project !== undefined)
    add(
      `d.project COLLATE NOCASE IN (SELECT name FROM projects WHERE id IN (${projectIds(connection, project).join(', ') || 'NULL'}))`,
    );
  if (agent !== undefined) add('d.session IN (SELECT session FROM sessions WHERE agent = ?)', agent);
  if (group !== everyone) add('d.group_name = ?', nameOfGroup(group ?? ''));
  if (since !== undefined) add('d.at >= ?', since);
  if (until !== undefined) add('d.at < ?', until);
  return { where, values };
}
