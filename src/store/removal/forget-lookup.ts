// Finds the rows to forget.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';

export interface EntryRow {
  readonly id: number;
  readonly uuid: string;
  readonly agent: AgentName;
  readonly session_id: number;
  readonly file_id: number;
  readonly pos: number;
  readonly at: number;
  readonly author: string;
  readonly text: string;
  readonly joins_at: number | null;
  readonly conversation_id: number | null;
  readonly inMain: number;
}

export interface DistilledRow {
  readonly id: number;
  readonly uid: string;
  readonly agent: AgentName;
  readonly session_id: number;
  readonly session: string;
  readonly first: string | null;
  readonly at: number;
}

export interface SessionName {
  readonly agent: AgentName;
  readonly session: string;
  readonly project: string;
  readonly path: string;
}

const entryColumns = `e.id, e.uuid, s.agent, e.session_id, e.file_id, e.pos, e.at, e.author, e.text, e.joins_at, e.conversation_id,
  e.subagent IS NULL AND e.abandoned = 0 AS inMain`;

export function forgetLookup(connection: Connection) {
  const entryNamed = connection.statement<[string, string], EntryRow>(
    `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE e.uuid = ? AND s.agent = ?`,
  );
  const entriesOf = connection.statement<[number], EntryRow>(
    `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE e.session_id = ?`,
  );
  const sessionNamed = connection
    .statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?')
    .pluck();
  const sessionName = connection.statement<[number], SessionName>(
    `SELECT s.agent, s.session, coalesce(p.name, '') AS project, coalesce(p.path, '') AS path
     FROM sessions s LEFT JOIN projects p ON p.id = s.project_id WHERE s.id = ?`,
  );
  const distilled = {
    observation: connection.statement<[string], DistilledRow>(
      `SELECT d.id, d.uid, s.agent, d.session_id, s.session, e.uuid AS first, d.at FROM observations d
       JOIN sessions s ON s.id = d.session_id JOIN entries e ON e.id = d.first_entry WHERE d.uid = ?`,
    ),
    summary: connection.statement<[string], DistilledRow>(
      `SELECT d.id, d.uid, s.agent, d.session_id, s.session, NULL AS first, d.at FROM summaries d
       JOIN sessions s ON s.id = d.session_id WHERE d.uid = ?`,
    ),
  };

  return {
    entryNamed: (agent: AgentName, uuid: string): EntryRow | undefined => entryNamed.get(uuid, agent),
    entriesOf: (session: number): EntryRow[] => entriesOf.all(session),
    sessionNamed: (agent: AgentName, session: string): number | undefined => sessionNamed.get(session, agent),
    sessionName: (id: number): SessionName | undefined => sessionName.get(id),
    distilledNamed: (kind: keyof typeof distilled, uid: string): DistilledRow | undefined => distilled[kind].get(uid),
  };
}
