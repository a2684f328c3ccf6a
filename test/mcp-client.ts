// The official MCP client, connected to our server through memory.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { Context } from '../src/operations/operation.ts';
import { type McpDeps, mcpServers } from '../src/surfaces/mcp/server.ts';

export interface McpClientOptions extends Partial<McpDeps> {
  /** How the client calls itself. */
  readonly name?: string;
  /** The folders that the client says it works in. */
  readonly roots?: readonly string[];
}

/** The connection ends with the test. */
export async function mcpClient(context: Context, { name = 'tester', roots, ...more }: McpClientOptions = {}) {
  const make = await mcpServers({
    config: () => context.config,
    context: async () => context,
    folder: '/srv/nowhere',
    ...more,
  });
  const client = new Client({ name, version: '1' }, { capabilities: roots === undefined ? {} : { roots: {} } });
  if (roots !== undefined)
    client.setRequestHandler('roots/list', async () => ({ roots: roots.map((path) => ({ uri: `file://${path}` })) }));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await make().connect(ours);
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return {
    client,
    async call(tool: string, input: Record<string, unknown> = {}) {
      const answer = await client.callTool({ name: tool, arguments: input });
      const [first] = answer.content as { type: string; text: string }[];
      return { ...answer, text: first?.text ?? '' };
    },
  };
}
