// What changed and in which order, for live viewers. Triggers write it, in the transaction that changes the rows.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Change } from '../../schema/change.ts';
import type { Store } from '../store.ts';

type Run = <T>(work: () => T) => T;

interface Row {
  seq: number;
  kind: Change['kind'];
  agent: AgentName | '';
  subject: string;
}

export function changeRows(db: Database, read: Run): Pick<Store, 'changesAfter' | 'lastChange'> {
  const after = db.prepare<[number, number], Row>('SELECT * FROM changes WHERE seq > ? ORDER BY seq LIMIT ?');
  const last = db.prepare<[], number | null>('SELECT max(seq) FROM changes').pluck();
  return {
    changesAfter: async (seq, limit) => read(() => after.all(seq, limit).map(toChange)),
    lastChange: async () => read(() => last.get() ?? 0),
  };
}

const toChange = ({ seq, kind, agent, subject }: Row): Change => ({
  seq,
  kind,
  ...(agent === '' ? {} : { agent }),
  ...(subject === '' ? {} : kind === 'memory' ? { page: subject } : { session: subject }),
});
