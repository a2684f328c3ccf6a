// The worker's HTTP server, on 127.0.0.1 only: socket → serve (guard, route, body) → operation, capture or event
// stream.

import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { LiveDeps } from '../../capture/live/hook.ts';
import { hasJoinedHub } from '../../operations/machine/hub-check.ts';
import type { Context } from '../../operations/operation.ts';
import { packageRoot, version } from '../../package.ts';
import { dropBrowsers, openBrowsers } from '../../processes/access/browsers.ts';
import { dropCodes } from '../../processes/access/entrance.ts';
import { describeTaken, portHolder } from '../../processes/access/port-holder.ts';
import { proofOf } from '../../processes/access/proof.ts';
import { openTokens } from '../../processes/access/tokens.ts';
import type { Clock } from '../../schema/clock.ts';
import type { WorkSource } from '../../schema/work.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import type { McpHttp } from '../mcp/http.ts';
import { captureRoutes } from './capture-routes.ts';
import { type Budget, limitConnections, ownBudget } from './connections.ts';
import { eventStreams } from './events.ts';
import { groupStreams } from './group-events.ts';
import { operationRoutes } from './operation-routes.ts';
import { ownRoutes } from './own-routes.ts';
import type { Route } from './route.ts';
import { refuseBroken, serve } from './serve.ts';
import { viewerRoutes } from './viewer-routes.ts';

export interface HttpDeps extends LiveDeps {
  readonly store: Context['store'];
  readonly meaning?: Context['meaning'];
  readonly apart?: Context['apart'];
  /** What runs in the background. */
  readonly work?: WorkSource | undefined;
  readonly log: (line: string) => void;
  /** Called at each request of a caller that may ask. */
  readonly asked?: (() => void) | undefined;
}

export interface HttpServer {
  readonly port: number;
  readonly routes: readonly Route[];
  /** Ends every connection within a second, including open streams. */
  close(): Promise<void>;
}

export interface HttpOptions {
  /** 0 takes any free port. */
  readonly port?: number;
  /** How long the head of a request may take; a body and a silence get a few times that. */
  readonly patienceMs?: number;
  readonly heartbeatMs?: number;
  /** The folder of the built viewer. */
  readonly viewerFolder?: string;
  readonly budget?: Budget;
}

/** How long open requests get when the worker stops. */
const farewellMs = 500;

/** Throws CONFLICT if another program has the port, with its name if it can be found. */
export async function startHttp(deps: HttpDeps, options: HttpOptions = {}): Promise<HttpServer> {
  const { port = deps.config.settings.port, patienceMs = 10_000, heartbeatMs } = options;
  const { viewerFolder: folder = join(packageRoot, 'dist', 'viewer') } = options;
  // Open the tokens before the port: no caller can get in without them.
  const tokens = openTokens(deps.config.home);
  const streams = eventStreams(deps.events, deps.store, { heartbeatMs, work: deps.work });
  const ofGroups = groupStreams(deps, heartbeatMs);
  const prove = (nonce: string) => proofOf(tokens.full, bound, nonce);
  let opened: Promise<McpHttp> | undefined;
  const mcp = () => (opened ??= import('../mcp/http.ts').then(({ openMcpHttp }) => openMcpHttp(deps)));
  const own = {
    version: version(),
    streams,
    prove,
    context: deps,
    events: deps.events,
    work: deps.work,
    allRoutes: () => routes,
    mcp,
  };
  const { home } = deps.config;
  const viewer = viewerRoutes({
    ...{ home, clock: deps.clock, port: () => bound, browsers: () => browsers, folder },
    shownClock: () => currentClock(deps.config),
    hasTeam: () => hasJoinedHub(deps.config),
  });
  const routes: readonly Route[] = [
    ...viewer.routes,
    ...ownRoutes(own),
    ...captureRoutes(deps),
    ofGroups.route,
    ...operationRoutes(deps),
  ];

  const server = http.createServer({
    headersTimeout: patienceMs,
    requestTimeout: 2 * patienceMs,
    // The only timer of an idle server, as rare as the worker's own poll.
    connectionsCheckingInterval: 3 * patienceMs,
    keepAliveTimeout: 3 * patienceMs,
    // The guard refuses this instead, in the same form as all other refusals.
    requireHostHeader: false,
    noDelay: true,
  });
  const connections = limitConnections(server, options.budget ?? ownBudget());
  server.timeout = 3 * patienceMs;
  await listen(server, port, home);
  const bound = (server.address() as AddressInfo).port;
  // Another program may have had the port until now.
  dropCodes(home);
  const browsers = openBrowsers(home, bound, deps.clock);

  const groupNamed = (name: string) => deps.store.groups.get(name);
  const serving = {
    port: bound,
    tokens,
    routes,
    nowhere: viewer.nowhere,
    browsers,
    welcome: (socket: Socket) => {
      connections.welcome(socket);
      deps.asked?.();
    },
    log: deps.log,
    groupNamed,
  };
  const respond = (request: http.IncomingMessage, response: http.ServerResponse) =>
    void serve(serving, request, response);
  server.on('request', respond);
  // A client that waits for permission to send a body gets it only after the checks.
  server.on('checkContinue', respond);
  server.on('clientError', refuseBroken);
  server.on('error', (error) => deps.log(explain(error, 'HTTP').message));

  return {
    port: bound,
    routes,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      streams.close();
      ofGroups.close();
      browsers.close();
      // A store that failed to open needs no closing.
      await (await opened?.catch(() => undefined))?.close();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), farewellMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** The person may have changed it since the start. A bad configuration must not keep them out of the viewer. */
function currentClock(config: HttpDeps['config']): Clock {
  try {
    return config.reload().settings.clock;
  } catch {
    return config.settings.clock;
  }
}

async function listen(server: http.Server, port: number, home: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE') throw explain(error, `Port ${port}`);
    dropBrowsers(home);
    const { message, hint } = describeTaken(port, await portHolder(port));
    throw new HoldfastError('CONFLICT', message, { hint, cause: error });
  }
}
