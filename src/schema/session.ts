import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { TitleSource } from './session-fact.ts';
import { SessionStatus } from './session-state.ts';
import { Moment } from './time.ts';

/** How a session ended, as far as rows tell. */
export const SessionOutcome = z.enum(['failed', 'open', 'done']);
export type SessionOutcome = z.infer<typeof SessionOutcome>;

/** One run of an agent, under the agent's own id. */
export const Session = z.object({
  id: z.string(),
  agent: AgentName,
  project: z.string(),
  projectPath: z.string(),
  cwd: z.string(),
  title: z.string(),
  titleSource: TitleSource.optional().describe('who named it; absent if the title comes from the first messages'),
  starred: z.boolean().optional().describe('the person has starred it'),
  tags: z.array(z.string()).optional().describe('tags that the person gave it'),
  branch: z.string().optional().describe('the last branch worked on'),
  branches: z.array(z.string()).optional().describe('all branches, when there were several; the last one first'),
  repository: z.string().optional(),
  links: z.array(z.string()).optional().describe('pull requests and the like that the agent noted'),
  parent: z.string().optional().describe('the session that started this one'),
  forkOf: z.string().optional().describe('the session whose history this one began with'),
  subagent: z.string().optional().describe('its role, if another session started it'),
  startedAt: Moment,
  endedAt: Moment,
  entries: z.number().int().describe('entries of the session itself, copies of forked history included'),
  subagentEntries: z.number().int(),
  toolUses: z.number().int(),
  tokens: z.int().optional().describe('tokens that its models used; absent until they are counted'),
  cost: z.number().optional().describe('US dollars for these tokens; absent if a price is unknown'),
  outcome: SessionOutcome.optional().describe(
    'failed: its last tool use failed; open: its summary names next steps; done: its summary names none',
  ),
  state: SessionStatus.optional().describe('what hooks or a client last reported'),
  resume: z.string().optional().describe("the agent's own command that resumes this session"),
});
export type Session = z.infer<typeof Session>;
