import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const PinKind = z.enum(['session', 'entry', 'project']);
export type PinKind = z.infer<typeof PinKind>;

/** What a person wants in every briefing, or in none. */
export const Pin = z.object({
  mark: z.enum(['pinned', 'muted']),
  kind: PinKind,
  id: z.string().describe("the session's or entry's id, or the project's path"),
  agent: AgentName.optional().describe('agent of the session or entry'),
  at: Moment.describe('when it was marked'),
  text: z.string().describe('its title, its first words, or its name'),
});
export type Pin = z.infer<typeof Pin>;
