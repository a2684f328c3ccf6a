// The states of sessions, from reports by hooks and clients and from transcripts. One row each; the last report wins.

import type { AgentName } from '../../schema/agent-name.ts';
import type { SessionState, SessionStatus } from '../../schema/session-state.ts';
import { toMoment } from '../../schema/time.ts';
import { planLater } from '../jobs/plan.ts';
import { tombstone } from '../removal/tombstone.ts';
import { tombstoneRows } from '../removal/tombstones.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SessionChange, SessionsPort } from './port.ts';

interface Row {
  agent: AgentName;
  session: string;
  status: SessionStatus;
  prompts: number;
  prompt_id: string | null;
  end_reason: string | null;
  last_user: string | null;
  last_assistant: string | null;
  updated_at: number;
}

export function sessionStates(
  connection: Connection,
): Pick<SessionsPort, 'note' | 'follow' | 'state' | 'toldSince' | 'lastToldAt'> {
  const { read, write } = connection;
  const find = connection.statement<[string, string], Row>(
    'SELECT * FROM session_states WHERE agent = ? AND session = ?',
  );
  // A session gets its own row with its first entries. Its jobs are planned then anyway.
  const known = connection
    .statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?')
    .pluck();
  const planJobs = planLater(connection);
  const tombstones = tombstoneRows(connection);
  const latest = connection.statement<[], number | null>('SELECT max(updated_at) FROM session_states').pluck();
  const save = connection.statement(
    `INSERT INTO session_states (agent, session, status, prompts, prompt_id, end_reason, last_user, last_assistant, updated_at)
     VALUES (@agent, @session, @status, @prompts, @prompt_id, @end_reason, @last_user, @last_assistant, @updated_at)
     ON CONFLICT DO UPDATE SET status = excluded.status, prompts = excluded.prompts, prompt_id = excluded.prompt_id,
       end_reason = excluded.end_reason, last_user = excluded.last_user, last_assistant = excluded.last_assistant,
       updated_at = excluded.updated_at`,
  );

  const ofSession = `FROM sessions s JOIN entries e ON e.session_id = s.id
    WHERE s.session = ? AND s.agent = ? AND e.subagent IS NULL AND e.abandoned = 0`;
  const asked = connection.statement<[string, string], { prompts: number; at: number | null }>(
    `SELECT count(*) AS prompts, max(e.at) AS at ${ofSession} AND e.author = 'person'`,
  );
  const newest = connection.statement<[string, string], { at: number; role: string; tools: string | null }>(
    `SELECT e.at, e.role, e.tools ${ofSession} ORDER BY e.pos DESC LIMIT 1`,
  );
  const since = connection.statement<[number], { agent: AgentName; session: string }>(
    'SELECT agent, session FROM session_states WHERE updated_at >= ?',
  );

  function put(row: Row): void {
    save.run(row);
    const session = known.get(row.session, row.agent);
    if (session !== undefined) planJobs(session);
  }

  return {
    async follow(agent, session, { quiet, since: earliest }) {
      return write(() => {
        const before = find.get(agent, session);
        const { prompts, at } = asked.get(session, agent) ?? { prompts: 0, at: null };
        const last = newest.get(session, agent);
        if (at === null || last === undefined || (before === undefined && last.at < earliest)) return undefined;
        const row = followed(before, { agent, session, prompts, promptAt: at, last, quiet });
        if (before !== undefined && before.status === row.status && before.prompts === row.prompts) return undefined;
        put(row);
        return toState(row);
      });
    },
    async toldSince(at) {
      return read(() => since.all(at));
    },
    async note(change) {
      return write(() => {
        const row = after(find.get(change.agent, change.session), change);
        // A forgotten session may still be running.
        if (tombstones.any() && tombstones.has(tombstone.session(change.agent, change.session))) return toState(row);
        put(row);
        return toState(row);
      });
    },
    async state(agent, session) {
      return read(() => {
        const row = find.get(agent, session);
        return row === undefined ? undefined : toState(row);
      });
    },
    async lastToldAt() {
      return read(() => latest.get() ?? undefined);
    },
  };
}

function after(before: Row | undefined, change: SessionChange): Row {
  const repeated = change.promptId !== undefined && change.promptId === before?.prompt_id;
  const prompts = (before?.prompts ?? 0) + (change.event === 'prompt' && !repeated ? 1 : 0);
  return {
    agent: change.agent,
    session: change.session,
    status: statusAfter(before?.status, change.event),
    prompts,
    prompt_id: change.promptId ?? before?.prompt_id ?? null,
    end_reason:
      change.event === 'end'
        ? (change.reason ?? null)
        : change.event === 'prompt'
          ? null
          : (before?.end_reason ?? null),
    last_user: change.lastUserMessage ?? before?.last_user ?? null,
    last_assistant: change.lastAssistantMessage ?? before?.last_assistant ?? null,
    updated_at: change.at,
  };
}

interface Followed {
  readonly agent: AgentName;
  readonly session: string;
  readonly prompts: number;
  readonly promptAt: number;
  readonly last: { readonly at: number; readonly role: string; readonly tools: string | null };
  readonly quiet: boolean;
}

/** A prompt newer than the last report reopens a session. An answer followed by silence stops it. */
function followed(before: Row | undefined, { agent, session, prompts, promptAt, last, quiet }: Followed): Row {
  const reopened = before === undefined || promptAt > before.updated_at;
  const working = reopened || before.status === 'active' || before.status === 'initialized';
  const answered = quiet && last.role === 'assistant' && last.tools === null && last.at >= promptAt;
  const stops = working && answered && before?.status !== 'initialized';
  return {
    agent,
    session,
    status: stops ? 'summarizing' : reopened ? 'active' : before.status,
    prompts,
    prompt_id: before?.prompt_id ?? null,
    end_reason: reopened ? null : before.end_reason,
    last_user: before?.last_user ?? null,
    last_assistant: before?.last_assistant ?? null,
    updated_at: Math.max(before?.updated_at ?? 0, stops ? last.at : reopened ? promptAt : 0),
  };
}

function statusAfter(before: SessionStatus | undefined, event: SessionChange['event']): SessionStatus {
  if (event === 'end') return 'completed';
  if (event === 'prompt') return 'active';
  // A late stop after the end must not undo the end.
  if (event === 'stop') return before === 'completed' ? 'completed' : 'summarizing';
  return before === undefined || before === 'completed' ? 'initialized' : before;
}

const toState = (row: Row): SessionState => ({
  agent: row.agent,
  session: row.session,
  status: row.status,
  prompts: row.prompts,
  ...(row.end_reason === null ? {} : { endReason: row.end_reason }),
  ...(row.last_user === null ? {} : { lastUserMessage: row.last_user }),
  ...(row.last_assistant === null ? {} : { lastAssistantMessage: row.last_assistant }),
  updatedAt: toMoment(row.updated_at),
});
