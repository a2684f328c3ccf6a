// The port of runs, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { runsDue } from './due.ts';
import { runEnding } from './ending.ts';
import { runLife } from './life.ts';
import type { RunsPort } from './port.ts';

export function runsPort(connection: Connection): RunsPort {
  const { end } = runEnding(connection);
  const { begin, noteProcess, open, lastErrors } = runLife(connection);
  const { dueGroups, nextDue, queues } = runsDue(connection);
  return {
    end,
    begin,
    noteProcess,
    open,
    lastErrors,
    dueGroups,
    nextDue,
    queues,
  };
}
