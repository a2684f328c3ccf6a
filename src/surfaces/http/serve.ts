// One request → one response. Everything about the caller is checked before a byte of the body is read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Access } from '../../processes/access/tokens.ts';
import type { ApiError } from '../../schema/api-error.ts';
import { type ErrorCode, explain, HoldfastError, inShort, systemCode } from '../../system/errors.ts';
import { readBody, readJson } from './body.ts';
import { type Admission, type Door, identify, refuseForeign } from './guard.ts';
import { checkInput, findRoute, fromQuery, isOpenTo, leadsTo, type Route } from './route.ts';
import { asksForServiceWorker, removeServiceWorker } from './viewer-routes.ts';

export interface Serving extends Door {
  readonly routes: readonly Route[];
  /** The page that a browser gets at an unknown address. */
  readonly nowhere: Route;
  readonly log: (line: string) => void;
  /** Called for a connection on which a caller has shown a token. */
  readonly welcome: (socket: Socket) => void;
}

const smallBody = 1 << 20;
/** Length of an address in the log. */
const longestPath = 200;
/** How long a caller may go on sending after the answer. If cut off at once, it might not see the answer. */
const lingerMs = 500;

/** Contract: never throws; every failure becomes an answer. */
export async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    for (const [name, value] of headers) response.setHeader(name, value);
    const { route, answer } = await run(serving, request, response);
    if (route.speak !== undefined || route.type === 'text/event-stream' || route.type === 'page') return;
    const text = route.type === 'application/json' ? JSON.stringify(answer) : String(answer);
    send(request, response, route.status ?? 200, route.type, text);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const failure = explain(error, 'the request');
    if (failure.status >= 500)
      serving.log(`${request.method} ${pathOf(request)[0].slice(0, longestPath)}: ${failure.message}`);
    if (failure.code === 'NO_TOKEN') response.setHeader('www-authenticate', 'Bearer');
    send(request, response, failure.status, 'application/json', JSON.stringify(toApiError(toldOf(failure))));
  }
}

async function run(serving: Serving, request: IncomingMessage, response: ServerResponse) {
  const { method = '' } = request;
  refuseForeign(request, serving.port);
  if (method !== 'GET' && method !== 'POST') throw new HoldfastError('BAD_METHOD', 'Only GET and POST are supported');
  const [path, query] = pathOf(request);
  if (asksForServiceWorker(request)) {
    removeServiceWorker(response);
    return { route: serving.nowhere, answer: undefined };
  }
  if (isLost(serving, request, path)) {
    await serving.nowhere.run({}, { access: undefined, request, response });
    return { route: serving.nowhere, answer: undefined };
  }
  const admission = isOpenTo(serving.routes, method, path) ? undefined : await identify(request, serving);
  const access = admission?.access;
  if (admission !== undefined) serving.welcome(request.socket);
  const { route, inPath } = findRoute(serving.routes, method, path);
  refuseOthers(route, inPath, access);
  const caller = { access, request, response };
  if (route.speak !== undefined) {
    await route.speak(await readBody(request, response, route.limit ?? smallBody), caller);
    return { route, answer: undefined };
  }
  const given =
    route.type === 'page'
      ? {}
      : method === 'GET'
        ? fromQuery(route, query)
        : await bodyOf(route, query, request, response);
  const twice = Object.keys(inPath).find((name) => Object.hasOwn(Object(given), name));
  if (twice !== undefined) throw new HoldfastError('BAD_INPUT', `${twice} is already given in the address`);
  const input = checkInput(route, Object.keys(inPath).length > 0 ? { ...(given as object), ...inPath } : given);
  const answer = await (route.type === 'application/json'
    ? unhurried(request.socket, () => route.run(input, caller))
    : route.run(input, caller));
  if (route.type === 'text/event-stream' && admission !== undefined) endWithRight(response, admission);
  return { route, answer };
}

/** The limit on silence is for callers. While one waits for a long answer on a busy machine, the silence is ours. */
async function unhurried<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  try {
    return await work();
  } finally {
    socket.setTimeout(timeout);
  }
}

const lookAtRightMs = 1000;

/** Ends a stream when its listener loses access, because the person has revoked that browser. */
function endWithRight(response: ServerResponse, { still }: Admission): void {
  const timer = setInterval(() => {
    if (!still()) response.end();
  }, lookAtRightMs).unref();
  response.once('close', () => clearInterval(timer));
}

/** Programs use `/api` and `/mcp`, whatever they say they accept. */
function isLost({ routes }: Serving, { method, headers: { accept } }: IncomingMessage, path: string): boolean {
  if (method !== 'GET' || !accept?.includes('text/html') || /^\/(?:api|mcp)(?:\/|$)/.test(path)) return false;
  return !routes.some((one) => leadsTo(one, path));
}

async function bodyOf(route: Route, query: string, request: IncomingMessage, response: ServerResponse) {
  if (query !== '') throw new HoldfastError('BAD_INPUT', 'A POST takes its input from the body, not from the address');
  return readJson(request, response, route.limit ?? smallBody);
}

/** Path and query string as they were sent: nothing is resolved, so `..` leads nowhere. */
function pathOf({ url = '' }: IncomingMessage): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** A token opens only its own routes, whatever the request contains. */
function refuseOthers(
  { access: needed }: Route,
  inPath: Readonly<Record<string, string>>,
  access: Access | undefined,
): void {
  if (needed === 'open' || access === 'full') return;
  if (typeof access === 'object') {
    if (needed === 'group' && inPath.group === access.group) return;
    throw new HoldfastError('NO_PERMISSION', 'This token is only for the messages and sessions of its own group');
  }
  if (needed !== 'report') throw onlyReports();
}

const onlyReports = (): HoldfastError =>
  new HoldfastError('NO_PERMISSION', 'This token can only report', {
    hint: 'Reading needs the token in the file `token`.',
  });

/** No cache stores an answer, no page of another origin may embed it, and no browser guesses its type. */
const headers = [
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['x-content-type-options', 'nosniff'],
] as const;

function send(request: IncomingMessage, response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': body.length });
  response.end(body);
  if (request.complete) return;
  // Discards what is still being sent, for a moment.
  request.resume();
  const cut = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(cut));
}

/** The message of an unexpected error may name files of this machine, so it only goes to the log. */
const toldOf = (failure: HoldfastError): Pick<HoldfastError, 'code' | 'message' | 'hint'> =>
  failure.code === 'INTERNAL'
    ? { code: failure.code, message: 'Something went wrong inside the worker', hint: 'See: holdfast logs' }
    : failure;

const toApiError = ({
  code,
  message,
  hint,
}: {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
}): ApiError => ({
  error: { code, message: inShort(message), ...(hint === undefined ? {} : { hint }) },
});

/** Input that is not HTTP, or that took too long to become a request. */
export function refuseBroken(error: Error, socket: Duplex): void {
  if (!socket.writable || systemCode(error) === 'ECONNRESET') return void socket.destroy();
  const code = systemCode(error);
  const [status, message] =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request took too long']
      : code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large']
        : ['400 Bad Request', 'This is not HTTP'];
  const body = JSON.stringify(toApiError({ code: 'BAD_INPUT', message }));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
