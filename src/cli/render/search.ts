import { type Hit, isDerived, type Touched } from '../../schema/hit.ts';
import { clean, marked, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderSearch({ hits, note }: { hits: readonly Hit[]; note?: string }, view: View): string {
  if (hits.length === 0) {
    const advice = note?.startsWith('No session is known')
      ? 'List projects: holdfast projects'
      : 'Try other words, fewer filters, or import first: holdfast ingest';
    return `Nothing found. ${note === undefined ? '' : `${clean(note)} `}${view.style.dim(advice)}`;
  }
  const shown = hits.map((hit) => renderHit(hit, view)).join('\n\n');
  return note === undefined ? shown : `${shown}\n\n${view.style.dim(clean(note))}`;
}

function renderHit(hit: Hit, view: View): string {
  const { style } = view;
  const marks = [
    hit.role,
    hit.subagent === undefined ? undefined : 'subagent',
    hit.abandoned ? 'abandoned' : undefined,
    hit.gone ? 'no longer in the transcript' : undefined,
  ];
  const head = [
    style.cyan(localTime(hit.at, view)),
    ...(hit.project === '' ? [] : [style.bold(clean(hit.project))]),
    ...marks.filter((mark) => mark !== undefined),
  ].join('  ');
  const title = hit.title ? `  ${style.dim(oneLine(hit.title, Math.max(20, view.width - 50)))}` : '';
  const lines = [
    ...(hit.touched ? touchedLines(hit.touched, view) : []),
    ...(hit.snippet === '' ? [] : [marked(clean(hit.snippet), style)]),
    ...(hit.why === undefined ? [] : [style.dim(oneLine(hit.why.join(' · '), Math.max(40, view.width - 4)))]),
    style.dim(follow(hit)),
  ];
  return `${head}${title}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** The command that shows more of it. */
function follow({ kind, id, session }: Hit): string {
  if (isDerived(kind)) return `holdfast get ${id}`;
  return `holdfast show ${kind === 'conversation' ? session : id}`;
}

/** `Edit ×3 (1 failed), Read  /srv/shop/src/auth/jwt.ts`, and the prompt that led to it. */
function touchedLines({ files, tools, asked }: Touched, { style, width }: View): string[] {
  const done = tools.map(({ tool, times, failed }) => {
    const failures = failed === 0 ? '' : times === 1 ? ' (failed)' : ` (${failed} failed)`;
    return `${clean(tool)}${times === 1 ? '' : ` ×${times}`}${failures}`;
  });
  return [
    `${style.bold(done.join(', '))}  ${files.map(clean).join(', ')}`,
    ...(asked === undefined ? [] : [`asked: ${oneLine(asked, Math.max(40, width - 10))}`]),
  ];
}
