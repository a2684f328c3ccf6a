// ③ Statements → a page as the librarian writes it, before a person's edits. The same statements always give the same bytes.
import { stringify } from 'yaml';
import type { Statement } from '../../store/memory/port.ts';
import { type Block, fenceEnd, isFence, parseBody } from './blocks.ts';
import { factLine, flat, visible } from './fact-line.ts';
import { ownerOf } from './group-pages.ts';
import { localTime } from './local-time.ts';
import { sameText } from './names.ts';
import { keyedTarget, questionsPage } from './place.ts';
import { compare, order, type Versions, versionsOf } from './versions.ts';

/** A block with its name on the page. Edits refer to blocks by this name. */
export interface TargetBlock extends Block {
  readonly target: string;
}

/** Tells a person how to answer a line with a box on the page of questions. */
const markLegend =
  'Put an `x` into the box of a line to keep what it says, or a `-` to reject it for good. Delete a line to leave the question.';
const overviewTarget = keyedTarget('overview');

export interface PageInput {
  readonly page: string;
  readonly statements: readonly Statement[];
  readonly merged: ReadonlyMap<string, string>;
  readonly timeZone: string;
}

export function derivePage({ page: whole, statements, merged, timeZone }: PageInput): TargetBlock[] {
  const { group, own: page } = ownerOf(whole);
  if (statements.length === 0) return [];
  const day = (at: number) => localTime(at, timeZone).date;
  const owner = group === '' ? {} : { group };
  const versions = versionsOf(statements, merged);
  const [folder = ''] = page.split('/');
  const newest = [...statements].sort(compare).at(-1) as Statement;
  const oldest = [...statements].sort(compare)[0] as Statement;
  const of = (...kinds: Statement['kind'][]) => versions.filter(({ current }) => kinds.includes(current.kind));
  const inTime = (a: Versions, b: Versions) => compare(a.all[0] as Statement, b.all[0] as Statement);

  if (folder === 'episodes') {
    const date = day(oldest.at);
    const projects = [...new Set(statements.map(({ project }) => project).filter((name) => name !== ''))].sort();
    return [
      ...front({ ...owner, title: date, type: 'episodes', date, ...(projects.length > 0 ? { projects } : {}) }),
      head('title', `# ${localTime(oldest.at, timeZone).longDate}`),
      ...of('episode')
        .sort(inTime)
        .flatMap((each) => section(each, timeZone)),
    ];
  }
  if (folder === 'milestones' || folder === 'insights') {
    const type = folder === 'milestones' ? 'milestone' : 'insight';
    const project = oldest.project === '' ? {} : { project: oldest.project };
    // A milestone keeps its first text. An insight gets its latest text, unless that only repeats the first.
    const shown = versions
      .filter(({ current }) => current.kind !== 'retired')
      .sort(inTime)
      .map(({ target, all: [first], current }) => {
        const isRevised = folder === 'insights' && !sameText((first as Statement).text, current.text);
        return { target, statement: isRevised ? current : (first as Statement) };
      });
    const [top] = shown;
    if (top === undefined) return [];
    const title = flat(top.statement.title);
    return [
      ...front({ ...owner, title, type, date: day(oldest.at), ...project }),
      head('title', `# ${title}`),
      ...shown.flatMap(({ target, statement: { text, session, project } }) => {
        return [
          ...paragraphs(target, text),
          ...(session === '' ? [] : [head(`${target}/from`, from({ session, project }))]),
        ];
      }),
    ];
  }
  if (page === questionsPage)
    return [
      ...front({ ...owner, title: 'Questions', type: 'questions', updated: day(newest.at) }),
      head('title', '# Questions'),
      ...(of('proposal').length === 0 ? [] : [head('h:marks', markLegend)]),
      ...versions.sort(inTime).map(({ target, all: [first] }, i) => {
        const { at, project, text, kind } = first as Statement;
        const box = kind === 'proposal' ? '[ ] ' : '';
        return item(target, `- ${box}${day(at)}${project === '' ? '' : ` ${flat(project)}`}: ${flat(text)}`, i > 0);
      }),
    ];

  const type = { projects: 'project', relationships: 'person', core: 'core' }[folder] ?? 'page';
  const facts = [...of('keyed').sort(byKey), ...of('plain').sort(inTime)];
  const activity = of('activity').sort(inTime).reverse();
  if (facts.length + activity.length === 0) return [];
  return [
    ...front({ ...owner, title: flat(newest.title), type, updated: day(newest.at) }),
    head('title', `# ${flat(newest.title)}`),
    ...facts.map(({ target, current }, i) => item(target, factLine(current), i > 0)),
    ...(activity.length === 0 ? [] : [head('h:activity', '## Activity')]),
    ...activity.map(({ target, current }, i) => item(target, `- ${day(current.at)} ${flat(current.text)}`, i > 0)),
  ];
}

/** The overview comes first. */
const byKey = (a: Versions, b: Versions): number =>
  Number(b.target === overviewTarget) - Number(a.target === overviewTarget) || order(a.target, b.target);

function section({ target, current }: Versions, timeZone: string): TargetBlock[] {
  const { time } = localTime(current.at, timeZone);
  return [
    head(`${target}/title`, `## ${time} ${flat(current.title)}`),
    ...paragraphs(target, current.text),
    head(`${target}/from`, from(current)),
  ];
}

const from = ({ project, session }: Pick<Statement, 'project' | 'session'>): string =>
  `_${[flat(project), `session ${session.slice(0, 8)}`].filter((part) => part !== '').join(' · ')}_`;

/** Turns any text into blocks that cannot pass for headings or fields of the page. */
function paragraphs(target: string, text: string): TargetBlock[] {
  const given = visible(text).trim().split('\n');
  const lines: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const line = given[i] as string;
    const end = fenceEnd(given, i);
    if (end > i) lines.push(...given.slice(i, end + 1));
    // Drop an unclosed fence: it would turn the rest of the page into code.
    else lines.push(isFence(line) ? '' : line.replace(/^(\s*)(#{1,6}\s|(?:-{3,}|={3,})\s*$)/, '$1\\$2'));
    i = Math.max(i, end);
  }
  return parseBody(lines.join('\n')).map((block, i) => ({
    ...block,
    tight: i > 0 && block.tight,
    target: `${target}/${i}`,
  }));
}

const front = (fields: Record<string, unknown>): TargetBlock[] =>
  Object.entries(fields).map(([name, value]) => ({
    text: stringify({ [name]: value }, { lineWidth: 0 }).trimEnd(),
    ...{ tight: true, front: true, target: `field:${name}` },
  }));

const head = (target: string, text: string): TargetBlock => ({ text, tight: false, front: false, target });
const item = (target: string, text: string, tight: boolean): TargetBlock => ({ text, tight, front: false, target });
