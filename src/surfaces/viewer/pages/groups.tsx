// Groups, and the chat with a group's agent: earlier messages come from its session, new ones arrive live.
import { useState } from 'preact/hooks';
import { useAnswer, useLooking } from '../answer.ts';
import type { GroupState, Reads, ScheduledTask, ShownEntry } from '../answers.ts';
import { type Failure, read } from '../api.ts';
import { Answered, Trouble } from '../parts/answered.tsx';
import { Chat } from '../parts/chat.tsx';
import { Empty } from '../parts/empty.tsx';
import { Ago } from '../parts/moment.tsx';
import { address, sessionAddress } from '../router.ts';
import { exactly, plural } from '../time.ts';
import { useTitle } from '../title.ts';

const lookMs = 3000;

function useHost() {
  const host = useAnswer('host', (signal) => read('host status', {}, signal));
  useLooking(host.again, lookMs);
  return host;
}

export function Groups() {
  const host = useHost();
  return (
    <section class="page">
      <h1>Groups</h1>
      <Answered answer={host} rows={6}>
        {(state) => (
          <>
            <HostState state={state} />
            {state.groups.length === 0 ? (
              <Empty title="There is no group yet">
                <p>
                  A group shares a memory and a sandbox, and has its own agent to talk to. Create one:{' '}
                  <code>holdfast groups create main</code>
                </p>
              </Empty>
            ) : (
              <ul class="rows">
                {state.groups.map((group) => (
                  <li key={group.group}>
                    <a class="row" href={address('group', { group: group.group })}>
                      <span class="row-title">{group.group}</span>
                      <span class="row-meta">
                        <Doing group={group} state={state} />
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}

type Host = Reads['host status'];

const HostState = ({ state: { running, since } }: { state: Host }) =>
  running ? (
    <p class="dim">The host is running{since && <> since {exactly(since)}</>}.</p>
  ) : (
    <div class="notice" role="status">
      <p>
        <strong>No host is running, so no agent answers.</strong> Messages wait until one runs. In a terminal:{' '}
        <code>holdfast host run</code>
      </p>
    </div>
  );

function Doing({
  group: { group, waiting, handed, givenUp, retryAt, tasks },
  state,
}: {
  group: GroupState;
  state: Host;
}) {
  const works = state.processes.some((one) => one.group === group);
  return (
    <>
      <span>{works ? (handed > 0 ? 'answering' : 'running') : 'not running'}</span>
      {waiting > 0 && <span>{plural(waiting, 'message')} waiting</span>}
      {givenUp > 0 && <span>{plural(givenUp, 'message')} given up; the next message retries them</span>}
      {retryAt && <span>next try at {exactly(retryAt)}</span>}
      {tasks > 0 && <span>{plural(tasks, 'task')}</span>}
    </>
  );
}

const shownEntries = 30;

/** The last entries of a session. Empty if the session has not been imported yet. */
async function lastOf(session: string | undefined, signal: AbortSignal): Promise<ShownEntry[]> {
  if (session === undefined) return [];
  try {
    const { total } = await read('show', { id: session, limit: 1 }, signal);
    const from = Math.max(0, total - shownEntries);
    return (await read('show', { id: session, from, limit: shownEntries }, signal)).entries;
  } catch (error) {
    if ((error as Failure).code === 'NOT_FOUND') return [];
    throw error;
  }
}

export function GroupPage({ group }: { group: string }) {
  useTitle(group);
  const host = useHost();
  // The key holds the time of opening, so that no older answer is shown. The chat receives later messages itself.
  const [opened] = useState(() => Date.now());
  const about = useAnswer(`group ${group} ${opened}`, async (signal) => {
    const [shown, { tasks }] = await Promise.all([
      read('groups show', { group }, signal),
      read('tasks', { group }, signal),
    ]);
    return { ...shown, tasks, before: await lastOf(shown.group.pointer.session, signal) };
  });
  const state = host.data?.groups.find((one) => one.group === group);
  // Wait for the host's state: it is shown above the chat, and must not push the chat down later.
  const isKnown = host.data !== undefined || host.failure !== undefined || about.failure !== undefined;
  return (
    <section class="page">
      <header class="page-head">
        <h1>{group}</h1>
        <p class="row-meta one-line">{host.data && state && <Doing group={state} state={host.data} />}</p>
      </header>
      {host.failure && <Trouble failure={host.failure} again={host.again} />}
      <Answered answer={isKnown ? about : { ...about, data: undefined, waiting: true }} rows={8}>
        {({ group: { pointer }, bookmarks, unanswered, told, folders, tasks, before }) => (
          <>
            {host.data && <HostState state={host.data} />}
            <div class="columns reading chatting">
              <Chat group={group} before={before} unanswered={unanswered} told={told} />
              <aside aria-label="About this group">
                {state?.error && (
                  <>
                    <h2>Last error</h2>
                    <p>{state.error.text}</p>
                    <p class="dim">
                      <Ago at={state.error.at} />
                    </p>
                  </>
                )}
                <h2>Sessions</h2>
                <ul class="rows">
                  {pointer.session !== undefined && (
                    <li>
                      <a class="row" href={sessionAddress(pointer.session)}>
                        <span class="row-title">Active session</span>
                      </a>
                    </li>
                  )}
                  {bookmarks.map(({ id, session, name, archivedAt }) => (
                    <li key={id}>
                      <a class="row" href={sessionAddress(session)}>
                        <span class="row-title">{name}</span>
                        <span class="row-meta">
                          left <Ago at={archivedAt} />
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
                {pointer.session === undefined && bookmarks.length === 0 && <p class="dim">None yet.</p>}
                <Tasks tasks={tasks} group={group} />
                <h2>Folder</h2>
                <p class="path">{folders.work}</p>
              </aside>
            </div>
          </>
        )}
      </Answered>
    </section>
  );
}

const every = (count: number, unit: string): string => (count === 1 ? `every ${unit}` : `every ${plural(count, unit)}`);
const interval = (minutes: number): string =>
  minutes % 1440 === 0
    ? every(minutes / 1440, 'day')
    : minutes % 60 === 0
      ? every(minutes / 60, 'hour')
      : every(minutes, 'minute');
const whenOf = (kind: ScheduledTask['kind'], when: string): string =>
  kind === 'interval' ? interval(Math.round(Number(when) / 60_000)) : kind === 'once' ? exactly(when) : when;

function Tasks({ tasks, group }: { tasks: readonly ScheduledTask[]; group: string }) {
  return (
    <>
      <h2>Scheduled tasks</h2>
      {tasks.length === 0 ? (
        <p class="dim">
          None. <code>holdfast tasks add {group} "…" --every 1d</code>
        </p>
      ) : (
        <ul>
          {tasks.map(({ id, prompt, kind, when, state, nextAt, lastError }) => (
            <li key={id} class="task">
              <span class="kind">{state}</span> {prompt}
              <p class="row-meta">
                <span>{whenOf(kind, when)}</span>
                {nextAt && (
                  <span>
                    next <Ago at={nextAt} />
                  </span>
                )}
              </p>
              {lastError && <p class="hint">{lastError}</p>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
