import { z } from 'zod';
import { agentTitles } from './agent-titles.ts';

/** A kind of coding agent that we read from. */
export const AgentName = z.enum(Object.keys(agentTitles) as (keyof typeof agentTitles)[]);
export type AgentName = z.infer<typeof AgentName>;
