// All sessions, sorted, with filters for project, agent, time, file, star, tag, outcome, cost and words.
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { type Choice, choices, chosen, type Facet, outcomes, sorted, sorts, type Wanted } from '../facets.ts';
import { Answered } from '../parts/answered.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field, type Option, TextField, times } from '../parts/filters.tsx';
import { agentTitle, SessionRow } from '../parts/session-row.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { here, setQuery } from '../router.ts';
import { plural } from '../time.ts';

const ofEntries = ({ kind }: { kind: string }) => kind === 'entries' || kind === 'gone';
/** `holdfast sessions` can list more. */
const most = 5000;
const days: Readonly<Record<string, number>> = { today: 1, '7d': 7, '30d': 30, '365d': 365 };

export function Sessions() {
  const file = fileIn(here.value.searchParams.get('file') ?? '');
  const answer = useAnswer(
    `all sessions ${file}`,
    (signal) => read('sessions', { limit: most, ...(file === '' ? {} : { file }) }, signal),
    ofEntries,
  );
  return (
    <section class="page sessions">
      <h1>Sessions</h1>
      <Answered answer={answer} rows={10}>
        {({ sessions }) => <Chosen sessions={sessions} />}
      </Answered>
    </section>
  );
}

function Chosen({ sessions }: { sessions: readonly Session[] }) {
  const query = here.value.searchParams;
  const get = (name: string) => query.get(name) ?? '';
  const since = days[get('since')];
  const wanted: Wanted = {
    ...{ project: get('project'), agent: get('agent'), tag: get('tag'), words: get('q') },
    ...{ outcome: get('outcome'), cost: get('cost') },
    starred: get('starred') !== '',
    since: since === undefined ? 0 : startOfDay(since - 1),
  };
  const found = useMemo(() => sorted(chosen(sessions, wanted), get('sort')), [sessions, query.toString()]);
  const names = useMemo(() => new Map(sessions.map((one) => [one.projectPath, one.project])), [sessions]);
  const options = (facet: Facet, all: string, name: (value: string) => string): Option[] => [
    ['', all],
    ...choices(sessions, wanted, facet).map(({ value, count }: Choice): Option => [value, `${name(value)} (${count})`]),
  ];
  const isEmpty = sessions.length === 0 && fileIn(get('file')) === '';
  return (
    <>
      <input
        type="search"
        class="wide"
        aria-label="Words in title, project, branch or tag"
        placeholder="Words in title, project, branch or tag"
        value={wanted.words}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
      <div class="filters">
        <Field
          label="Project"
          value={wanted.project}
          options={options('project', 'All projects', (path) => names.get(path) || 'no project')}
          onChange={(project) => setQuery({ project })}
        />
        <Field
          label="Agent"
          value={wanted.agent}
          options={options('agent', 'All agents', (agent) => agentTitle(agent as Session['agent']))}
          onChange={(agent) => setQuery({ agent })}
        />
        <Field label="When" value={get('since')} options={times} onChange={(time) => setQuery({ since: time })} />
        <TextField label="File" value={get('file')} example="src/auth/jwt.ts" onChange={(file) => setQuery({ file })} />
        <Field
          label="Tag"
          value={wanted.tag}
          options={options('tag', 'Any tag', (tag) => `#${tag}`)}
          onChange={(tag) => setQuery({ tag })}
        />
        <Field
          label="Outcome"
          value={wanted.outcome}
          options={options(
            'outcome',
            'Any outcome',
            (value) => outcomes[value as keyof typeof outcomes] ?? 'Not known',
          )}
          onChange={(outcome) => setQuery({ outcome })}
        />
        <Field
          label="Cost"
          value={wanted.cost}
          options={options('cost', 'Any cost', (value) => (value === 'unknown' ? 'Not known' : value))}
          onChange={(cost) => setQuery({ cost })}
        />
        <Field label="Sort by" value={get('sort')} options={sorts} onChange={(sort) => setQuery({ sort })} />
        <label class="check">
          <input
            type="checkbox"
            checked={wanted.starred}
            onChange={(event) => setQuery({ starred: event.currentTarget.checked ? '1' : '' })}
          />
          Starred
        </label>
      </div>
      <p class="dim count" role="status">
        {found.length === sessions.length
          ? plural(found.length, 'session')
          : `${plural(found.length, 'session')} of ${sessions.length}`}
      </p>
      {found.length === 0 ? (
        <Empty title={isEmpty ? 'No session yet' : 'No session matches'} small>
          <p>{isEmpty ? 'Import first: holdfast ingest' : 'Remove one of the filters.'}</p>
        </Empty>
      ) : (
        <div class="rows">
          <VirtualList
            count={found.length}
            label="Sessions"
            estimate={() => 64}
            render={(index) => {
              const session = found[index];
              return session && <SessionRow session={session} />;
            }}
          />
        </div>
      )}
    </>
  );
}

/** A folder names no file; the worker would refuse it. */
const fileIn = (typed: string): string => (/(?:^|\/)\.{0,2}$/.test(typed.trim()) ? '' : typed.trim());

const startOfDay = (before: number): number => {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  return date.setDate(date.getDate() - before);
};
