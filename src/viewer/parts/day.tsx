// The sessions of some days, and what was said on one, by the clock.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Session, TimelineItem } from '../answers.ts';
import { read } from '../api.ts';
import { spanOf } from '../days.ts';
import { sessionAddress } from '../router.ts';
import { Answered } from './answered.tsx';
import { Empty } from './empty.tsx';
import { Clock } from './moment.tsx';
import { SessionRow } from './session-row.tsx';

const mostSessions = 200;
const fewItems = 200;
const mostItems = 1000;
const ofEntries = ({ kind }: { kind: string }) => kind === 'entries' || kind === 'gone';

export function Sessions({ from, to, project }: { from: string; to: string; project: string | undefined }) {
  const answer = useAnswer(
    `sessions ${from} ${to} ${project}`,
    (signal) => read('sessions', { ...spanOf(from, to), project, limit: mostSessions }, signal),
    ofEntries,
  );
  return (
    <Answered answer={answer} rows={4}>
      {({ sessions }) => <SessionList sessions={sessions} />}
    </Answered>
  );
}

function SessionList({ sessions }: { sessions: readonly Session[] }) {
  return sessions.length === 0 ? (
    <Empty title="No session" small>
      <p>Choose another day above, or all projects.</p>
    </Empty>
  ) : (
    <ul class="rows">
      {sessions.map((one) => (
        <li key={`${one.agent} ${one.id}`}>
          <SessionRow session={one} />
        </li>
      ))}
      {sessions.length === mostSessions && <li class="dim">And more, which the days by themselves show.</li>}
    </ul>
  );
}

/** Both at once: on a small screen one stands above the other, which would jump. */
export function DayAccount({ day, project }: { day: string; project: string | undefined }) {
  const [limit, setLimit] = useState(fewItems);
  const answer = useAnswer(
    `day ${day} ${project} ${limit}`,
    async (signal) => {
      const [{ sessions }, { items }] = await Promise.all([
        read('sessions', { ...spanOf(day), project, limit: mostSessions }, signal),
        read('timeline', { ...spanOf(day), project, limit }, signal),
      ]);
      return { sessions, items };
    },
    ofEntries,
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ sessions, items }) => (
        <div class="columns">
          <div>
            <h2>Sessions</h2>
            <SessionList sessions={sessions} />
          </div>
          <div>
            <h2>What was said</h2>
            <Said items={items} limit={limit} more={() => setLimit(mostItems)} />
          </div>
        </div>
      )}
    </Answered>
  );
}

function Said({ items, limit, more }: { items: readonly TimelineItem[]; limit: number; more: () => void }) {
  return (
    <>
      {items.length === 0 && <p class="dim">Nothing was said on this day.</p>}
      {items.length === limit && (
        <p class="dim">
          The last {limit} of the day.{' '}
          {limit < mostItems && (
            <button type="button" onClick={more}>
              Show more
            </button>
          )}
        </p>
      )}
      <ol class="steps said-by-day">
        {items.map(({ id, at, role, text, session }) => (
          <li key={id}>
            <Clock at={at} />
            <a class={`said-line ${role}`} href={sessionAddress(session, id)}>
              {text || '…'}
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
