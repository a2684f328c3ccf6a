import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { SessionStatus } from './session-state.ts';
import { Moment } from './time.ts';

/** One run of an agent, under the agent's own id. */
export const Session = z.object({
  id: z.string(),
  agent: AgentName,
  project: z.string(),
  projectPath: z.string(),
  cwd: z.string(),
  title: z.string(),
  startedAt: Moment,
  endedAt: Moment,
  entries: z.number().int().describe('entries of the session itself, copies of forked history included'),
  subagentEntries: z.number().int(),
  toolUses: z.number().int(),
  state: SessionStatus.optional().describe('what hooks or a client last told of it'),
  resume: z.string().optional().describe("the agent's own command that resumes this session"),
});
export type Session = z.infer<typeof Session>;
