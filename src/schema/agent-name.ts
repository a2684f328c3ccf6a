import { z } from 'zod';
import { agentTitles } from './agent-titles.ts';

/** A kind of coding agent whose sessions we read. */
export const AgentName = z.enum(Object.keys(agentTitles) as (keyof typeof agentTitles)[]);
export type AgentName = z.infer<typeof AgentName>;
