// The sessions of a range of days, and what was said on one day, in order of time.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Reads, Session, TimelineItem } from '../answers.ts';
import { read } from '../api.ts';
import { spanOf, timeZone } from '../days.ts';
import { address, sessionAddress } from '../router.ts';
import { number, plural } from '../time.ts';
import { Answered } from './answered.tsx';
import { Empty } from './empty.tsx';
import { Inline } from './inline.tsx';
import { MemoryMarkdown } from './markdown.tsx';
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
      {sessions.length === mostSessions && (
        <li class="dim">There are more. The page of each day shows all of its sessions.</li>
      )}
    </ul>
  );
}

/** The prompts of each session with its result, the written account, and on request everything in order of time. */
export function DayAccount({
  day,
  project,
  before,
}: {
  day: string;
  project: string | undefined;
  /** Shows only earlier entries of the day. */
  before: string | undefined;
}) {
  const answer = useAnswer(
    `day ${day} ${project}`,
    (signal) => read('day', { date: day, project, timeZone }, signal),
    ofEntries,
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ sessions, account }) => (
        <div class="columns">
          <div>
            <h2>Sessions</h2>
            {sessions.length === 0 ? <SessionList sessions={[]} /> : <Prompted sessions={sessions} />}
          </div>
          <div>
            {account && (
              <>
                <h2>Account of the day</h2>
                <MemoryMarkdown text={withoutTitle(account.text)} />
                <p>
                  <a href={address('memoryPage', { page: account.page })}>Open this page of memory</a>
                </p>
              </>
            )}
            <Everything day={day} project={project} before={before} />
          </div>
        </div>
      )}
    </Answered>
  );
}

const fewPrompts = 12;

const Prompted = ({ sessions }: { sessions: Reads['day']['sessions'] }) => (
  <ol class="rows day-sessions">
    {sessions.map(({ session, prompts, completed, nextSteps }) => (
      <li key={`${session.agent} ${session.id}`}>
        <SessionRow session={session} />
        <Prompts session={session.id} prompts={prompts.slice(0, fewPrompts)} />
        {prompts.length > fewPrompts && (
          <details>
            <summary>{plural(prompts.length - fewPrompts, 'more prompt')}</summary>
            <Prompts session={session.id} prompts={prompts.slice(fewPrompts)} />
          </details>
        )}
        {completed && (
          <p class="day-result">
            <strong>Done:</strong> <Inline text={completed} />
          </p>
        )}
        {nextSteps && (
          <p class="day-result">
            <strong>Next:</strong> <Inline text={nextSteps} />
          </p>
        )}
      </li>
    ))}
  </ol>
);

const Prompts = ({
  session,
  prompts,
}: {
  session: string;
  prompts: readonly { readonly id: string; readonly at: string; readonly text: string }[];
}) => (
  <ol class="steps said-by-day">
    {prompts.map(({ id, at, text }) => (
      <li key={id}>
        <Clock at={at} />
        <a class="said-line user" href={sessionAddress(session, id)}>
          <Inline text={text} />
        </a>
      </li>
    ))}
  </ol>
);

/** Loads when it is opened: a day may have thousands of entries. */
function Everything({
  day,
  project,
  before,
}: {
  day: string;
  project: string | undefined;
  before: string | undefined;
}) {
  const [isOpen, setOpen] = useState(before !== undefined);
  return (
    <details class="everything" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All entries in order</summary>
      {isOpen && <InOrder day={day} project={project} before={before} />}
    </details>
  );
}

function InOrder({ day, project, before }: { day: string; project: string | undefined; before: string | undefined }) {
  const [wanted, setWanted] = useState(fewItems);
  const limit = before === undefined ? wanted : mostItems;
  const to = (moment: string | undefined) => address('timeline', {}, { day, project, before: moment });
  const answer = useAnswer(
    `everything ${day} ${project} ${before} ${limit}`,
    (signal) => read('timeline', { ...spanOf(day), ...(before && { until: before }), project, limit }, signal),
    ofEntries,
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ items }) => (
        <>
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
                <a href={to(justAfter(items[0]))}>Earlier entries</a>
              )}
            </p>
          )}
          <Said items={items} />
        </>
      )}
    </Answered>
  );
}

/** Removes what is already shown: the front matter and the heading. */
const withoutTitle = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^\s*# [^\n]*\n/, '');

/** Includes the moment of the item itself, since another item may have the same time. */
const justAfter = (item: TimelineItem | undefined): string | undefined =>
  item && new Date(Date.parse(item.at) + 1).toISOString();

function Said({ items }: { items: readonly TimelineItem[] }) {
  return (
    <>
      {items.length === 0 && <p class="dim">Nothing happened on this day.</p>}
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
