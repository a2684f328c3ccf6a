// Handles an agent that could not resume its session: the group tries again, or begins a new session and tells its people.
import type { GroupSessions } from '../sessions/groups/groups.ts';
import type { RunEnd } from '../store/runs/port.ts';
import type { AgentExit } from './agent.ts';
import type { Run } from './run.ts';
import type { ResumePoint } from './run-record.ts';
import { killedBy } from './run-state.ts';

/** How often in a row a group's session may be lost before its messages wait for the usual retries. */
const mostLosses = 3;

/** Undefined if no session was lost, or too many in a row. The usual verdict applies then. */
export async function lostSession(
  run: Run,
  opened: GroupSessions,
  { session, resumeAt }: ResumePoint,
  { failure }: AgentExit,
): Promise<Pick<RunEnd, 'how' | 'error'> | undefined> {
  if (killedBy(run.state) !== undefined) return undefined;
  if (failure === undefined || failure.kind === 'other' || session === undefined) return undefined;
  const { deps, group } = run;
  const loss = failure.kind;
  const { next } = await opened.reportLost(session, loss, { epoch: run.epoch });
  const times = (deps.losses.get(group) ?? 0) + 1;
  deps.losses.set(group, times);
  // People do not miss a session that was lost before it said or wrote anything.
  const isMissed = resumeAt !== undefined || (await deps.store.sessions.find(session)).length > 0;
  if (next === 'fresh' && isMissed) {
    const text = `The earlier conversation cannot be resumed: its file is ${loss}. A new one has begun.`;
    const out = await deps.store.messages.putOut({ group, kind: 'notice', text }, deps.clock.now());
    deps.tell({ group, out: out.id });
  }
  return next !== 'none' && times <= mostLosses ? { how: 'again', error: `session ${session} is ${loss}` } : undefined;
}
