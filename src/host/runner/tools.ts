// The group's tools for the agent, as an MCP server in this process. Each call goes to the host, which knows the group.
import { Server } from '@modelcontextprotocol/server';
import type { HostTool } from '../../schema/host-frame.ts';
import type { Drive } from './driver.ts';

/** The prefix of their names: `mcp__holdfast__send_message`. */
export const toolServer = 'holdfast';

export function serverOf(tools: readonly HostTool[], call: Drive['call']): Server {
  const server = new Server({ name: toolServer, version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({
    tools: tools.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: { ...input, type: 'object' as const },
      // Not behind the search for tools: there are few, and the agent's instructions name them.
      _meta: { 'anthropic/alwaysLoad': true },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { ok, text } = await call(params.name, params.arguments ?? {});
    return { content: [{ type: 'text', text }], isError: !ok };
  });
  return server;
}
