// A run's own folder with its two sockets: `host.sock` for the runner, `api.sock` for its model. Only this run's sandbox sees it, so
// whoever speaks there is this run's process, whatever he says.
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentDeps } from './agent.ts';
import { startProxy } from './proxy.ts';

export interface Sockets {
  readonly folder: string;
  /** The key that the agent has for its model. */
  readonly key: string;
  /** The runner, who is first; nobody is let in after him. Undefined: nobody came. */
  readonly connected: Promise<net.Socket | undefined>;
  /** Nobody is waited for any more. */
  refuse(): void;
  /** The folder is gone, too. */
  close(): Promise<void>;
}

/** In the folder for temporary files: the path of a socket may have a hundred bytes only. */
export async function openSockets({ config, log }: AgentDeps): Promise<Sockets> {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-run-'));
  const server = net.createServer();
  let refuse = () => {};
  const connected = new Promise<net.Socket | undefined>((resolve) => {
    refuse = () => {
      server.close();
      resolve(undefined);
    };
    server.once('connection', (socket) => {
      server.close();
      resolve(socket);
    });
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path.join(folder, 'host.sock'), resolve);
    });
    const proxy = await startProxy(config.modelService, path.join(folder, 'api.sock'), log);
    return {
      folder,
      key: proxy.key,
      connected,
      refuse,
      async close() {
        refuse();
        (await connected)?.destroy();
        await proxy.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    refuse();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
