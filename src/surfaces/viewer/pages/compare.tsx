// Several projects side by side: how much was done, what it used, and on which files.

import { dollars } from '../../../schema/dollars.ts';
import { useAnswer } from '../answer.ts';
import type { ComparedProject } from '../answers.ts';
import { read } from '../api.ts';
import { Answered } from '../parts/answered.tsx';
import { Bars } from '../parts/bars.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/filters.tsx';
import { address, here, setQuery } from '../router.ts';
import { compact, number, plural } from '../time.ts';
import { useTitle } from '../title.ts';

const spans = [
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['365d', 'Last year'],
  ['3650d', 'Last ten years'],
] as const;

export const compareAddress = (paths: readonly string[]): string => {
  const query = new URLSearchParams(paths.map((path) => ['project', path]));
  return `${address('compare')}?${query}`;
};

export function Compare() {
  useTitle('Compare projects');
  const query = here.value.searchParams;
  const paths = query.getAll('project');
  const since = query.get('since') ?? '365d';
  const isAsking = paths.length > 1;
  const answer = useAnswer(isAsking ? JSON.stringify(['compare', paths, since]) : undefined, (signal) =>
    read('projects compare', { projects: paths.join(','), since }, signal),
  );
  return (
    <section class="page compare">
      <h1>Compare projects</h1>
      {isAsking ? (
        <>
          <div class="filters one">
            <Field label="When" value={since} options={spans} onChange={(chosen) => setQuery({ since: chosen })} />
          </div>
          <Answered answer={answer} rows={10}>
            {({ projects }) => <Beside projects={projects} />}
          </Answered>
        </>
      ) : (
        <Empty title="Choose at least two projects">
          <a href={address('projects')}>All projects</a>
        </Empty>
      )}
    </section>
  );
}

const figures: readonly (readonly [string, (one: ComparedProject) => string])[] = [
  ['Sessions', (one) => number(one.sessions)],
  ['Prompts', (one) => number(one.prompts)],
  ['Entries', (one) => number(one.entries)],
  ['Tool uses', (one) => number(one.toolUses)],
  ['Days with activity', (one) => number(one.days)],
  ['Ended with a failure', (one) => number(one.failed)],
  ['Tokens', (one) => (one.counted === 0 ? 'not counted' : compact(one.tokens))],
  ['Cost', (one) => (one.cost === undefined ? 'not known' : dollars(one.cost))],
];

/** Tokens and cost are those of the sessions whose tokens are known; the worker counts them in the background. */
const known = ['Sessions with known tokens', (one: ComparedProject) => number(one.counted)] as const;
const isPartial = ({ counted, sessions }: ComparedProject): boolean => counted > 0 && counted < sessions;

function Beside({ projects }: { projects: readonly ComparedProject[] }) {
  const most = Math.max(1, ...projects.flatMap(({ months }) => months.map(({ entries }) => entries)));
  return (
    <>
      <div class="table-scroll">
        <table class="compared">
          <thead>
            <tr>
              <td />
              {projects.map((one) => (
                <th key={one.path} scope="col">
                  <a href={address('project', { path: one.path })}>{one.name}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(projects.some(isPartial) ? [...figures, known] : figures).map(([title, figure]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {projects.map((one) => (
                  <td key={one.path}>{figure(one)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="compared-columns">
        {projects.map((one) => (
          <div key={one.path}>
            <h2>{one.name}</h2>
            <h3>Entries by month</h3>
            <Bars label={`Entries by month in ${one.name}`} bars={monthBars(one, projects)} most={most} />
            <h3>Files</h3>
            {one.files.length === 0 ? (
              <p class="dim">No tool used a file.</p>
            ) : (
              <ul class="files">
                {one.files.map(({ file, modified, read: opened }) => (
                  <li key={file}>
                    {file}{' '}
                    <span class="dim">
                      {modified > 0 ? plural(modified, 'change') : `read ${plural(opened, 'time')}`}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </div>
        ))}
      </div>
    </>
  );
}

/** The months of all projects, so that the bars stand beside each other. */
function monthBars({ months }: ComparedProject, projects: readonly ComparedProject[]) {
  const all = [...new Set(projects.flatMap((one) => one.months.map(({ month }) => month)))].sort();
  return all.map((month) => {
    const entries = months.find((one) => one.month === month)?.entries ?? 0;
    return { key: month, name: month, value: entries, said: number(entries) };
  });
}
