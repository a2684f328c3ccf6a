// A real worker's HTTP on a free port, over a real store with two sessions, and a way to send it any bytes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Holdfast, openHoldfast } from '../src/app/open.ts';
import { ingest } from '../src/operations/data/ingest.ts';
import { openTokens, type Tokens } from '../src/processes/access/tokens.ts';
import { type LiveEvents, liveEvents } from '../src/schema/live-event.ts';
import { type HttpOptions, type HttpServer, startHttp } from '../src/surfaces/http/server.ts';
import { freshDatabase } from './fresh-database.ts';

export const session = 'aaaaaaaa-0000-4000-8000-000000000001';

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether the worker closed the connection, rather than the test after a silence. */
  readonly closed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface Stand {
  readonly folder: string;
  readonly transcripts: string;
  readonly holdfast: Holdfast;
  readonly server: HttpServer;
  /** Includes the token that hooks of older versions carry. */
  readonly tokens: Required<Tokens> & { readonly report: string };
  readonly events: LiveEvents;
  /** Transcripts that a hook asked the worker to read. */
  readonly woken: string[];
  readonly logged: string[];
  get(path: string, token?: string): Promise<Answer>;
  post(path: string, body: unknown, token?: string): Promise<Answer>;
  /** Sends the bytes unchanged. Resolves with everything received until the connection was closed or silent. */
  raw(bytes: string, more?: (socket: net.Socket) => void): Promise<Answer>;
  /** Closes everything, and reopens it over the same data. */
  restart(): Promise<Stand>;
  close(): Promise<void>;
}

export async function openStand(
  options: HttpOptions = {},
  folder = mkdtempSync(join(tmpdir(), 'holdfast-http-')),
): Promise<Stand> {
  const transcripts = join(folder, '.claude', 'projects', '-work-shop');
  mkdirSync(transcripts, { recursive: true });
  writeFileSync(join(transcripts, `${session}.jsonl`), transcript);
  const env = { HOME: folder, HOLDFAST_TIME_ZONE: 'UTC' };
  await freshDatabase(env);
  const holdfast = await openHoldfast(env);
  await ingest.run(holdfast.context, { reimport: false });
  const woken: string[] = [];
  const logged: string[] = [];
  const events = liveEvents(Date.now);
  const report = 'c0'.repeat(32);
  writeFileSync(join(holdfast.config.home, 'hook-token'), report, { mode: 0o600 });
  const server = await startHttp(
    {
      ...holdfast.context,
      events,
      wake: (file) => woken.push(file),
      onPrompt: async (prompt) => `About ${prompt}: it was a race.`,
      log: (line) => logged.push(line),
    },
    { port: 0, viewerFolder: smallViewer(folder), ...options },
  );
  const tokens = { ...openTokens(holdfast.config.home), report };
  const raw: Stand['raw'] = (bytes, more) => exchange(server.port, bytes, more);
  const ask = (line: string, token: string, body?: unknown) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = [
      `Host: 127.0.0.1:${server.port}`,
      'Connection: close',
      ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
    ];
    return raw(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${text}`);
  };
  return {
    folder,
    transcripts,
    holdfast,
    server,
    tokens,
    events,
    woken,
    logged,
    get: (path, token = tokens.full) => ask(`GET ${path}`, token),
    post: (path, body, token = tokens.report) => ask(`POST ${path}`, token, body),
    raw,
    async restart() {
      await server.close();
      await holdfast.close();
      return openStand(options, folder);
    },
    async close() {
      await server.close();
      await holdfast.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The smallest possible build of the viewer. */
function smallViewer(folder: string): string {
  const built = join(folder, 'viewer');
  mkdirSync(join(built, 'assets'), { recursive: true });
  for (const [name, text] of [
    ['index.html', '<!doctype html><meta name="challenge" content="" /><title>Holdfast</title>'],
    ['assets/main-1.js', 'document.title'],
  ] as const) {
    writeFileSync(join(built, name), text);
    writeFileSync(join(built, `${name}.gz`), gzipSync(text));
    writeFileSync(join(built, `${name}.br`), brotliCompressSync(text));
  }
  return built;
}

function exchange(port: number, bytes: string, more?: (socket: net.Socket) => void): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let got = '';
    const end = (closed: boolean) => {
      socket.destroy();
      const [head = '', ...rest] = got.split('\r\n\r\n');
      const body = rest.join('\r\n\r\n');
      const status = Number(head.split(' ')[1] ?? 0);
      resolve({ status, head: head.toLowerCase(), body, closed, json: parsed(body) });
    };
    socket.setTimeout(3000, () => end(false));
    socket.on('data', (data) => {
      got += data.toString('utf8');
    });
    socket.on('close', () => end(true));
    socket.on('error', () => end(true));
    socket.write(bytes);
    more?.(socket);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON.
    return undefined;
  }
}

const transcript = ['Why does the checkout test flake?', 'A race in the checkout worker.']
  .map((text, i) => ({
    type: i === 0 ? 'user' : 'assistant',
    uuid: `10000000-0000-4000-8000-00000000000${i}`,
    parentUuid: i === 0 ? null : '10000000-0000-4000-8000-000000000000',
    sessionId: session,
    timestamp: `2026-03-01T10:0${i}:00.000Z`,
    cwd: '/srv/shop',
    message: { role: i === 0 ? 'user' : 'assistant', content: i === 0 ? text : [{ type: 'text', text }] },
  }))
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
