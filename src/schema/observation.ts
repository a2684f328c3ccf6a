import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const ObservationType = z.enum(['bugfix', 'feature', 'refactor', 'change', 'discovery', 'decision']);
export type ObservationType = z.infer<typeof ObservationType>;

/** The text of an observation, as a distiller writes it. */
export const ObservationText = z.object({
  type: ObservationType,
  title: z.string().min(1).max(120).describe('one line that a person can scan'),
  subtitle: z.string().max(300),
  facts: z.array(z.string().min(1)).describe('statements that stand on their own'),
  narrative: z.string().describe('what happened, in a few sentences'),
  concepts: z.array(z.string().min(1)).describe('what it is about, in single words or short phrases'),
});
export type ObservationText = z.infer<typeof ObservationText>;

/** A distilled observation about a turn, citing its entries. */
export const Observation = ObservationText.extend({
  id: z.string(),
  session: z.string(),
  agent: AgentName,
  project: z.string(),
  at: Moment.describe("when the turn's last entry was written"),
  prompt: z.int().min(0).describe('the number of the prompt in its session, from 1; 0 for what came before the first'),
  filesRead: z.array(z.string()),
  filesModified: z.array(z.string()),
  tools: z.array(z.string()).describe('names of the tools used in the turn'),
  entries: z.array(z.string()).min(1).describe('ids of the entries it comes from'),
  by: z.string().describe('what produced the text: offline, or the model'),
  tokens: z.int().min(0).describe('tokens used to produce it; 0 when offline'),
});
export type Observation = z.infer<typeof Observation>;
