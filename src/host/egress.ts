// The way from a sandbox to the world: a Unix socket with an HTTP proxy behind it. The sandbox has a network of its own with nothing in it, so this is the only
// way, and it leads to no address of this machine, nor of the network around it: not to the worker, and not to whatever else listens there.
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import { isPublic } from './addresses.ts';
import { floodDetector } from './pace.ts';

export interface Egress {
  close(): Promise<void>;
}

export interface EgressOptions {
  /** `host:port`s around here that the person lets agents reach. */
  readonly reach: readonly string[];
  /** Never reached, whatever else is allowed: the worker's port on this machine. */
  readonly workerPort: number;
  readonly log: (line: string) => void;
  readonly onFlood?: (() => void) | undefined;
  /** For tests: what a name leads to. */
  readonly resolve?: (name: string) => Promise<readonly { readonly address: string }[]>;
}

/** At a time, for one agent: a package manager opens dozens. */
const mostConnections = 256;
const mostAttempts = 5000;
const attemptsMs = 10_000;
const connectMs = 30_000;
/** A tunnel in which nothing moves is closed. */
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

/** The address to connect to. It is looked up once and used as it is: on a second look, the name could lead elsewhere. */
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

/** A connection to what a CONNECT request names. */
async function connectTo(options: EgressOptions, target: string): Promise<net.Socket> {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(target) ?? [];
  const address = await addressOf(options, host, Number(port));
  return net.connect({ host: address, port: Number(port) });
}

/** Both ends close together, and so does a tunnel in which nothing moves. */
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

/** A request for a page without TLS, with its whole address. */
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
