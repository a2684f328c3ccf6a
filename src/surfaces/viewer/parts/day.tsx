// The sessions of a range of days, and what was said on one day, in order of time.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Session, TimelineItem } from '../answers.ts';
import { type Failure, read } from '../api.ts';
import { spanOf } from '../days.ts';
import { address, sessionAddress } from '../router.ts';
import { number } from '../time.ts';
import { Answered } from './answered.tsx';
import { Empty } from './empty.tsx';
import { Markdown } from './markdown.tsx';
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

/** Loads both parts together: on a small screen the upper one would push the lower one down. `before`: shows only earlier entries. */
export function DayAccount({
  day,
  project,
  before,
}: {
  day: string;
  project: string | undefined;
  before: string | undefined;
}) {
  const [wanted, setWanted] = useState(fewItems);
  const limit = before === undefined ? wanted : mostItems;
  const to = (moment: string | undefined) => address('timeline', {}, { day, project, before: moment });
  const answer = useAnswer(
    `day ${day} ${project} ${before} ${limit}`,
    async (signal) => {
      const [{ sessions }, { items }, account] = await Promise.all([
        read('sessions', { ...spanOf(day), project, limit: mostSessions }, signal),
        read('timeline', { ...spanOf(day), ...(before && { until: before }), project, limit }, signal),
        project === undefined ? accountOf(day, signal) : undefined,
      ]);
      return { sessions, items, account };
    },
    ofEntries,
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ sessions, items, account }) => (
        <div class="columns">
          <div>
            {account && (
              <>
                <h2>Account of the day</h2>
                <Markdown text={withoutTitle(account.text)} />
                <p>
                  <a href={address('memoryPage', { page: account.page })}>Open this page of memory</a>
                </p>
              </>
            )}
            <h2>Sessions</h2>
            <SessionList sessions={sessions} />
          </div>
          <div>
            <h2>What was said</h2>
            {before && (
              <p>
                <a href={to(undefined)}>The end of the day</a>
              </p>
            )}
            {items.length === limit && (
              <p class="dim">
                The last {number(limit)}{' '}
                {before === undefined ? (
                  'of the day'
                ) : (
                  <>
                    before <Clock at={before} />
                  </>
                )}
                .{' '}
                {limit < mostItems ? (
                  <button type="button" onClick={() => setWanted(mostItems)}>
                    Show more
                  </button>
                ) : (
                  <a href={to(justAfter(items[0]))}>What was said before</a>
                )}
              </p>
            )}
            <Said items={items} />
          </div>
        </div>
      )}
    </Answered>
  );
}

/** The memory page of the day. Undefined if there is none yet. */
async function accountOf(day: string, signal: AbortSignal): Promise<{ page: string; text: string } | undefined> {
  try {
    return await read('memory show', { name: `episodes/${day.slice(0, 7)}/${day}.md` }, signal);
  } catch (error) {
    if ((error as Failure).code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Removes what is already shown: the front matter and the heading. */
const withoutTitle = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^\s*# [^\n]*\n/, '');

/** Includes the moment of the item itself, since another item may have the same time. */
const justAfter = (item: TimelineItem | undefined): string | undefined =>
  item && new Date(Date.parse(item.at) + 1).toISOString();

function Said({ items }: { items: readonly TimelineItem[] }) {
  return (
    <>
      {items.length === 0 && <p class="dim">Nothing was said on this day.</p>}
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
