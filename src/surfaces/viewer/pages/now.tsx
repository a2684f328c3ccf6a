// What happens now: running sessions, and what is said, done and distilled, as it arrives.
import { useRef } from 'preact/hooks';
import { aMinute, useAnswer, useLooking } from '../answer.ts';
import type { Observation, Reads, Session, TimelineItem } from '../answers.ts';
import { read } from '../api.ts';
import { Answered } from '../parts/answered.tsx';
import { Empty } from '../parts/empty.tsx';
import { Inline } from '../parts/inline.tsx';
import { Ago } from '../parts/moment.tsx';
import { isRunning, SessionRow } from '../parts/session-row.tsx';
import { WorkList } from '../parts/work.tsx';
import { address, sessionAddress } from '../router.ts';
import { number, plural } from '../time.ts';

const feedLength = 60;

export function Now() {
  const sessions = useAnswer(
    'sessions and jobs',
    // Fetch both together: a later answer would push down what the person is reading.
    async (signal) => {
      const [{ sessions: all }, { counts }] = await Promise.all([
        read('sessions', { limit: 30 }, signal),
        read('jobs', { limit: 1 }, signal),
      ]);
      return { all, counts };
    },
    ({ kind }) => kind !== 'memory',
  );
  useLooking(sessions.again, aMinute);
  const feed = useAnswer(
    'feed',
    async (signal) => {
      const [{ items }, { observations }] = await Promise.all([
        read('timeline', { limit: feedLength }, signal),
        read('observations', { limit: feedLength }, signal),
      ]);
      return happenings(items, observations);
    },
    ({ kind }) => kind === 'entries' || kind === 'observations' || kind === 'gone',
  );
  return (
    <section class="page now">
      <h1>Now</h1>
      <Answered answer={sessions} rows={8}>
        {({ all, counts }) =>
          all.length === 0 ? (
            <Empty title="Nothing is stored yet">
              <p>
                Holdfast reads what your coding agents write. Start a session in one of them, or see a sample:{' '}
                <code>holdfast start --demo</code>
              </p>
            </Empty>
          ) : (
            <div class="columns">
              <div>
                <Running sessions={all.filter((one) => isRunning(one))} />
                <Processing counts={counts} />
                <h2>Recent sessions</h2>
                <ul class="rows">
                  {all
                    .filter((one) => !isRunning(one))
                    .slice(0, 15)
                    .map((one) => (
                      <li key={`${one.agent} ${one.id}`}>
                        <SessionRow session={one} />
                      </li>
                    ))}
                </ul>
              </div>
              <div>
                <h2 id="feed-title">Live feed</h2>
                <Answered answer={feed} rows={12}>
                  {(items) => <Feed items={items} titles={new Map(all.map((one) => [one.id, one.title]))} />}
                </Answered>
              </div>
            </div>
          )
        }
      </Answered>
      <WorkList />
    </section>
  );
}

/** Counts of running, waiting and failed jobs. Shows nothing if all are done. */
function Processing({ counts: { claimed, ready, failed } }: { counts: Reads['jobs']['counts'] }) {
  const parts = [
    ...(claimed > 0 ? [`${plural(claimed, 'job')} running`] : []),
    ...(ready > 0 ? [`${number(ready)} waiting`] : []),
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
  ];
  if (parts.length === 0) return null;
  return (
    <p class="processing" role="status">
      Distilling: {parts.join(', ')}. <a href={address('health')}>Show the jobs</a>
    </p>
  );
}

function Running({ sessions }: { sessions: readonly Session[] }) {
  return (
    <>
      <h2>Running now</h2>
      {sessions.length === 0 ? (
        <p class="dim">No agent is running. New sessions appear here by themselves.</p>
      ) : (
        <ul class="rows running">
          {sessions.map((one) => (
            <li key={`${one.agent} ${one.id}`}>
              <SessionRow session={one} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface Happening {
  readonly id: string;
  readonly at: string;
  readonly kind: 'prompt' | 'answer' | 'command' | 'edit' | 'tool' | Observation['type'];
  readonly text: string;
  readonly session: string;
  readonly project: string;
  readonly entry: string | undefined;
}

/** Entries and observations together, newest first. Ids are unique, so nothing appears twice. */
function happenings(items: readonly TimelineItem[], observations: readonly Observation[]): Happening[] {
  const said = items.map(({ id, at, role, did, text, session, project }): Happening => {
    const kind = role === 'user' ? 'prompt' : did === undefined ? 'answer' : did === 'other' ? 'tool' : did;
    return { id, at, kind, text, session, project, entry: id };
  });
  const distilled = observations.map(({ id, at, type, title, session, project, entries }): Happening => {
    return { id, at, kind: type, text: title, session, project, entry: entries[0] };
  });
  return [...said, ...distilled].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, feedLength);
}

function Feed({ items, titles }: { items: readonly Happening[]; titles: ReadonlyMap<string, string> }) {
  const known = useRef<Set<string>>(undefined);
  const before = known.current;
  known.current = new Set(items.map(({ id }) => id));
  if (items.length === 0) return <p class="dim">Nothing yet.</p>;
  return (
    <>
      <ol class="feed" aria-labelledby="feed-title" aria-live="polite" aria-relevant="additions">
        {items.map((item) => (
          <li key={item.id} class={before !== undefined && !before.has(item.id) ? 'fresh' : undefined}>
            <span class={`kind ${item.kind}`}>{item.kind}</span>
            <a href={sessionAddress(item.session, item.entry)}>
              <Inline text={item.text || '…'} />
            </a>
            <span class="row-meta">
              <span>{item.project || 'no project'}</span>
              {titles.get(item.session) && (
                <span>
                  <span class="cut">{titles.get(item.session)}</span>
                </span>
              )}
              <Ago at={item.at} />
            </span>
          </li>
        ))}
      </ol>
      <p>
        <a href={address('timeline')}>Earlier</a>
      </p>
    </>
  );
}
