// MCP over standard input and output: nothing but the protocol on the one, complaints on standard error.
import { statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { explain } from '../errors.ts';
import type { Holdfast } from '../open.ts';
import { dropHeld, hearForgotten } from '../operations/forgotten-bell.ts';
import type { Context } from '../operations/operation.ts';
import { type McpDeps, mcpServers } from './server.ts';
import { takeOver } from './taken-over.ts';

/** How often to look whether whoever started us is still there, should his end of the line outlive him. */
const lookAtParentMs = 5000;

/** Resolves when the client has closed the line, is gone, or the signal says so. What `check` throws ends it before a word is spoken. */
export async function serveMcp(
  config: Config,
  signal: AbortSignal,
  {
    check,
    ...offer
  }: Pick<McpDeps, 'ask' | 'table' | 'instructions'> & { check?: (context: Context) => Promise<void> } = {},
): Promise<void> {
  const memory = openLater(config);
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
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
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
  await Promise.race([closed, aborted, orphaned]);
  forgetting.close();
  clearInterval(watch);
  await serving.close();
  process.stdin.destroy();
  await memory.close();
}

/** The memory, opened with the first call, and again when another file has taken its place: a restored backup, say. */
function openLater(config: Config): { context(): Promise<Context>; drop(): Promise<void>; close(): Promise<void> } {
  let opened: Promise<Holdfast> | undefined;
  let file: number | undefined;
  const fileNow = () => statSync(config.databasePath, { throwIfNoEntry: false })?.ino;
  const close = async () => {
    const last = opened;
    opened = undefined;
    await (await last?.catch(() => undefined))?.close();
  };
  return {
    close,
    async drop() {
      const held = await opened?.catch(() => undefined);
      if (held !== undefined) await dropHeld(held.store);
    },
    async context() {
      if (opened !== undefined && file !== fileNow()) await close();
      opened ??= import('../open.ts').then(({ openHoldfast }) => openHoldfast(config.environment));
      try {
        const { context } = await opened;
        file = fileNow();
        return { ...context, config: config.reload() };
      } catch (error) {
        // The next call tries again: the person may have mended it.
        opened = undefined;
        throw error;
      }
    },
  };
}
