// MCP over standard input and output: nothing but the protocol on the one, complaints on standard error.
import { type Config, ensureHome } from '../config.ts';
import { explain } from '../errors.ts';
import type { Context } from '../operations/operation.ts';
import type { Store } from '../store/store.ts';
import { mcpServers } from './server.ts';

/** How often to look whether whoever started us is still there, should his end of the line outlive him. */
const lookAtParentMs = 5000;

/** Resolves when the client has closed the line, is gone, or the signal says so. */
export async function serveMcp(config: Config, signal: AbortSignal): Promise<void> {
  let opened: Promise<Store> | undefined;
  const open = async (): Promise<Context> => {
    opened ??= openStore(config).catch((error) => {
      // The next call tries again: the person may have mended it.
      opened = undefined;
      throw error;
    });
    const store = await opened;
    // Settings are read anew, since a session may last for days.
    return { config: config.reload(), store, clock: Date.now };
  };

  const { StdioServerTransport, serveStdio } = await import('./sdk.ts');
  const server = await mcpServers({ context: open, folder: process.cwd() });
  const transport = new StdioServerTransport();
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
  await Promise.race([closed, aborted, orphaned]);
  clearInterval(watch);
  await serving.close();
  process.stdin.destroy();
  await (await opened?.catch(() => undefined))?.close();
}

async function openStore(config: Config): Promise<Store> {
  ensureHome(config);
  const { openSqliteStore } = await import('../store/sqlite/open.ts');
  return openSqliteStore(config.databasePath);
}
