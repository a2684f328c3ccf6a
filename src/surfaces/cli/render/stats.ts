import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { stats } from '../../../operations/recall/stats.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { bytes, table } from '../style.ts';
import type { View } from '../view.ts';

const number = withCommas;

export function renderStats(
  { kept, distilled, jobs, today, spent, models, days }: z.infer<(typeof stats)['output']>,
  { style }: View,
): string {
  const lines = [
    `${plural(kept.entries, 'entry', 'entries')} and ${plural(kept.toolUses, 'tool use')} in ${plural(kept.sessions, 'session')} of ${plural(kept.projects, 'project')}, ${bytes(kept.bytes)}`,
    `${plural(distilled.observations, 'observation')}, ${plural(distilled.summaries, 'summary', 'summaries')}, ${plural(distilled.conversations, 'conversation')} in memory`,
    `${jobs.ready === 0 ? 'nothing waiting' : `${plural(jobs.ready, 'job')} waiting`}${jobs.failed > 0 ? style.yellow(`, ${number(jobs.failed)} failed`) : ''}`,
  ];
  if (spent.calls === 0) return [...lines, 'No model calls.'].join('\n');
  lines.push(
    `${number(spent.tokens)} tokens spent in ${plural(spent.calls, 'call')}; one call per tool use would have taken ${number(spent.insteadOf)}`,
    `today ${number(today.spent)} of ${number(today.budget)} tokens`,
    '',
  );
  const row = (name: string, { calls, inputTokens, outputTokens }: (typeof models)[number] | (typeof days)[number]) => [
    name,
    number(calls),
    number(inputTokens),
    number(outputTokens),
  ];
  const rows = [
    ['', 'calls', 'tokens in', 'tokens out'],
    ...models.map((one) => row(one.model, one)),
    ...days.map((one) => row(one.day, one)),
  ];
  return [...lines, table(rows, (cell, column) => (column === 0 ? style.bold(cell) : cell))].join('\n');
}
