import type { Hit } from '../../schema/hit.ts';
import { clean, oneLine, type Style } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderSearch({ hits, note }: { hits: readonly Hit[]; note?: string }, view: View): string {
  if (note !== undefined) return `Nothing found. ${clean(note)} ${view.style.dim('List projects: holdfast projects')}`;
  if (hits.length === 0)
    return `Nothing found. ${view.style.dim('Try other words, fewer filters, or import first: holdfast ingest')}`;
  return hits.map((hit) => renderHit(hit, view)).join('\n\n');
}

function renderHit(hit: Hit, view: View): string {
  const { style } = view;
  const marks = [
    hit.role,
    hit.subagent === undefined ? undefined : 'subagent',
    hit.abandoned ? 'abandoned' : undefined,
  ];
  const head = [
    style.cyan(localTime(hit.at, view)),
    style.bold(clean(hit.project)),
    ...marks.filter((mark) => mark !== undefined),
  ].join('  ');
  const title = hit.title ? `  ${style.dim(oneLine(hit.title, Math.max(20, view.width - 50)))}` : '';
  return `${head}${title}\n  ${marked(clean(hit.snippet), style)}\n  ${style.dim(`holdfast show ${hit.id}`)}`;
}

/** On a terminal with colours the matches are coloured; elsewhere the marks stay. */
const marked = (snippet: string, style: Style): string =>
  style.yellow('x') === 'x'
    ? snippet
    : snippet.replace(/«([^«»]*)»/g, (_, match: string) => style.bold(style.yellow(match)));
