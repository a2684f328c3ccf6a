// The briefing that an agent gets at session start: as it would be now, or as a session was given it.
import { z } from 'zod';
import { estimateTokens } from '../../language/tokens.ts';
import { briefing as compose } from '../../recall/briefing/briefing.ts';
import { recallOnPrompt } from '../../recall/briefing/on-prompt.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { BriefingItem, BriefingSource, GivenBriefing } from '../../schema/briefing.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts } from '../ports.ts';
import { filterFields, ownProject, refuseUnknown, toProject } from './filters.ts';

export const BriefingAnswer = z.object({
  project: z.string().describe('empty when nothing is known about it'),
  text: z.string(),
  items: z.array(BriefingItem),
  characters: z.int(),
  tokens: z.int().describe('estimated'),
  given: z.array(GivenBriefing).optional().describe('the briefings that a session was given, newest first'),
});

export const briefing = operation({
  name: 'briefing',
  summary: 'Print the briefing that a session gets when it starts here, or the one that a session was given',
  input: z.object({
    project: filterFields.project.describe('name of a project, or any path inside it (default: here)'),
    session: z.string().min(1).optional().describe('id of the session to brief'),
    source: BriefingSource.optional().describe('why the session starts'),
    given: z.string().min(1).optional().describe('id of a session: print the briefings that it was given'),
  }),
  output: BriefingAnswer,
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    description:
      'What earlier sessions left behind in a project: what it is about, the last sessions and how they ended, what was left open, files most touched. By default the project you work in.',
    without: ['session', 'source', 'given'],
    here: 'project',
  },
  examples: ['holdfast briefing', 'holdfast briefing --project holdfast', 'holdfast briefing --given 0f3c'],
  async run(context: Context<BriefingPorts | 'briefings'>, { project, session, source, given }) {
    if (given !== undefined) return givenTo(context, given.trim());
    // A session that starts may be the first of its project.
    const { store, config } = context;
    if (project !== undefined && session === undefined)
      await refuseUnknown(store, project, await toProject(store, project, config.settings.separateWorktrees));
    const own = await ownProject(context, project ?? '.');
    if (own === undefined) return answer('', '', []);
    const told = await compose(context, { project: own, session, source });
    return answer(told.project, told.text, [...told.items]);
  },
});

const answer = (project: string, text: string, items: BriefingItem[]) => ({
  project,
  text,
  items,
  characters: text.length,
  tokens: estimateTokens(text),
});

async function givenTo(
  { store }: Context<'briefings' | 'sessions'>,
  session: string,
): Promise<z.infer<typeof BriefingAnswer>> {
  const given = await store.briefings.list({ session, limit: 100 });
  const [last] = given;
  if (last === undefined && (await store.sessions.find(session)).length > 0)
    throw new HoldfastError('NOT_FOUND', `The session ${session} was given no briefing`, {
      hint: 'Print what one would get now with `holdfast briefing`.',
    });
  if (last === undefined)
    throw new HoldfastError('NOT_FOUND', `There is no session with an id that begins with ${JSON.stringify(session)}`, {
      hint: 'List sessions with `holdfast sessions`; print what one would get now with `holdfast briefing`.',
    });
  return { ...answer(last.project, last.text, []), given: [...given] };
}

/** The briefing for a session that starts, recorded as given to it. Empty if there is nothing to say. */
export async function giveBriefing(
  context: Context,
  to: { agent: AgentName; session: string; project: string; source: BriefingSource },
): Promise<string> {
  const { project, text } = await briefing.run(context, to);
  if (text !== '') await context.store.briefings.save({ ...to, project, at: context.clock(), text });
  return text;
}

/** What the memory clearly knows about a prompt; undefined if nothing, or if the person has not switched this on. */
export async function recallFor(
  context: Context<'pins' | 'projects' | 'search' | 'sessions'>,
  prompt: string,
  session: string,
  cwd: string | undefined,
): Promise<string | undefined> {
  if (!context.config.settings.recallOnPrompt || cwd === undefined) return undefined;
  const project = await ownProject(context, cwd);
  if (project === undefined) return undefined;
  return (await recallOnPrompt(context, { prompt, project, session })).text || undefined;
}
