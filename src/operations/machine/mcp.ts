// The entry point for agents: an MCP client starts this process and closes the connection to end it.
import { z } from 'zod';
import { GroupName } from '../../schema/group.ts';
import { type Context, operation } from '../operation.ts';
import { programsOf } from '../programs.ts';

export const mcp = operation({
  name: 'mcp',
  ending: 'orderly',
  summary: 'Serve agents over MCP on standard input and output; clients start it',
  input: z.object({
    group: GroupName.optional().describe('serve the agent of this group: its own sessions, and nothing else'),
  }),
  output: z.object({}),
  surfaces: ['cli'],
  examples: ['claude mcp add --scope user holdfast -- holdfast mcp', 'holdfast mcp --group dev-team'],
  withoutStore: true,
  async run(context: Context<never>, { group }) {
    await programsOf(context).mcp(context, group);
    return {};
  },
});
