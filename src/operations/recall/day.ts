// One day: the prompts of each session, the result, and the day's written account if there is one.
import { z } from 'zod';
import { line } from '../../language/gist.ts';
import { civilOf } from '../../schema/day.ts';
import { Session } from '../../schema/session.ts';
import { Moment } from '../../schema/time.ts';
import { TimeZone } from '../../schema/time-zone.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { MemoryPorts } from '../ports.ts';
import { filterFields, toFilter } from './filters.ts';
import { withAccounts } from './session-accounts.ts';
import { parseDay } from './when.ts';

/** More prompts than a person types in a day. */
const mostPrompts = 2000;
const longestPrompt = 300;

export const Day = z.object({
  day: z.string().describe('2026-03-01'),
  timeZone: z.string(),
  sessions: z.array(
    z.object({
      session: Session,
      prompts: z.array(z.object({ id: z.string(), at: Moment, text: z.string() })).describe('the prompts of this day'),
      completed: z.string().optional().describe('what the session completed, if it was distilled'),
      nextSteps: z.string().optional(),
    }),
  ),
  account: z
    .object({ page: z.string(), text: z.string() })
    .optional()
    .describe('the memory page about this day, as Markdown'),
});

export const day = operation({
  name: 'day',
  summary: 'Show a day: the prompts of each session, its result, and the written account',
  input: z.object({
    date: z.string().min(1).default('today').meta({
      description: 'today, yesterday, monday, 2026-03-01, 12 march',
      rest: true,
    }),
    project: filterFields.project,
    agent: filterFields.agent,
    timeZone: TimeZone.optional().describe('time zone of the day (default: that of the settings)'),
  }),
  output: Day,
  surfaces: ['cli', 'http'],
  positional: ['date'],
  examples: [
    'holdfast day',
    'holdfast day yesterday',
    'holdfast day 2026-03-01 --project .',
    'holdfast day last monday',
  ],
  async run(context: Context<MemoryPorts | 'distilled' | 'entries' | 'usage'>, { date, project, agent, ...input }) {
    const { store, config, clock } = context;
    const { timeZone = config.settings.timeZone } = input;
    const { from, to } = parseDay(date, { now: clock(), timeZone });
    const name = new Date(civilOf(from, timeZone)).toISOString().slice(0, 10);
    const filter = { ...(await toFilter(context, { project, agent })), since: from, until: to };
    const said = await store.entries.timeline({ ...filter, end: 'oldest', limit: mostPrompts, prompts: true });
    const sessions = await withAccounts(context, await store.sessions.list(filter));
    sessions.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    const account = project === undefined && agent === undefined ? await accountOf(context, name) : undefined;
    return {
      day: name,
      timeZone,
      sessions: await Promise.all(
        sessions.map(async (session) => {
          const [summary] = await store.distilled.summaries({ session: session.id, agent: session.agent, limit: 1 });
          return {
            session,
            prompts: said
              .filter(({ entry }) => entry.session === session.id && entry.agent === session.agent)
              .map(({ entry: { id, at, text } }) => ({
                id,
                at,
                text: line(text, longestPrompt) || text.slice(0, longestPrompt),
              })),
            ...(summary?.completed ? { completed: summary.completed } : {}),
            ...(summary?.nextSteps ? { nextSteps: summary.nextSteps } : {}),
          };
        }),
      ),
      ...(account === undefined ? {} : { account }),
    };
  },
});

async function accountOf(
  context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>,
  name: string,
): Promise<{ page: string; text: string } | undefined> {
  const page = `episodes/${name.slice(0, 7)}/${name}.md`;
  const { readPage } = await librarian();
  const { memoryPath } = toDeps(context).config;
  const text = readPage(memoryPath, page)
    ?.text.replace(/^---\n[\s\S]*?\n---\n/, '')
    .trim();
  return text === undefined || text === '' ? undefined : { page, text };
}
