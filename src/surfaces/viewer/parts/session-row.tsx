import { agentTitles } from '../../../schema/agent-titles.ts';
import { dollars } from '../../../schema/dollars.ts';
import type { Session } from '../answers.ts';
import { sessionAddress } from '../router.ts';
import { lasted, plural } from '../time.ts';
import { Inline } from './inline.tsx';
import { Ago } from './moment.tsx';

export const agentTitle = (agent: Session['agent']): string => agentTitles[agent];

const stateWords = {
  initialized: 'started',
  active: 'working',
  summarizing: 'waiting for you',
  completed: 'ended',
} as const;

/** A session that was silent for longer is not running, whatever its last state: we may have missed its end. */
const silenceMs = 30 * 60_000;

export const isRunning = ({ state, endedAt }: Session, now = Date.now()): boolean =>
  state !== undefined && state !== 'completed' && now - Date.parse(endedAt) < silenceMs;

/** `apart`: the row is not in a list of one project, so it names its project. */
export function SessionRow({ session, apart = true }: { session: Session; apart?: boolean }) {
  return (
    <a class="row session-row" href={sessionAddress(session.id)}>
      <span class="row-title">
        {session.starred && (
          <span class="starred">
            <span aria-hidden="true">★ </span>
            <span class="unseen">Starred: </span>
          </span>
        )}
        <Inline text={session.title || 'Untitled session'} />
      </span>
      <span class="row-meta">
        {isRunning(session) && session.state && (
          <span class={`state ${session.state}`}>{stateWords[session.state]}</span>
        )}
        {apart && <span>{session.project || 'no project'}</span>}
        <span>{agentTitle(session.agent)}</span>
        <span>{plural(session.entries, 'entry', 'entries')}</span>
        <span>{lasted(session.startedAt, session.endedAt)}</span>
        {session.cost !== undefined && <span>{dollars(session.cost)}</span>}
        {session.outcome === 'failed' && <span class="tool-failed">failed</span>}
        <Ago at={session.endedAt} />
        {(session.tags ?? []).map((tag) => (
          <span key={tag} class="tag">
            #{tag}
          </span>
        ))}
      </span>
    </a>
  );
}
