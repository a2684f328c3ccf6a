// The list of projects, and one project: its activity, its sessions and their results.
import { useState } from 'preact/hooks';
import { aMinute, useAnswer, useLooking } from '../answer.ts';
import type { Observation, Project } from '../answers.ts';
import { read } from '../api.ts';
import { addDays, mondayOf, spanOf, timeZone, today } from '../days.ts';
import { Answered, Filled } from '../parts/answered.tsx';
import { Bars } from '../parts/bars.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/filters.tsx';
import { HeatMap, mostWeeks, noActivity } from '../parts/heat-map.tsx';
import { Inline } from '../parts/inline.tsx';
import { Ago } from '../parts/moment.tsx';
import { SessionRow } from '../parts/session-row.tsx';
import { address, here, sessionAddress, setQuery } from '../router.ts';
import { plural } from '../time.ts';
import { useTitle } from '../title.ts';
import { compareAddress } from './compare.tsx';

/** The limit of the operation. */
const mostSessions = 1000;
const ofEntries = ({ kind }: { kind: string }) => kind === 'entries' || kind === 'gone';

const orders: Readonly<Record<string, (a: Project, b: Project) => number>> = {
  '': (a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1),
  sessions: (a, b) => b.sessions - a.sessions,
  entries: (a, b) => b.entries - a.entries,
  name: (a, b) => a.label.localeCompare(b.label),
};

export function Projects() {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const order = here.value.searchParams.get('order') ?? '';
  const answer = useAnswer('projects', (signal) => read('projects', {}, signal), ofEntries);
  return (
    <section class="page">
      <h1>Projects</h1>
      <Answered answer={answer} rows={10}>
        {({ projects }) =>
          projects.length === 0 ? (
            <Empty title="No project yet">
              <p>
                A project is the folder or repository that a session works in. Start one in an agent, or import what
                agents wrote before: <code>holdfast ingest</code>
              </p>
            </Empty>
          ) : (
            <div class="columns">
              <div>
                <div class="filters one">
                  <Field
                    label="Order"
                    value={order}
                    options={[
                      ['', 'last worked in'],
                      ['sessions', 'most sessions'],
                      ['entries', 'most entries'],
                      ['name', 'by name'],
                    ]}
                    onChange={(by) => setQuery({ order: by })}
                  />
                </div>
                <CompareLink chosen={chosen} />
                <ul class="rows">
                  {projects.toSorted(orders[order] ?? orders['']).map((project) => (
                    <li key={project.path} class="choosable">
                      <Choose path={project.path} name={project.label} chosen={chosen} choose={setChosen} />
                      <a class="row" href={address('project', { path: project.path })}>
                        <span class="row-title">{project.label}</span>
                        <span class="row-meta">
                          <span>{plural(project.sessions, 'session')}</span>
                          <span>{plural(project.entries, 'entry', 'entries')}</span>
                          <Ago at={project.lastActivityAt} />
                          <span class="path">{project.path}</span>
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
              <div>
                <h2>Sessions by project</h2>
                <Bars
                  label="Sessions by project"
                  bars={projects
                    .toSorted((a, b) => b.sessions - a.sessions)
                    .slice(0, 20)
                    .map(({ label, path, sessions }) => ({
                      key: path,
                      name: label,
                      value: sessions,
                      said: plural(sessions, 'session'),
                      href: address('project', { path }),
                    }))}
                />
              </div>
            </div>
          )
        }
      </Answered>
    </section>
  );
}

/** As many as the comparison takes. */
const mostCompared = 6;

function CompareLink({ chosen }: { chosen: readonly string[] }) {
  if (chosen.length < 2) return <p class="dim">Mark two or more to compare them.</p>;
  return (
    <p>
      <a class="button" href={compareAddress(chosen)}>
        Compare {chosen.length} projects
      </a>
    </p>
  );
}

function Choose({
  path,
  name,
  chosen,
  choose,
}: {
  path: string;
  name: string;
  chosen: readonly string[];
  choose: (paths: readonly string[]) => void;
}) {
  const isChosen = chosen.includes(path);
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${name}`}
      checked={isChosen}
      disabled={!isChosen && chosen.length === mostCompared}
      onChange={() => choose(isChosen ? chosen.filter((one) => one !== path) : [...chosen, path])}
    />
  );
}

export function ProjectPage({ path }: { path: string }) {
  const answer = useAnswer('projects', (signal) => read('projects', {}, signal), ofEntries);
  return (
    <section class="page">
      <Answered answer={answer} rows={8}>
        {({ projects }) => {
          const project = projects.find((one) => one.path === path);
          return project === undefined ? (
            <>
              <h1>There is no such project</h1>
              <p class="path">{path}</p>
              <a href={address('projects')}>All projects</a>
            </>
          ) : (
            <OneProject project={project} />
          );
        }}
      </Answered>
    </section>
  );
}

function OneProject({ project: { label, path, sessions, entries, lastActivityAt } }: { project: Project }) {
  useTitle(label);
  const [limit, setLimit] = useState(20);
  const from = addDays(mondayOf(today()), -7 * (mostWeeks - 1));
  const activity = useAnswer(
    `activity ${from} ${path}`,
    (signal) => read('activity', { ...spanOf(from, today()), project: path, timeZone }, signal),
    ({ kind }) => kind === 'gone',
  );
  useLooking(activity.again, aMinute);
  // Fetch both together: on a small screen the upper one would push the lower one down.
  const work = useAnswer(
    `work ${path} ${limit}`,
    async (signal) => {
      const [worked, noted] = await Promise.all([
        read('sessions', { project: path, limit }, signal),
        read('observations', { project: path, limit: 15 }, signal),
      ]);
      return { ...worked, ...noted };
    },
    ({ kind }) => kind === 'entries' || kind === 'observations' || kind === 'gone',
  );
  return (
    <>
      <header class="page-head">
        <h1>{label}</h1>
        <p class="row-meta">
          <span class="path">{path}</span>
          <span>{plural(sessions, 'session')}</span>
          <span>{plural(entries, 'entry', 'entries')}</span>
          <Ago at={lastActivityAt} />
        </p>
        <div class="actions">
          <a class="button" href={address('search', {}, { project: path })}>
            Search this project
          </a>
          <a class="button" href={address('timeline', {}, { project: path })}>
            Timeline
          </a>
        </div>
      </header>
      <Filled answer={activity} empty={noActivity}>
        {(found) => <HeatMap activity={found} end={today()} project={path} />}
      </Filled>
      <Answered answer={work} rows={8}>
        {({ sessions: found, observations }) => (
          <div class="columns">
            <div>
              <h2>Sessions</h2>
              <ul class="rows">
                {found.map((one) => (
                  <li key={`${one.agent} ${one.id}`}>
                    <SessionRow session={one} apart={false} />
                  </li>
                ))}
              </ul>
              {found.length === limit && limit < mostSessions && (
                <button type="button" onClick={() => setLimit(Math.min(mostSessions, limit * 4))}>
                  Show more
                </button>
              )}
            </div>
            <div>
              <h2>Observations</h2>
              <Observations observations={observations} />
            </div>
          </div>
        )}
      </Answered>
    </>
  );
}

function Observations({ observations }: { observations: readonly Observation[] }) {
  return observations.length === 0 ? (
    <p class="dim">
      Nothing yet. Holdfast writes observations some time after a turn ends. To do it now: <code>holdfast process</code>
    </p>
  ) : (
    <ol class="feed">
      {observations.map(({ id, type, title, session, entries: cited, at }) => (
        <li key={id}>
          <span class={`kind ${type}`}>{type}</span>
          <a href={sessionAddress(session, cited[0])}>
            <Inline text={title} />
          </a>
          <span class="row-meta">
            <Ago at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
