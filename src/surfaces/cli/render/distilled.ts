import { summaryParts } from '../../../operations/recall/distilled-text.ts';
import type { Observation } from '../../../schema/observation.ts';
import type { Summary } from '../../../schema/summary.ts';
import { clean, oneLine, type Style } from '../style.ts';
import { localTime, type View } from '../view.ts';

const colours: Readonly<Record<Observation['type'], keyof Style>> = {
  bugfix: 'red',
  feature: 'green',
  refactor: 'magenta',
  change: 'cyan',
  discovery: 'dim',
  decision: 'yellow',
};

interface Output {
  readonly observations: readonly Observation[];
  readonly note?: string | undefined;
}

export function renderObservations({ observations, note }: Output, view: View): string {
  if (observations.length === 0) return note ?? 'No observation matches.';
  let session = '';
  return observations
    .map((one) => {
      const head = one.session === session ? '' : `${session === '' ? '' : '\n'}${place(one, view)}\n`;
      session = one.session;
      return head + renderObservation(one, view);
    })
    .join('\n');
}

const place = ({ project, agent, session }: Observation | Summary, { style }: View): string =>
  `${style.bold(clean(project))}  ${style.dim(`${agent}  holdfast show ${clean(session)}`)}`;

function renderObservation(one: Observation, view: View): string {
  const { style } = view;
  const room = Math.max(40, view.width - 4);
  const type = style[colours[one.type]](one.type.padEnd(9));
  const time = localTime(one.at, view);
  const title = oneLine(one.title, Math.max(30, view.width - time.length - 30));
  return [
    `  ${style.cyan(time)}  ${type}  ${style.bold(title)}  ${style.dim(one.id)}`,
    ...(one.subtitle === '' ? [] : [`    ${oneLine(one.subtitle, room)}`]),
    ...one.facts.slice(0, 4).map((fact) => `    ${style.dim('·')} ${style.dim(oneLine(fact, room - 2))}`),
  ].join('\n');
}

export function renderSummaries(
  { summaries, note }: { summaries: readonly Summary[]; note?: string | undefined },
  view: View,
): string {
  if (summaries.length === 0) return note ?? 'No summary matches.';
  return summaries.map((one) => renderSummary(one, view)).join('\n\n');
}

function renderSummary(one: Summary, view: View): string {
  const { style } = view;
  return [
    `${style.cyan(localTime(one.at, view))}  ${style.bold(oneLine(one.title, 200))}  ${style.dim(one.id)}`,
    `  ${place(one, view)}`,
    ...summaryParts(one).map(
      ([name, text]) => `  ${style.dim(name.padEnd(12))}  ${wrapped(clean(text), view.width - 18)}`,
    ),
  ].join('\n');
}

/** In lines that fit the terminal, aligned below the first. */
function wrapped(text: string, width: number): string {
  const room = Math.max(40, width);
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) as string;
    if (last !== '' && last.length + word.length + 1 > room) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join(`\n${' '.repeat(16)}`);
}
