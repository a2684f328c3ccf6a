// The only way out of a sandbox: a Unix socket with an HTTP proxy behind it. The sandbox has an empty network of its own. The proxy
// reaches no address on this machine or on the network around it unless `reach` names it, and never the worker.
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import { isPublic } from './addresses.ts';
import { floodDetector } from './pace.ts';

export interface Egress {
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Local addresses (`host:port`) that the person lets agents reach. */
  readonly reach: readonly string[];
  /** The worker's port on this machine. Agents never reach it, even if `reach` names it. */
  readonly workerPort: number;
  readonly log: (line: string) => void;
  readonly onFlood?: (() => void) | undefined;
  /** For tests: replaces the DNS lookup. */
  readonly resolve?: (name: string) => Promise<readonly { readonly address: string }[]>;
}

/** Open at the same time, for one agent. A package manager opens dozens. */
const mostConnections = 256;
const mostAttempts = 5000;
const attemptsMs = 10_000;
const connectMs = 30_000;
/** After this time without data, a tunnel closes. */
const idleMs = 600_000;

class Refused extends Error {}

export async function startEgress(socketPath: string, options: EgressOptions): Promise<Egress> {
  const server = http.createServer((request, response) => {
    forward(options, request, response).catch((error: Error) => {
      if (!response.headersSent)
        response.writeHead(error instanceof Refused ? 403 : 502, { 'content-type': 'text/plain', connection: 'close' });
      response.end(`Holdfast: ${error.message}\n`);
    });
  });
  server.maxConnections = mostConnections;
  const isFlood = floodDetector(mostAttempts, attemptsMs);
  const attempted = () => {
    if (isFlood()) options.onFlood?.();
  };
  server.on('connection', attempted);
  server.on('drop', attempted);
  const tunnels = new Set<net.Socket>();
  server.on('connect', async (request: http.IncomingMessage, near: net.Socket, head: Buffer) => {
    near.on('error', () => near.destroy());
    try {
      const far = await connectTo(options, request.url ?? '');
      tunnels.add(far);
      far.once('close', () => tunnels.delete(far));
      join(near, far, head);
    } catch (error) {
      const status = error instanceof Refused ? '403 Forbidden' : '502 Bad Gateway';
      near.end(
        `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nHoldfast: ${(error as Error).message}\n`,
      );
    }
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(socketPath, done);
  });
  server.on('error', (error) => options.log(`The way to the network: ${error.message}`));
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
        for (const tunnel of tunnels) tunnel.destroy();
      }),
  };
}

const lookUp = (name: string) => lookup(name, { all: true, verbatim: true });

/** The address to connect to. The caller connects to it and not to the name, since a second lookup of the name could lead elsewhere. */
async function addressOf(options: EgressOptions, host: string, port: number): Promise<string> {
  const { reach, workerPort, resolve = lookUp } = options;
  if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refused('there is no such address');
  const found = net.isIP(host) ? [{ address: host }] : await resolve(host);
  const isAllowed = reach.includes(`${host}:${port}`);
  for (const { address } of found) {
    if (isPublic(address)) return address;
    if (isAllowed && !(port === workerPort && isLocal(address))) return address;
  }
  throw new Refused(
    `${host}:${port} is on this machine or the network around it, which agents do not reach (host.reach, host.networkVia)`,
  );
}

/** Connects to the target of a CONNECT request. */
async function connectTo(options: EgressOptions, target: string): Promise<net.Socket> {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(target) ?? [];
  const address = await addressOf(options, host, Number(port));
  return net.connect({ host: address, port: Number(port) });
}

/** Joins both ends: when one closes, so does the other. An idle tunnel closes too. */
function join(near: net.Socket, far: net.Socket, head: Buffer): void {
  far.setTimeout(connectMs, () => far.destroy());
  near.setTimeout(idleMs, () => near.destroy());
  far.on('error', () => near.destroy());
  far.once('close', () => near.destroy());
  near.once('close', () => far.destroy());
  far.once('connect', () => {
    far.setTimeout(idleMs);
    near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) far.write(head);
    near.pipe(far).pipe(near);
  });
}

/** Forwards a plain HTTP request, whose URL is absolute. */
async function forward(
  options: EgressOptions,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
  if (url?.protocol !== 'http:') throw new Refused('this is a proxy: it takes whole addresses, and CONNECT');
  const port = Number(url.port || 80);
  const address = await addressOf(options, url.hostname.replace(/^\[|\]$/g, ''), port);
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers;
  const far = http.request({
    ...{ host: address, port, method: request.method, path: url.pathname + url.search },
    ...{ headers: { ...headers, host: url.host }, timeout: connectMs },
  });
  response.once('close', () => far.destroy());
  const answered = new Promise<http.IncomingMessage>((done, fail) => {
    far.once('response', done);
    far.once('timeout', () => far.destroy(new Error('it does not answer')));
    far.once('error', fail);
  });
  request.pipe(far);
  const incoming = await answered;
  response.writeHead(incoming.statusCode ?? 502, incoming.headers);
  incoming.on('error', () => response.destroy());
  incoming.pipe(response);
}

const isLocal = (address: string): boolean => /^(?:127\.|0\.|::1$|::ffff:127\.)/.test(address) || !isPublic(address);
