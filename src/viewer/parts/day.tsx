// The sessions of some days, and what was said on one, by the clock.
import { useAnswer } from '../answer.ts';
import { read } from '../api.ts';
import { spanOf } from '../days.ts';
import { sessionAddress } from '../router.ts';
import { Answered } from './answered.tsx';
import { Empty } from './empty.tsx';
import { Clock } from './moment.tsx';
import { SessionRow } from './session-row.tsx';

const mostSessions = 200;

export function DaySessions({ from, to, project }: { from: string; to: string; project: string | undefined }) {
  const answer = useAnswer(
    `sessions ${from} ${to} ${project}`,
    (signal) => read('sessions', { ...spanOf(from, to), project, limit: mostSessions }, signal),
    ({ kind }) => kind === 'entries' || kind === 'gone',
  );
  return (
    <Answered answer={answer} rows={4}>
      {({ sessions }) =>
        sessions.length === 0 ? (
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
        )
      }
    </Answered>
  );
}

export function DayFeed({
  day,
  project,
  limit,
  more,
}: {
  day: string;
  project: string | undefined;
  limit: number;
  more: () => void;
}) {
  const answer = useAnswer(
    `said ${day} ${project} ${limit}`,
    (signal) => read('timeline', { ...spanOf(day), project, limit }, signal),
    ({ kind }) => kind === 'entries' || kind === 'gone',
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ items }) => (
        <>
          {items.length === 0 && <p class="dim">Nothing was said on this day.</p>}
          {items.length === limit && (
            <p class="dim">
              The last {limit} of the day.{' '}
              {limit < 1000 && (
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
      )}
    </Answered>
  );
}
