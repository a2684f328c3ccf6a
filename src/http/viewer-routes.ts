// The viewer: the same document for each of its pages, its hashed files, and the door that a code opens. None of it holds anything remembered.
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { HoldfastError } from '../errors.ts';
import { viewerPages } from '../schema/viewer-page.ts';
import { cookieFor, useCode } from './entrance.ts';
import { type Caller, type Route, route } from './route.ts';
import { bodyFor, readViewer, type ViewerFile, type ViewerFiles } from './viewer-files.ts';

export interface ViewerDeps {
  readonly home: string;
  readonly token: string;
  readonly clock: () => number;
  readonly port: () => number;
  /** Where the built files lie. */
  readonly folder: string;
}

/** Only what comes from here runs, is shown or is spoken with; no page of anybody else may frame it. */
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

/** `nowhere`: for an address that is none. */
export function viewerRoutes({ home, token, clock, port, folder }: ViewerDeps): { routes: Route[]; nowhere: Route } {
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
  const page = (path: string, status: 200 | 404 = 200) =>
    route({
      ...shown,
      path,
      run: async (_, caller) => send(caller, viewer().shell, { 'content-security-policy': policy }, status),
    });
  const routes = [
    ...Object.values(viewerPages).map((path) => page(path)),
    route({
      ...shown,
      path: '/assets/{name}',
      input: z.object({ name: z.string() }),
      async run({ name }, caller) {
        const file = viewer().assets.get(name);
        if (file === undefined) throw new HoldfastError('NOT_FOUND', 'There is nothing at this address');
        // The name holds a print of what is in it.
        send(caller, file, { 'cache-control': 'public, max-age=31536000, immutable' });
      },
    }),
    route({
      ...shown,
      path: '/open/{code}',
      input: z.object({ code: z.string().max(200) }),
      async run({ code }, { response }) {
        // Used up or too old: who has a cookie already gets in anyway, and the page tells the others what to do.
        if (useCode(home, code, clock())) response.setHeader('set-cookie', cookieFor(token, port(), clock()));
        redirect(response, viewerPages.now);
      },
    }),
  ];
  return { routes, nowhere: page('/{nowhere}', 404) };
}

/** The browser keeps the address that it was sent on to, and not the one with the code. */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'referrer-policy': 'no-referrer', 'content-length': 0 });
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
