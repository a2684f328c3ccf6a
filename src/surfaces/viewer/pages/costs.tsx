// What the memory costs: tokens used and saved, by day and model; space on disk; what was imported, and how fast.
import { aMinute, useAnswer, useLooking } from '../answer.ts';
import type { Reads } from '../answers.ts';
import { read } from '../api.ts';
import { addDays, fullDay, shortDate, startOf, timeZone, today } from '../days.ts';
import { Answered } from '../parts/answered.tsx';
import { Table } from '../parts/as-table.tsx';
import { Bars } from '../parts/bars.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/filters.tsx';
import { Plot } from '../parts/plot.tsx';
import { here, setQuery } from '../router.ts';
import { bytes, compact, number, plural } from '../time.ts';

type Stats = Reads['stats'];
const spans = ['7', '30', '90', '365'] as const;

export function Costs() {
  const asked = here.value.searchParams.get('days') ?? '';
  const days = Number(spans.find((one) => one === asked) ?? '30');
  const first = addDays(today(), 1 - days);
  const answer = useAnswer(
    `stats ${first}`,
    (signal) => read('stats', { since: startOf(first), timeZone }, signal),
    ({ kind }) => kind === 'gone',
  );
  useLooking(answer.again, aMinute);
  const all = Array.from({ length: days }, (_, i) => addDays(first, i));
  return (
    <section class="page costs">
      <h1>Costs</h1>
      <div class="filters one">
        <Field
          label="Time"
          value={String(days)}
          options={spans.map((one) => [one, one === '365' ? 'the last year' : `the last ${one} days`] as const)}
          onChange={(chosen) => setQuery({ days: chosen === '30' ? '' : chosen })}
        />
      </div>
      <Answered answer={answer} rows={12}>
        {(stats) => (
          <>
            <Tiles stats={stats} />
            <Tokens stats={stats} days={all} />
            <div class="columns">
              <div>
                <h2>Disk usage</h2>
                <Disk disk={stats.disk} />
              </div>
              <div>
                <h2>Stored</h2>
                <Kept stats={stats} />
              </div>
            </div>
            <h2>Imported</h2>
            <Imports stats={stats} days={all} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Tiles({ stats: { spent, today: now } }: { stats: Stats }) {
  const tiles = [
    ['Tokens spent', compact(spent.tokens), `in ${plural(spent.calls, 'call')} to models`],
    ['Tokens saved', compact(spent.saved), 'compared with one call per tool use'],
    ['Today', compact(now.spent), `of ${compact(now.budget)} that may be spent`],
  ] as const;
  return (
    <dl class="tiles">
      {tiles.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="tile-value">{value}</dd>
          <dd class="dim">{more}</dd>
        </div>
      ))}
    </dl>
  );
}

const columnsOf = (days: readonly string[]) => days.map((day) => ({ short: shortDate(day), full: fullDay(day) }));

function Tokens({ stats: { models, daysAndModels }, days }: { stats: Stats; days: readonly string[] }) {
  if (models.length === 0)
    return (
      <Empty title="No model calls in this period" small>
        <p>
          The built-in distiller works offline and uses no tokens. To use a model:{' '}
          <code>holdfast config set distill.model claude</code>
        </p>
      </Empty>
    );
  const tokens = new Map(
    daysAndModels.map((one) => [`${one.day} ${one.model}`, one.inputTokens + one.outputTokens] as const),
  );
  return (
    <>
      <h2>Tokens by day and model</h2>
      <Plot
        title="Tokens by day and model"
        heads="Day"
        columns={columnsOf(days)}
        series={models.map(({ model }) => ({
          name: model,
          values: days.map((day) => tokens.get(`${day} ${model}`) ?? 0),
        }))}
        say={compact}
      />
      <Table
        caption="Tokens by model"
        heads={['Model', 'Calls', 'In', 'Out', 'Instead of']}
        rows={models.map(({ model, calls, inputTokens, outputTokens, insteadOf }) => ({
          key: model,
          cells: [model, calls, inputTokens, outputTokens, insteadOf],
        }))}
      />
    </>
  );
}

const places = {
  database: 'Database',
  vault: 'Copies of transcripts',
  memory: 'Memory pages',
  archives: 'Archives',
  backups: 'Backups',
  logs: 'Logs',
} as const;

const Disk = ({ disk }: { disk: Stats['disk'] }) => (
  <Bars
    label="Disk usage"
    bars={(Object.keys(places) as (keyof typeof places)[]).map((key) => ({
      key,
      name: places[key],
      value: disk[key],
      said: bytes(disk[key]),
    }))}
  />
);

function Kept({ stats: { kept, distilled } }: { stats: Stats }) {
  const rows = [
    ['Projects', kept.projects],
    ['Sessions', kept.sessions],
    ['Entries', kept.entries],
    ['Tool uses', kept.toolUses],
    ['Observations', distilled.observations],
    ['Summaries', distilled.summaries],
    ['Conversations in memory', distilled.conversations],
  ] as const;
  return (
    <dl class="facts">
      {rows.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Imports({ stats: { imports }, days }: { stats: Stats; days: readonly string[] }) {
  if (imports.length === 0)
    return (
      <Empty title="Nothing was imported in this period" small>
        <p>
          Holdfast imports what your agents write as they write it. To import now: <code>holdfast ingest</code>
        </p>
      </Empty>
    );
  const entries = new Map(imports.map((one) => [one.day, one.entries]));
  const sum = (of: (one: (typeof imports)[number]) => number) => imports.reduce((all, one) => all + of(one), 0);
  const [size, seconds] = [sum((one) => one.bytes), sum((one) => one.seconds)];
  return (
    <>
      <p>
        {plural(
          sum((one) => one.entries),
          'entry',
          'entries',
        )}{' '}
        from {bytes(size)} of transcripts
        {seconds >= 0.1 &&
          `, at ${bytes(size / seconds)} and ${compact(sum((one) => one.entries) / seconds)} entries a second`}
      </p>
      <Plot
        title="Imported entries by day"
        heads="Day"
        columns={columnsOf(days)}
        series={[{ name: 'entries', values: days.map((day) => entries.get(day) ?? 0) }]}
        say={compact}
      />
    </>
  );
}
