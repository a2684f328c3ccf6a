// The ordered feed of changes, for live viewers. Triggers write it in the transaction that changes the rows.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Change } from '../../schema/change.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { ChangesPort } from './port.ts';

interface Row {
  seq: number;
  kind: Change['kind'];
  agent: AgentName | '';
  subject: string;
}

export function changesPort(connection: Connection): ChangesPort {
  const { read } = connection;
  const after = connection.statement<[number, number], Row>('SELECT * FROM changes WHERE seq > ? ORDER BY seq LIMIT ?');
  const last = connection.statement<[], number | null>('SELECT max(seq) FROM changes').pluck();
  return {
    after: async (seq, limit) => read(() => after.all(seq, limit).map(toChange)),
    last: async () => read(() => last.get() ?? 0),
  };
}

const toChange = ({ seq, kind, agent, subject }: Row): Change => ({
  seq,
  kind,
  ...(agent === '' ? {} : { agent }),
  ...(subject === '' ? {} : kind === 'memory' ? { page: subject } : { session: subject }),
});
