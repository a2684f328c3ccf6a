// A run's folder with its sockets: `host.sock` for the runner, `api.sock` for its model, `net.sock` for the network. Only this run's
// sandbox sees it, so every client there is a process of this run, whatever it claims.
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemCode } from '../system/errors.ts';
import type { AgentDeps } from './agent.ts';
import { startEgress } from './egress.ts';
import { startProxy } from './proxy.ts';

export interface Sockets {
  readonly folder: string;
  /** The agent's key for its model. */
  readonly key: string;
  /** The runner, which is the first to connect. Later connections are refused. Undefined: none came. */
  readonly connected: Promise<net.Socket | undefined>;
  /** Stops waiting for the runner. */
  refuse(): void;
  /** Deletes the folder, too. */
  close(): Promise<void>;
}

const prefix = 'holdfast-run-';

/** In the folder for temporary files: the path of a socket may have a hundred bytes only. */
export async function openSockets(
  { config, log }: AgentDeps,
  { proxied, onFlood }: { readonly proxied: boolean; readonly onFlood: () => void },
): Promise<Sockets> {
  swept ??= sweep();
  await swept;
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  const server = net.createServer();
  let refuse = () => {};
  const connected = new Promise<net.Socket | undefined>((resolve) => {
    refuse = () => {
      server.close();
      resolve(undefined);
    };
    let hasRunner = false;
    server.on('connection', (socket) => {
      // The system may have let in others before the server stopped listening.
      if (hasRunner) return void socket.destroy();
      hasRunner = true;
      server.close();
      resolve(socket);
    });
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path.join(folder, 'host.sock'), resolve);
    });
    const proxy = await startProxy(config.modelService, path.join(folder, 'api.sock'), log, onFlood);
    const { reach } = config.settings.host;
    const egress = proxied
      ? await startEgress(path.join(folder, 'net.sock'), { reach, workerPort: config.settings.port, log, onFlood })
      : undefined;
    return {
      folder,
      key: proxy.key,
      connected,
      refuse,
      async close() {
        refuse();
        (await connected)?.destroy();
        await proxy.close();
        await egress?.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    refuse();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Once per process. */
let swept: Promise<void> | undefined;

/** Deletes what killed hosts have left: our folders whose socket has no listener. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix))) {
    const folder = path.join(tmpdir(), name);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    const isDead = await new Promise<boolean>((resolve) => {
      const socket = net.connect(path.join(folder, 'api.sock'));
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', (error) => resolve(systemCode(error) === 'ECONNREFUSED'));
    });
    if (isDead) rmSync(folder, { recursive: true, force: true });
  }
}
