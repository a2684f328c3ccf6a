// The way from a sandbox to its model: a Unix socket on which only the model's API answers, and only to this run's own key. That key opens
// nothing else. The proxy replaces it with the real one, which is nowhere in the sandbox.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { ModelService } from '../config/config.ts';
import { floodDetector } from './pace.ts';

export interface ModelProxy {
  /** The agent's key. Worthless anywhere else, and after this run. */
  readonly key: string;
  close(): Promise<void>;
}

/** At a time, for one agent. A client with subagents has about twenty. */
const mostConnections = 128;
/** An agent that opens this many in ten seconds does nothing else, and is ended. */
const mostAttempts = 2000;
const attemptsMs = 10_000;
/** For a connection that sends no request. */
const headersMs = 30_000;

/** Everything that an agent may request from the service. */
const allowed: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/v1\/messages$/ },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/ },
  { method: 'GET', path: /^\/v1\/models(?:\/[A-Za-z0-9][A-Za-z0-9._:@-]*)?$/ },
];

/** Headers about one connection or about the client. They are not forwarded in either direction. */
const notPassedOn = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect', 'x-api-key', 'authorization', 'cookie', 'set-cookie'],
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
]);

export async function startProxy(
  service: ModelService,
  socketPath: string,
  log: (line: string) => void,
  onFlood: () => void = () => {},
): Promise<ModelProxy> {
  const key = `sk-ant-holdfast-${randomBytes(24).toString('hex')}`;
  const base = new URL(service.url);
  const client = base.protocol === 'https:' ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      // The error's own text: at most it contains an address, never a header.
      log(`The model's service: ${error.message}`);
      if (!response.headersSent) refuse(response, 502, `The model's service cannot be reached: ${error.message}`);
      response.destroy();
    });
  });

  // Each connection takes a descriptor of the host, which all groups share.
  server.maxConnections = mostConnections;
  server.headersTimeout = headersMs;
  server.keepAliveTimeout = headersMs;
  const isFlood = floodDetector(mostAttempts, attemptsMs);
  const attempted = () => {
    if (isFlood()) onFlood();
  };
  server.on('connection', attempted);
  // Connections beyond the limit are closed on arrival, but cost time all the same.
  server.on('drop', attempted);

  let open = 0;

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!knows(request, key)) return refuse(response, 401, 'This key is not the one of this run');
    const [path = '', query] = (request.url ?? '').split('?', 2);
    if (!allowed.some((one) => one.method === request.method && one.path.test(path)))
      return refuse(response, 403, `${request.method} ${path.slice(0, 200)} is not the model's API`);
    if (open >= mostConnections) return refuse(response, 429, 'Too many questions at a time');
    open++;
    response.once('close', () => open--);
    const headers = passedOn(request.headers);
    if (service.key !== undefined) headers[service.key.header] = service.key.value;
    const outgoing = client.request({
      agent,
      method: request.method,
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      path: `${base.pathname.replace(/\/$/, '')}${path}${query === undefined ? '' : `?${query}`}`,
      headers,
    });
    // If the agent disconnects, cancel the request: its tokens would be wasted.
    response.once('close', () => response.writableFinished || outgoing.destroy());
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
    });
    // A service may answer before it has read the whole request. Then the rest of the request does not matter.
    pipeline(request, outgoing).catch((error: Error) => outgoing.destroy(error));
    const incoming = await answered;
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers));
    await pipeline(incoming, response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    key,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

function knows({ headers }: http.IncomingMessage, key: string): boolean {
  const given = String(headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /i, '') ?? '');
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function passedOn(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  // A header that `connection` names is about the connection, too.
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !notPassedOn.has(name) && !named.includes(name)),
  );
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ type: 'error', error: { type: 'permission_error', message: `Holdfast: ${message}` } });
  // The rest of the request is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}
