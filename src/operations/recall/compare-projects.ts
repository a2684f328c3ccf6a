// Several projects side by side: how much was done in each, what it used, and on which files.
import { z } from 'zod';
import { filesTouched } from '../../language/files-touched.ts';
import type { Session } from '../../schema/session.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { activityOf } from './activity.ts';
import { filterFields, refuseSeveral, toFilter, toProject } from './filters.ts';
import { withAccounts } from './session-accounts.ts';

/** More do not fit beside each other. */
const mostProjects = 6;
const mostFiles = 10;
/** The last tool uses are enough to show which files the work was about. */
const mostTouches = 5000;

export const ComparedProject = z.object({
  name: z.string(),
  path: z.string(),
  sessions: z.int(),
  entries: z.int().describe('entries, without those of subagents'),
  prompts: z.int(),
  toolUses: z.int(),
  days: z.int().describe('days with activity'),
  months: z.array(z.object({ month: z.string().describe('2026-03'), entries: z.int() })),
  tokens: z.int().describe('tokens of the sessions that are counted'),
  counted: z.int().describe('sessions whose tokens are counted'),
  cost: z.number().optional().describe('US dollars; absent if no price is known'),
  failed: z.int().describe('sessions whose last tool use failed'),
  files: z.array(z.object({ file: z.string(), modified: z.int(), read: z.int() })).describe('most changed first'),
});

export const projectsCompare = operation({
  name: 'projects compare',
  summary: 'Compare projects: activity, tokens and files side by side',
  input: z.object({
    projects: z
      .array(z.string().min(1))
      .min(2, 'name at least two projects')
      .max(mostProjects, `name at most ${mostProjects} projects`)
      .meta({ description: 'names of projects, or paths inside them', rest: true }),
    since: filterFields.since.unwrap().default('365d').describe('from this day on: 2026-03-01, 30d, last month'),
    until: filterFields.until,
  }),
  output: z.object({ projects: z.array(ComparedProject) }),
  surfaces: ['cli', 'http'],
  http: { path: '/api/compare' },
  positional: ['projects'],
  examples: ['holdfast projects compare lamp gulls', 'holdfast projects compare lamp gulls --since 30d --json'],
  async run(context: Context<Ports>, { projects, since, until }) {
    const { store, config } = context;
    const compared: z.infer<typeof ComparedProject>[] = [];
    for (const project of projects) {
      await refuseSeveral(store, await toProject(store, project, config.settings.separateWorktrees));
      const one = await comparedOf(context, { project, since, until });
      if (one === undefined)
        throw new HoldfastError('NOT_FOUND', `No session worked in ${JSON.stringify(project)} in this time`, {
          hint: 'List projects with `holdfast projects`, or give an earlier --since.',
        });
      if (!compared.some(({ path }) => path === one.path)) compared.push(one);
    }
    return { projects: compared };
  },
});

type Ports = 'entries' | 'projects' | 'search' | 'sessions' | 'usage';

interface Span {
  readonly project: string;
  readonly since: string;
  readonly until: string | undefined;
}

async function comparedOf(context: Context<Ports>, span: Span): Promise<z.infer<typeof ComparedProject> | undefined> {
  const { store } = context;
  const sessions = await withAccounts(context, await store.sessions.list(await toFilter(context, span)));
  const [first] = sessions;
  if (first === undefined) return undefined;
  const { total, days } = await activityOf(context, span);
  const touches = await store.search.touches(sessions, mostTouches);
  const sum = (of: (session: Session) => number) => sessions.reduce((all, session) => all + of(session), 0);
  const priced = sessions.filter(({ cost }) => cost !== undefined);
  return {
    ...{ name: first.project, path: first.projectPath, sessions: sessions.length },
    ...{ entries: total.entries, prompts: total.prompts, toolUses: sum(({ toolUses }) => toolUses) },
    days: days.length,
    months: monthsOf(days),
    tokens: sum(({ tokens = 0 }) => tokens),
    counted: sessions.filter(({ tokens }) => tokens !== undefined).length,
    ...(priced.length === 0 ? {} : { cost: sum(({ cost = 0 }) => cost) }),
    failed: sessions.filter(({ outcome }) => outcome === 'failed').length,
    files: filesTouched(touches, first.projectPath)
      .slice(0, mostFiles)
      .map(({ file, modified, read }) => ({ file, modified, read })),
  };
}

function monthsOf(days: readonly { readonly day: string; readonly entries: number }[]) {
  const months = new Map<string, number>();
  for (const { day, entries } of days) months.set(day.slice(0, 7), (months.get(day.slice(0, 7)) ?? 0) + entries);
  return [...months].map(([month, entries]) => ({ month, entries }));
}
