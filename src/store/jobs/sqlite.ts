// The port of jobs, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { jobClaims } from './claims.ts';
import { jobEnding } from './ending.ts';
import { jobLists } from './lists.ts';
import { jobPlanning } from './plan.ts';
import type { JobsPort } from './port.ts';
import { jobRepeating } from './repeating.ts';
import { spendingRows } from './spending.ts';
import { jobWaits } from './waits.ts';

export function jobsPort(connection: Connection): JobsPort {
  const { plan } = jobPlanning(connection);
  const { claim, renewClaims, claimants } = jobClaims(connection);
  const { finish, fail, release } = jobEnding(connection);
  const { defer, undefer, endWaits } = jobWaits(connection);
  const { countDue, nextAt, list, counts } = jobLists(connection);
  const { retry, cancel, redo, renewByRules } = jobRepeating(connection);
  const { reserveTokens, spending } = spendingRows(connection);
  return {
    plan,
    claim,
    renewClaims,
    claimants,
    finish,
    fail,
    release,
    defer,
    undefer,
    endWaits,
    countDue,
    nextAt,
    list,
    counts,
    retry,
    cancel,
    redo,
    renewByRules,
    reserveTokens,
    spending,
  };
}
