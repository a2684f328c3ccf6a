import { z } from 'zod';
import { AgentName } from '../schema/agent-name.ts';
import { archiveSession } from '../sessions/archives.ts';
import { find } from './find.ts';
import { operation } from './operation.ts';

export const archive = operation({
  name: 'archive',
  summary: 'Write a session as readable Markdown; written again, the file grows with it',
  input: z.object({
    id: z.string().min(1).describe('id of a session; its beginning is enough'),
    name: z.string().trim().min(1).max(200).optional().describe('what to call it (default: its title)'),
    agent: AgentName.optional().describe('the agent, where two use the same id'),
  }),
  output: z.object({
    session: z.string(),
    outcome: z.enum(['new', 'grown', 'same', 'none']).describe('none: nobody said anything'),
    file: z.string().optional(),
    title: z.string(),
  }),
  surfaces: ['cli', 'http'],
  positional: ['id'],
  http: { method: 'POST' },
  examples: ['holdfast archive 0f3c', 'holdfast archive 0f3c --name "Tax research"'],
  async run(context, { id, name, agent }) {
    const { session } = await find(context.store, id.trim(), agent);
    return {
      session: session.id,
      ...(await archiveSession(context, { agent: session.agent, session: session.id, name })),
    };
  },
});
