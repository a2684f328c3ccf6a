// ③ Statements → a page as the librarian writes it, before a person's edits. The same statements give the same bytes.
import { stringify } from 'yaml';
import { originalKey } from '../../store/hub.ts';
import type { Statement } from '../../store/memory.ts';
import { type Block, fenceEnd, isFence, parseBody } from './blocks.ts';
import { ownerOf } from './group-pages.ts';
import { localTime } from './local-time.ts';
import { questionsPage } from './place.ts';
import { sourceMark } from './said-by.ts';

/** A block with its name on the page: an edit is an edit of a target. */
export interface TargetBlock extends Block {
  readonly target: string;
}

export interface PageInput {
  readonly page: string;
  readonly statements: readonly Statement[];
  readonly merged: ReadonlyMap<string, string>;
  readonly timeZone: string;
}

/** All that was said under one target, in the order of time, and what holds. */
export interface Versions {
  readonly target: string;
  readonly all: readonly Statement[];
  readonly current: Statement;
}

export const compare = (a: Statement, b: Statement): number =>
  a.at - b.at ||
  order(originalKey(a.file), originalKey(b.file)) ||
  a.pos - b.pos ||
  a.order - b.order ||
  order(a.text, b.text);

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The person's words stand above an agent's and what was counted from commands, and what somebody asked to remember above what a
 * conversation said; of two that weigh the same, the later one holds. Commands are counted over sessions: the last run never wins alone.
 */
export function versionsOf(
  statements: readonly Statement[],
  merged: ReadonlyMap<string, string> = new Map(),
): Versions[] {
  const byTarget = new Map<string, Statement[]>();
  for (const statement of statements) {
    const target = mergedInto(statement.target, merged);
    const list = byTarget.get(target);
    if (list) list.push(statement);
    else byTarget.set(target, [statement]);
  }
  return [...byTarget].flatMap(([target, list]) => {
    const all = list.sort(compare);
    const most = Math.max(...all.map(weight));
    const highest = all.filter((each) => weight(each) === most);
    const current = highest.every(isCounted) ? mostRun(highest) : highest.findLast((each) => !isCounted(each));
    return current === undefined ? [] : [{ target, all, current }];
  });
}

/** Seen in fewer sessions, a command may have been a try. */
const leastSessions = 3;

const isCounted = ({ kind, saidBy, source }: Statement): boolean =>
  kind === 'keyed' && saidBy === 'runs' && source === 'conversation';

/** The command that most sessions ran, of two the one that was run last; undefined where too few ran any. */
function mostRun(runs: readonly Statement[]): Statement | undefined {
  const sessions = new Map<string, Set<string>>();
  for (const { text, session } of runs) sessions.set(text, (sessions.get(text) ?? new Set()).add(session));
  const most = Math.max(...[...sessions.values()].map(({ size }) => size));
  return most < leastSessions ? undefined : runs.findLast(({ text }) => sessions.get(text)?.size === most);
}

const weight = ({ saidBy, source }: Statement): number =>
  (saidBy === 'person' ? 2 : 0) + (source === 'conversation' ? 0 : 1);

export function mergedInto(target: string, merged: ReadonlyMap<string, string>): string {
  let at = target;
  for (let steps = 0; steps < 100; steps++) {
    const next = merged.get(at);
    if (next === undefined) return at;
    at = next;
  }
  return at;
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
    return [
      ...front({ ...owner, title: flat(oldest.title), type, date: day(oldest.at), ...project }),
      head('title', `# ${flat(oldest.title)}`),
      ...versions.sort(inTime).flatMap(({ target, all: [first] }) => {
        const { text, session, project } = first as Statement;
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
      ...versions.sort(inTime).map(({ target, all: [first] }, i) => {
        const { at, project, text } = first as Statement;
        return item(target, `- ${day(at)}${project === '' ? '' : ` ${flat(project)}`}: ${flat(text)}`, i > 0);
      }),
    ];

  const type = { projects: 'project', relationships: 'person', core: 'core' }[folder] ?? 'page';
  const facts = [...of('keyed').sort((a, b) => order(a.target, b.target)), ...of('plain').sort(inTime)];
  const activity = of('activity').sort(inTime).reverse();
  return [
    ...front({ ...owner, title: flat(newest.title), type, updated: day(newest.at) }),
    head('title', `# ${flat(newest.title)}`),
    ...facts.map(({ target, current }, i) => item(target, factLine(current), i > 0)),
    ...(activity.length === 0 ? [] : [head('h:activity', '## Activity')]),
    ...activity.map(({ target, current }, i) => item(target, `- ${day(current.at)} ${flat(current.text)}`, i > 0)),
  ];
}

/** Keys that only tell two statements apart say nothing to a reader. */
const unsaidKey = /^(?:decision|preference|choice|rule): /;

/** `- **package manager:** pnpm` */
export function factLine({ key, text, tags, saidBy }: Pick<Statement, 'key' | 'text' | 'tags' | 'saidBy'>): string {
  const marks = sourceMark(saidBy) + tags.map((tag) => ` #${tag}`).join('');
  return key === '' || unsaidKey.test(key)
    ? `- ${flat(text)}${marks}`
    : `- **${flat(key).replaceAll('*', '')}:** ${flat(text)}${marks}`;
}

/** The target that a line of a fact gives as its key, if it gives one. */
export const keyInLine = (line: string): string | undefined => /^ ?[-*+] +\*\*(.+?):?\*\*/.exec(line)?.[1];

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

/** Text of any shape as blocks that cannot be taken for the page's own headings or fields. */
function paragraphs(target: string, text: string): TargetBlock[] {
  const given = visible(text).trim().split('\n');
  const lines: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const line = given[i] as string;
    const end = fenceEnd(given, i);
    if (end > i) lines.push(...given.slice(i, end + 1));
    // A fence that nobody closed would make code of the rest of the page.
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

/** Without characters that are not seen, but for line breaks. */
const visible = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/(?!\n|\t)[\p{Cc}\p{Bidi_Control}]/gu, '');

const flat = (text: string): string => visible(text).replace(/\s+/g, ' ').trim();
