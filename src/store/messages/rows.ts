// Messages as rows, and the operations that messages and runs share in their transactions.

import type { IncomingMessage, MessageState, OutgoingKind, OutgoingMessage } from '../../schema/group-message.ts';
import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';

export interface IncomingRow {
  readonly id: number;
  readonly group_name: string;
  readonly text: string;
  readonly sender: string | null;
  readonly arrived_at: number;
  readonly state: MessageState;
  readonly output: 0 | 1;
  readonly attempts: number;
}

export interface OutgoingRow {
  readonly id: number;
  readonly group_name: string;
  readonly kind: OutgoingKind;
  readonly text: string;
  readonly answers: string;
  readonly task: number | null;
  readonly at: number;
}

export const toIncoming = ({
  id,
  group_name,
  text,
  sender,
  arrived_at,
  state,
  attempts,
}: IncomingRow): IncomingMessage => ({
  id,
  group: group_name,
  text,
  ...(sender === null ? {} : { from: sender }),
  arrivedAt: toMoment(arrived_at),
  state,
  attempts,
});

export const toOutgoing = ({ id, group_name, kind, text, answers, task, at }: OutgoingRow): OutgoingMessage => ({
  id,
  group: group_name,
  kind,
  text,
  answers: JSON.parse(answers) as number[],
  ...(task === null ? {} : { task }),
  at: toMoment(at),
});

export const waitingSql = "SELECT * FROM incoming WHERE group_name = ? AND state = 'waiting' ORDER BY id";
export const noRetriesSql = 'DELETE FROM group_retries WHERE group_name = ?';

/** Adds an outgoing message to a group's people, in the caller's transaction. */
export function telling(connection: Connection) {
  const insertOut = connection.statement<unknown[], OutgoingRow>(
    `INSERT INTO outgoing (group_name, kind, text, answers, task, session, at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
  );

  return (
    group: string,
    kind: OutgoingKind,
    text: string,
    at: number,
    {
      answers = [],
      task,
      session,
    }: { answers?: readonly number[]; task?: number | undefined; session?: string | undefined },
  ): OutgoingMessage =>
    toOutgoing(
      insertOut.get(group, kind, text, JSON.stringify(answers), task ?? null, session ?? null, at) as OutgoingRow,
    );
}
