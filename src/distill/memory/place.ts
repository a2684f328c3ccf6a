// ③ An extraction → statements, each with its page and its target there. A pure function.
import { choiceIn } from '../../schema/choice.ts';
import type { Extraction, KeyedStatement } from '../../schema/extraction.ts';
import type { About, SaidBy } from '../../schema/memory.ts';
import { endingIn, formIn } from '../../schema/statement-form.ts';
import { originalKey } from '../../store/hub/port.ts';
import type { ExtractionRow, Statement } from '../../store/memory/port.ts';
import { saysWork } from '../offline/request.ts';
import { pageOfGroup } from './group-pages.ts';
import { localTime } from './local-time.ts';
import { hash, keyOf, nameSlug, plain, titleSlug } from './names.ts';
import { unmarked } from './said-by.ts';

/** Raise this when the code places statements differently. The librarian then places all of them again. */
export const placingVersion = 6;

export const questionsPage = 'questions.md';
export const corePages: Readonly<Record<About, { page: string; title: string }>> = {
  world: { page: 'core/facts.md', title: 'Facts' },
  user: { page: 'core/preferences.md', title: 'Preferences' },
  procedure: { page: 'core/procedures.md', title: 'Procedures' },
};
export const projectPage = (name: string): string => `projects/${nameSlug(name)}/overview.md`;
const personPage = (name: string): string => `relationships/${nameSlug(name)}/overview.md`;

export const keyedTarget = (key: string): string => `k:${keyOf(key)}`;
export const plainTarget = (text: string): string => `t:${hash(plain(text)).slice(0, 12)}`;

/** Equal texts share a target. Another text under the same title gets its own target below. */
export const datedTarget = (kind: 'milestone' | 'insight', text: string): string =>
  `${kind}:${hash(plain(text)).slice(0, 12)}`;

const kinds = { add: 'keyed', replace: 'keyed', retire: 'retired', note: 'note' } as const;

const keyed = ({ key, text, why = '', saidBy, change = 'add', choice, form, ends }: KeyedStatement) => ({
  ...{ target: keyedTarget(key), kind: kinds[change], key, text, saidBy },
  why: change === 'retire' ? text : why,
  // Extractions of older versions, also those of other machines, have a choice and a form in their text alone, and an ending in their key.
  choice: choice ?? choiceIn(text),
  form: form ?? formIn(text),
  ends: change === 'retire' ? (ends ?? endingIn(key)) : undefined,
});

/** Where in the extraction a statement comes from: the list, the index in it, and the index in a nested list. */
export type Origin = readonly [list: keyof Extraction, index: number, inner?: number];
export type PlacedStatement = Statement & { readonly origin: Origin };

/** `home` is the page name of the project. It differs from the project's own name if another project shares that. */
export function place(
  row: Omit<ExtractionRow, 'json'>,
  extraction: Extraction,
  timeZone: string,
  home = row.project,
): PlacedStatement[] {
  // This id is the same on every machine that has the conversation.
  const conversation = hash(row.agent, originalKey(row.file), String(row.firstPos)).slice(0, 12);
  const { file, firstPos: pos, session, project, group } = row;
  let order = 0;
  const statement = (
    origin: Origin,
    {
      saidBy,
      ...rest
    }: Pick<Statement, 'page' | 'target' | 'kind' | 'text'> &
      Partial<Omit<Statement, 'saidBy'>> & { readonly saidBy?: SaidBy | undefined },
  ): PlacedStatement => ({
    ...{ at: row.lastAt, file, pos, order: order++, title: '', key: '', why: '', project: '', session },
    ...{ tags: [], from: '' },
    source: 'conversation',
    ...rest,
    page: pageOfGroup(group, rest.page),
    saidBy: saidBy ?? unmarked(origin[0], rest.text, row.by),
    origin,
  });
  // A model may give any date, but everything happened during this conversation.
  const moment = (at: string) => Math.min(row.lastAt, Math.max(row.firstAt, Date.parse(at)));
  const placed: PlacedStatement[] = [];
  const moments = new Map<number, number>();

  extraction.episodes.forEach(({ at: said, title, text }, i) => {
    const at = moment(said);
    const { date } = localTime(at, timeZone);
    const page = `episodes/${date.slice(0, 7)}/${date}.md`;
    // The time names the episode: another model may word it differently, and earlier episodes may be forgotten.
    const same = moments.get(at) ?? 0;
    moments.set(at, same + 1);
    const name = `${conversation}:${at.toString(36)}${same === 0 ? '' : `.${same}`}`;
    const target = `ep:${name}`;
    placed.push(statement(['episodes', i], { page, target, kind: 'episode', at, title, text, project }));
    // A line that says nothing of the work would only fill the page of the project.
    if (project !== '' && saysWork(title))
      placed.push(
        statement(['episodes', i], {
          ...{ page: projectPage(home), target: `act:${name}`, kind: 'activity' },
          ...{ at, title: project, text: title, project },
        }),
      );
  });
  const datedPage = (folder: string, at: number, title: string) =>
    `${folder}/${localTime(at, timeZone).date}-${titleSlug(title)}.md`;
  extraction.milestones.forEach(({ at: said, title, text, saidBy }, i) => {
    const at = moment(said);
    const page = datedPage(`milestones/${localTime(at, timeZone).date.slice(0, 7)}`, at, title);
    const target = datedTarget('milestone', text);
    placed.push(statement(['milestones', i], { page, target, kind: 'milestone', at, title, text, project, saidBy }));
  });
  extraction.insights.forEach(({ at: said, title, text, saidBy, revises, retires }, i) => {
    const at = moment(said);
    // A revised insight takes the place of the earlier one.
    const page = datedPage('insights', revises === undefined ? at : Date.parse(revises.at), revises?.title ?? title);
    const target = revises?.target ?? datedTarget('insight', text);
    const kind = retires === true ? 'retired' : 'insight';
    placed.push(statement(['insights', i], { page, target, kind, at, title, text, project, saidBy }));
  });
  const named = [
    ['projects', projectPage],
    ['people', personPage],
  ] as const;
  for (const [list, pageOf] of named)
    extraction[list].forEach(({ name, statements }, i) => {
      statements.forEach((said, j) => {
        const rest = { ...keyed(said), title: name.trim(), project: list === 'projects' ? name.trim() : '' };
        const at = list === 'projects' && name.trim() === project ? home : name;
        placed.push(statement([list, i, j], { page: pageOf(at), ...rest }));
      });
    });
  extraction.facts.forEach(({ about, ...said }, i) => {
    const { page, title } = corePages[about];
    placed.push(statement(['facts', i], { page, title, ...keyed(said) }));
  });
  extraction.questions.forEach(({ text }, i) => {
    const target = `q:${hash(plain(text)).slice(0, 12)}`;
    placed.push(statement(['questions', i], { page: questionsPage, target, kind: 'question', text, project }));
  });
  return placed;
}

/** The hash that identifies a forgotten target of a page. */
export const targetHash = (page: string, target: string): string => hash('target', page, target);

/** Hashes that identify something forgotten without storing its text. */
export const hashesOf = ({ page, target, text }: Pick<Statement, 'page' | 'target' | 'text'>): string[] => [
  targetHash(page, target),
  hash('text', plain(text)),
];

/** The extraction without what is forgotten, and what is left of its statements. */
export function withoutForgotten(
  extraction: Extraction,
  statements: readonly PlacedStatement[],
  forgotten: ReadonlySet<string>,
): { extraction: Extraction; statements: PlacedStatement[] } {
  const gone = new Set(
    statements
      .filter((statement) => hashesOf(statement).some((one) => forgotten.has(one)))
      .map(({ origin }) => origin.join('/')),
  );
  if (gone.size === 0) return { extraction, statements: [...statements] };
  const stays = (...origin: Origin) => !gone.has(origin.join('/'));
  const inner = (list: 'projects' | 'people') =>
    extraction[list].map((each, i) => ({ ...each, statements: each.statements.filter((_, j) => stays(list, i, j)) }));
  return {
    extraction: {
      episodes: extraction.episodes.filter((_, i) => stays('episodes', i)),
      projects: inner('projects'),
      people: inner('people'),
      milestones: extraction.milestones.filter((_, i) => stays('milestones', i)),
      insights: extraction.insights.filter((_, i) => stays('insights', i)),
      facts: extraction.facts.filter((_, i) => stays('facts', i)),
      questions: extraction.questions.filter((_, i) => stays('questions', i)),
    },
    statements: statements.filter(({ origin }) => stays(...origin)),
  };
}
