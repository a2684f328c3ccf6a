// What happened when: a year as a heat map, a week by hours, a day from its first entry to its last. For all projects or one.
import { aMinute, useAnswer, useLooking } from '../answer.ts';
import type { Activity, Amount } from '../answers.ts';
import { read } from '../api.ts';
import { addDays, asDay, asMoment, fullDate, fullDay, mondayOf, shortDate, spanOf, timeZone, today } from '../days.ts';
import { Filled } from '../parts/answered.tsx';
import { Bars } from '../parts/bars.tsx';
import { DayAccount, Sessions } from '../parts/day.tsx';
import { Empty } from '../parts/empty.tsx';
import { ProjectField } from '../parts/filters.tsx';
import { HeatMap, HourMap, mostWeeks, noActivity } from '../parts/heat-map.tsx';
import { address, go, here, setQuery } from '../router.ts';
import { plural } from '../time.ts';

type View = 'year' | 'week' | 'day';

export function Timeline() {
  const query = here.value.searchParams;
  const [day, week] = [asDay(query.get('day')), asDay(query.get('week'))];
  const view: View = day !== undefined ? 'day' : week !== undefined ? 'week' : 'year';
  const at = day ?? week ?? asDay(query.get('end')) ?? today();
  const project = query.get('project') ?? undefined;
  const projects = useAnswer('projects', (signal) => read('projects', {}, signal));
  const to = (next: View, moment = at) => {
    const end = moment >= today() ? undefined : moment;
    const stated = { year: { end }, week: { week: mondayOf(moment) }, day: { day: moment } };
    return address('timeline', {}, { ...stated[next], project });
  };
  const steps = { year: 182, week: 7, day: 1 } as const;
  return (
    <section class="page timeline">
      <h1>Timeline</h1>
      <div class="period">
        <nav aria-label="Range" class="switch">
          {(['year', 'week', 'day'] as const).map((one) => (
            <a key={one} href={to(one)} aria-current={one === view ? 'true' : undefined}>
              {one[0]?.toUpperCase()}
              {one.slice(1)}
            </a>
          ))}
        </nav>
        <div class="steps-between">
          <a class="button" href={to(view, addDays(at, -steps[view]))} aria-label="Earlier">
            ←
          </a>
          <label class="field">
            <span class="unseen">Day</span>
            <input
              type="date"
              value={at}
              max={today()}
              onChange={(event) => {
                const chosen = asDay(event.currentTarget.value);
                if (chosen !== undefined) go(to(view, chosen));
              }}
            />
          </label>
          {isLast(view, at) ? (
            <button type="button" disabled aria-label="Later">
              →
            </button>
          ) : (
            <a class="button" href={to(view, addDays(at, steps[view]))} aria-label="Later">
              →
            </a>
          )}
        </div>
        <ProjectField
          projects={projects.data?.projects}
          value={project}
          onChange={(chosen) => setQuery({ project: chosen })}
        />
      </div>
      {view === 'year' && <Year key={`${at} ${project}`} end={[at, today()].sort()[0] as string} project={project} />}
      {view === 'week' && <Week monday={mondayOf(at)} project={project} />}
      {view === 'day' && <Day day={at} project={project} />}
    </section>
  );
}

/** The future has nothing to show. */
const isLast = (view: View, at: string): boolean =>
  view === 'week' ? addDays(mondayOf(at), 7) > today() : at >= today();

const ofEntries = ({ kind }: { kind: string }) => kind === 'entries' || kind === 'gone';
const useActivity = (from: string, to: string, project: string | undefined, matters = ofEntries) =>
  useAnswer(
    `activity ${from} ${to} ${project}`,
    (signal) => read('activity', { ...spanOf(from, to), project, timeZone }, signal),
    matters,
  );

function Year({ end, project }: { end: string; project: string | undefined }) {
  const from = addDays(mondayOf(end), -7 * (mostWeeks - 1));
  // Counting a year is expensive for the worker, so do not repeat it at every new entry.
  const answer = useActivity(from, end, project, ({ kind }) => kind === 'gone');
  useLooking(answer.again, aMinute);
  return (
    <>
      <p class="lead long">{answer.data && saidOf(answer.data.total, fullDate(from), fullDate(end))}</p>
      <Filled answer={answer} empty={noActivity}>
        {(activity) => <HeatMap activity={activity} end={end} project={project} />}
      </Filled>
      {answer.data && <OfYear activity={answer.data} project={project} />}
    </>
  );
}

const saidOf = ({ entries, prompts, sessions }: Amount, from: string, to: string): string =>
  entries === 0
    ? `From ${from} to ${to}`
    : `${plural(entries, 'entry', 'entries')} (${plural(prompts, 'prompt')}) in ${plural(sessions, 'session')}, from ${from} to ${to}`;

function OfYear({ activity, project }: { activity: Activity; project: string | undefined }) {
  if (activity.total.entries === 0)
    return (
      <Empty title="Nothing happened in this year">
        <p>
          Start a session in one of your agents, or import what they wrote before: <code>holdfast ingest</code>
        </p>
      </Empty>
    );
  return (
    <div class="columns">
      <div>
        <h2>Hours of the week</h2>
        <HourMap activity={activity} project={project} />
      </div>
      <div>
        <h2>Projects</h2>
        <Bars
          label="Entries by project"
          bars={activity.projects.slice(0, 12).map(({ name, path, entries, sessions }) => ({
            key: path,
            name,
            value: entries,
            said: `${plural(entries, 'entry', 'entries')}, ${plural(sessions, 'session')}`,
            href: address('project', { path }),
          }))}
        />
      </div>
    </div>
  );
}

function Week({ monday, project }: { monday: string; project: string | undefined }) {
  const days = Array.from({ length: 7 }, (_, i) => addDays(monday, i));
  const sunday = days[6] as string;
  const answer = useActivity(monday, sunday, project);
  return (
    <>
      <p class="lead">
        {shortDate(monday)} to {fullDate(sunday)}
        {answer.data &&
          `: ${plural(answer.data.total.entries, 'entry', 'entries')}, ${plural(answer.data.total.sessions, 'session')}`}
      </p>
      <Filled answer={answer} empty={noActivity}>
        {(activity) => <HourMap key={monday} activity={activity} days={days} project={project} />}
      </Filled>
      <h2>Sessions</h2>
      <Sessions key={`${monday} ${project}`} from={monday} to={sunday} project={project} />
    </>
  );
}

function Day({ day, project }: { day: string; project: string | undefined }) {
  const before = asMoment(here.value.searchParams.get('before'));
  const answer = useActivity(day, day, project);
  return (
    <>
      <p class="lead">
        {fullDay(day)}
        {answer.data &&
          `: ${plural(answer.data.total.entries, 'entry', 'entries')}, ${plural(answer.data.total.sessions, 'session')}`}
      </p>
      <Filled answer={answer} empty={noActivity}>
        {(activity) => <HourMap key={day} activity={activity} days={[day]} project={project} />}
      </Filled>
      <DayAccount key={`${day} ${project}`} day={day} project={project} before={before} />
    </>
  );
}
