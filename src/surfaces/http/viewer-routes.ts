// The viewer: the same document for each page, its hashed files, and the sign-in for browsers. None of this contains
// memory.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Browsers, revokeBrowser } from '../../processes/access/browsers.ts';
import { useCode } from '../../processes/access/entrance.ts';
import type { Clock } from '../../schema/clock.ts';
import { viewerPages } from '../../schema/viewer-page.ts';
import { HoldfastError } from '../../system/errors.ts';
import { parseJson } from './body.ts';
import { type Caller, type Route, route } from './route.ts';
import { bodyFor, readViewer, type ViewerFile, type ViewerFiles, withChallenge } from './viewer-files.ts';

export interface ViewerDeps {
  readonly home: string;
  readonly clock: () => number;
  readonly port: () => number;
  readonly browsers: () => Browsers;
  /** The clock that the person has set. */
  readonly shownClock: () => Clock;
  /** Whether this machine has joined a hub, and so has a team to search. */
  readonly hasTeam: () => boolean;
  /** The folder of the built files. */
  readonly folder: string;
}

/** Only code from this origin runs, is shown or is contacted; no other page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

/** `nowhere`: the page for an unknown address. */
export function viewerRoutes(deps: ViewerDeps): { routes: Route[]; nowhere: Route } {
  const { port, folder, browsers } = deps;
  let files: ViewerFiles | undefined;
  const viewer = (): ViewerFiles => (files ??= readViewer(folder));
  const shown = {
    method: 'GET',
    access: 'open',
    type: 'page',
    summary: 'The viewer',
    input: z.looseObject({}),
    output: z.unknown(),
  } as const;
  const page = (path: string, status: 200 | 404 = 200, more: Readonly<Record<string, string>> = {}) =>
    route({
      ...shown,
      path,
      async run(_, caller) {
        const { request, response } = caller;
        // A browser may try ::1 for this name, where another program can listen. It also keeps separate storage for
        // each name.
        if (!/^127\.0\.0\.1:/.test(request.headers.host ?? '')) return redirect(response, port(), request.url ?? '/');
        // Earlier versions gave browsers access by a cookie, which no longer opens anything.
        if (request.headers.cookie?.includes(`holdfast-${port()}=`))
          response.setHeader('set-cookie', `holdfast-${port()}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`);
        const shell = withChallenge(viewer().shell, browsers().challenge());
        send(caller, shell, { 'content-security-policy': policy, ...more }, status);
      },
    });
  const routes = [
    ...Object.values(viewerPages).map((path) => page(path)),
    // Another program may have had this port, and may have left scripts and pages under our names.
    page('/open', 200, { 'clear-site-data': '"cache"' }),
    route({
      ...shown,
      path: '/assets/{name}',
      input: z.object({ name: z.string() }),
      async run({ name }, caller) {
        const file = viewer().assets.get(name);
        if (file === undefined) throw new HoldfastError('NOT_FOUND', 'There is nothing at this address');
        // The name contains a hash of the content.
        send(caller, file, { 'cache-control': 'public, max-age=31536000, immutable' });
      },
    }),
    ...doorRoutes(deps),
  ];
  return { routes, nowhere: page('/{nowhere}', 404) };
}

const Key = z.string().max(100);
const Entering = z.object({
  code: z.string().min(1).max(200),
  key: Key,
  /** The browser that the new key replaces. */
  before: z.string().max(100).optional(),
});
const Answer = z.object({ id: z.string().max(100), challenge: z.string().max(200), signature: z.string().max(200) });

/** The sign-in calls of the viewer's page. They are not part of the API: other programs have the token. */
function doorRoutes({ home, clock, browsers, shownClock, hasTeam }: ViewerDeps): Route[] {
  const admission = (bearer: string) => ({ bearer, clock: shownClock(), team: hasTeam() });
  const door = (path: string, speak: (body: string, caller: Caller) => object) =>
    route({
      method: 'POST',
      path,
      summary: 'Admit a browser',
      access: 'open',
      type: 'application/json',
      input: z.object({}),
      output: z.unknown(),
      limit: 4096,
      run: async () => undefined,
      async speak(body, caller) {
        const text = JSON.stringify(speak(body, caller));
        const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length };
        caller.response.writeHead(200, headers);
        caller.response.end(text);
      },
    });
  return [
    door('/open/challenge', () => ({ challenge: browsers().challenge() })),
    door('/open/browser', (body, { request }) => {
      const { code, key, before } = parsed(Entering, body);
      if (!useCode(home, code, clock())) throw unknown('This code has been used, or has expired');
      const bearer = browsers().register(key, String(request.headers['user-agent'] ?? ''));
      if (bearer === undefined) throw new HoldfastError('BAD_INPUT', 'key: this is not a P-256 public key');
      if (before !== undefined) revokeBrowser(home, before);
      return admission(bearer);
    }),
    door('/open/ticket', (body) => {
      const bearer = browsers().answer(parsed(Answer, body));
      if (bearer === undefined) throw unknown('The worker does not know this browser');
      return admission(bearer);
    }),
  ];
}

const unknown = (message: string): HoldfastError =>
  new HoldfastError('NO_TOKEN', message, { hint: 'In a terminal on this machine: holdfast open' });

function parsed<T extends z.ZodType>(schema: T, body: string): z.output<T> {
  const { data, error } = schema.safeParse(parseJson(body));
  if (error === undefined) return data as z.output<T>;
  const [issue] = error.issues;
  throw new HoldfastError('BAD_INPUT', `${issue?.path.join('.') || 'the input'}: ${issue?.message}`);
}

/** The fragment of the address stays: browsers do not send it to the server. */
function redirect(response: ServerResponse, port: number, path: string): void {
  response.writeHead(307, {
    location: `http://127.0.0.1:${port}${path}`,
    'referrer-policy': 'no-referrer',
    'content-length': 0,
  });
  response.end();
}

function send(
  { request, response }: Caller,
  file: ViewerFile,
  headers: Readonly<Record<string, string>>,
  status = 200,
): void {
  const { coding, body } = bodyFor(file, String(request.headers['accept-encoding'] ?? ''));
  response.writeHead(status, {
    'content-type': file.type,
    'content-length': body.length,
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    vary: 'accept-encoding',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...headers,
  });
  response.end(body);
}

/**
 * We have no service worker. If a browser asks for one, another program had this port and left it: it would see and change everything on our
 * pages. This one takes its place and goes.
 */
const leaving = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(leave()));
async function leave() {
  await self.registration.unregister();
  for (const page of await self.clients.matchAll({ type: 'window' })) page.navigate(page.url);
}
`;

export const asksForServiceWorker = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers['service-worker'] === 'script';

export function removeServiceWorker(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'content-length': leaving.length });
  response.end(leaving);
}
