import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

/** What a distiller says about a session. A field may be empty. */
export const SummaryText = z.object({
  title: z.string().min(1).max(120).describe('one line that a person can scan'),
  request: z.string().describe('what the person asked for'),
  investigated: z.string(),
  learned: z.string(),
  completed: z.string(),
  outcome: z.string().describe('the part of `completed` about the work itself: no lists of files, commits or commands'),
  nextSteps: z.string(),
  notes: z.string(),
});
export type SummaryText = z.infer<typeof SummaryText>;

/** The summary of a session at the end of a turn. Lists and search show the last one; the store keeps earlier ones too. */
export const Summary = SummaryText.extend({
  id: z.string(),
  session: z.string(),
  agent: AgentName,
  project: z.string(),
  at: Moment.describe("when the session's last entry was written"),
  prompts: z.int().min(0).describe('how many prompts of the session it covers'),
  filesRead: z.array(z.string()),
  filesModified: z.array(z.string()),
  commits: z.array(z.string()).describe('the titles of its commits, oldest first'),
  by: z.string().describe('what produced the text: offline, or the model'),
  tokens: z.int().min(0),
});
export type Summary = z.infer<typeof Summary>;

/** A summary at the end of an earlier turn, beside the last one of its session. */
export const PastSummary = Summary.omit({ id: true, session: true, agent: true, project: true });
export type PastSummary = z.infer<typeof PastSummary>;
