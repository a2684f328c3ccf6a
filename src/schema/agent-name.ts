import { z } from 'zod';

/** A kind of coding agent that we read from. The table in agents/ has one file for each. */
export const AgentName = z.enum(['claude-code', 'pi', 'client']);
export type AgentName = z.infer<typeof AgentName>;
