import type { Hit, Touched, UsedTool } from '../../../schema/hit.ts';
import { hasWords, isDerived, onlySimilar } from '../../../schema/hit-text.ts';
import { clean, marked, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderSearch({ hits, note }: { hits: readonly Hit[]; note?: string | undefined }, view: View): string {
  if (hits.length === 0) {
    const advice = note?.startsWith('No session is known')
      ? 'List projects: holdfast projects'
      : 'Try other words, fewer filters, or import first: holdfast ingest';
    return `Nothing found. ${note === undefined ? '' : `${clean(note)} `}${view.style.dim(advice)}`;
  }
  const similar = hits.some(hasWords) ? [] : [view.style.yellow(onlySimilar)];
  const groups = byTurn(hits).map((group) => renderGroup(group, view));
  const shown = [...similar, ...groups].join('\n\n');
  return note === undefined ? shown : `${shown}\n\n${view.style.dim(clean(note))}`;
}

/** Hits of one turn stand together, at the position of the best one. */
function byTurn(hits: readonly Hit[]): Hit[][] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const turn = hit.turn?.id ?? hit.id;
    const group = hit.kind === 'entry' ? groups.get(turn) : undefined;
    if (group === undefined) groups.set(hit.kind === 'entry' ? turn : `${hit.kind} ${hit.id}`, [hit]);
    else group.push(hit);
  }
  return [...groups.values()];
}

function renderGroup(hits: readonly Hit[], view: View): string {
  const asked = hits.find(({ turn }) => turn !== undefined)?.turn?.asked;
  const [first, ...others] = hits.map((hit) => renderHit(hit, view));
  if (first === undefined || asked === undefined) return [first, ...others].join('\n');
  const prompt = `  asked: ${oneLine(asked, Math.max(40, view.width - 10))}`;
  const [head = '', ...rest] = first.split('\n');
  return [head, view.style.dim(prompt), ...rest, ...others].join('\n');
}

function renderHit(hit: Hit, view: View): string {
  const { style } = view;
  const marks = [
    hit.by === undefined
      ? undefined
      : `by ${clean(hit.by)}${hit.machine === undefined ? '' : ` on ${clean(hit.machine)}`}`,
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
    ...(hit.use === undefined ? [] : useLines(hit.use, view)),
    ...(hit.why === undefined ? [] : [style.dim(oneLine(hit.why.join(' · '), Math.max(40, view.width - 4)))]),
    ...(hit.features === undefined ? [] : [style.dim(featuresLine(hit.features))]),
    style.dim(follow(hit)),
  ];
  return `${head}${title}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** The command that shows more of it, and the id to give it. */
export function nextOf({ kind, id, session }: Hit): { readonly command: 'get' | 'show'; readonly id: string } {
  if (isDerived(kind)) return { command: 'get', id };
  return { command: 'show', id: kind === 'conversation' ? session : id };
}

function follow(hit: Hit): string {
  const { command, id } = nextOf(hit);
  return `holdfast ${command} ${id}`;
}

/** The command, its outcome, and the matching line of its output. */
function useLines({ tool, did, outcome, line }: UsedTool, { style, width }: View): string[] {
  const room = Math.max(40, width - 6);
  const went = outcome === 'error' ? style.red(' failed') : '';
  return [
    `${style.bold(clean(tool))}${went}  ${oneLine(did, room - tool.length)}`,
    ...(line === undefined ? [] : [style.dim(`→ ${oneLine(line, room)}`)]),
  ];
}

/** The parts of the score, largest first. */
const featuresLine = (features: Readonly<Record<string, number>>): string =>
  Object.entries(features)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

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
