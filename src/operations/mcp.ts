// The way in for agents: an MCP client starts this and speaks with it until it closes the line.
import { z } from 'zod';
import { operation } from './operation.ts';

export const mcp = operation({
  name: 'mcp',
  summary: 'Serve agents over MCP on standard input and output; clients start it',
  input: z.object({}),
  output: z.object({}),
  surfaces: ['cli'],
  examples: ['claude mcp add --scope user holdfast -- holdfast mcp'],
  withoutStore: true,
  async run({ config, signal }) {
    const { serveMcp } = await import('../mcp/stdio.ts');
    const { askWorker } = await import('../http/ask.ts');
    await serveMcp(config, signal ?? new AbortController().signal, async (asked, input) => {
      const elsewhere = asked.viaWorker?.(input);
      return elsewhere && askWorker(config.reload(), asked, elsewhere);
    });
    return {};
  },
});
