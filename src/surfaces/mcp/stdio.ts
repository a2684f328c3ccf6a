// MCP over standard input and output: only the protocol on standard output, errors on standard error.
import type { Config } from '../../config/config.ts';
import { hearForgotten } from '../../operations/data/forgotten-bell.ts';
import type { Context } from '../../operations/operation.ts';
import { aborted } from '../../system/aborted.ts';
import { explain } from '../../system/errors.ts';
import { type McpDeps, mcpServers } from './server.ts';
import { takeOver } from './taken-over.ts';

/** How often to check that the process that started this one still runs: its end of the pipe may outlive it. */
const lookAtParentMs = 5000;

/** How long a client may take to read the last answers after the end. */
const unreadMs = 5000;

/** The memory of a server, opened with the first call. */
export interface Memory {
  context(): Promise<Context>;
  /** Drops forgotten text from memory. */
  drop(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Resolves when the client closes the connection or is gone, or when the signal aborts. An error from `check` ends it
 * before any message.
 */
export async function serveMcp(
  config: Config,
  memory: Memory,
  signal: AbortSignal,
  {
    check,
    ...offer
  }: Pick<McpDeps, 'ask' | 'table' | 'instructions'> & { check?: (context: Context) => Promise<void> } = {},
): Promise<void> {
  try {
    await check?.(await memory.context());
  } catch (error) {
    await memory.close();
    throw error;
  }
  const { StdioServerTransport, serveStdio } = await import('./sdk.ts');
  const server = await mcpServers({
    config: config.reload,
    context: memory.context,
    folder: process.cwd(),
    ...offer,
  });
  const { HOLDFAST_MCP_SAID: said, HOLDFAST_MCP_LINE: line } = config.environment;
  const { input, output } = takeOver({ said, line }, { input: process.stdin, output: process.stdout });
  const transport = new StdioServerTransport(input, output);
  const closed = new Promise<void>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve();
    };
  });
  const parent = process.ppid;
  let watch: NodeJS.Timeout | undefined;
  const orphaned = new Promise<void>((resolve) => {
    watch = setInterval(() => process.ppid !== parent && resolve(), lookAtParentMs).unref();
  });

  const serving = serveStdio(server, {
    transport,
    onerror: (error) => process.stderr.write(`holdfast mcp: ${explain(error, 'the client').message}\n`),
  });
  const forgetting = hearForgotten(config, () => void memory.drop());
  await Promise.race([closed, aborted(signal), orphaned]);
  forgetting.close();
  clearInterval(watch);
  // Answers that the client does not read would keep this process alive for ever.
  setTimeout(() => process.exit(), unreadMs).unref();
  await serving.close();
  process.stdin.destroy();
  await memory.close();
}
