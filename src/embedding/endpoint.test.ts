import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { quantize } from './embedder.ts';
import { embedderOf, openEmbedder } from './index.ts';
import { ollamaEmbedder } from './ollama.ts';
import { openAiCompatibleEmbedder } from './openai-compatible.ts';

interface Request {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: { model: string; input: string[]; encoding_format?: string };
}

let requests: Request[];
let answer: (request: Request, response: http.ServerResponse) => void;
let server: http.Server;
let url: string;
beforeEach(async () => {
  requests = [];
  server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const asked = { path: request.url ?? '', key: request.headers.authorization, body };
    requests.push(asked);
    answer(asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const impatient = { timeoutMs: 60_000, waitsMs: [1, 1] };
const vectorOf = (text: string) => [text.length, -text.length / 2, 0, 1];
const json = (response: http.ServerResponse, body: unknown, status = 200, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const kinds = {
  ollama: {
    open: (more: NodeJS.ProcessEnv = {}) =>
      ollamaEmbedder(loadConfig({ HOME: '/nowhere', HOLDFAST_EMBEDDING_URL: url, ...more }), impatient),
    path: '/api/embed',
    body: (vectors: number[][]): unknown => ({ model: 'nomic-embed-text', embeddings: vectors }),
  },
  'openai-compatible': {
    open: (more: NodeJS.ProcessEnv = {}) => {
      const env = { HOLDFAST_EMBEDDING_URL: `${url}/v1/`, HOLDFAST_EMBEDDING_MODEL: 'm', ...more };
      return openAiCompatibleEmbedder(loadConfig({ HOME: '/nowhere', ...env }), impatient);
    },
    path: '/v1/embeddings',
    // The order is in the index, not in the list.
    body: (vectors: number[][]): unknown => ({
      object: 'list',
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
    }),
  },
};

describe.each(Object.entries(kinds))('an endpoint that is %s', (kind, { open, path, body }) => {
  const good: typeof answer = ({ body: { input } }, response) => json(response, body(input.map(vectorOf)));

  it('gives a vector for each text, in their order, and none for an empty one', async () => {
    answer = good;
    const embedder = open({ HOLDFAST_EMBEDDING_KEY: 'sk-1' });
    const vectors = await embedder.embed(['long text', ' ', 'text']);
    expect(vectors).toEqual([[quantize(vectorOf('long text'))], [], [quantize(vectorOf('text'))]]);
    expect(requests).toMatchObject([{ path, key: 'Bearer sk-1', body: { input: ['long text', 'text'] } }]);
    expect(await embedder.query('q?')).toEqual(quantize(vectorOf('q?')));
    expect(embedder).toMatchObject({ instant: false, model: expect.stringContaining(kind) });
  });

  it('sends no request when there is nothing to embed, and no key if none is set', async () => {
    answer = good;
    expect(await open().embed(['', '\n'])).toEqual([[], []]);
    await open().embed(['x']);
    expect(requests.map(({ key }) => key)).toEqual([undefined]);
  });

  it.each([429, 500, 503])('retries after %i, and takes the answer', async (status) => {
    let calls = 0;
    answer = (request, response) =>
      ++calls < 3 ? json(response, { error: 'busy' }, status, { 'retry-after': '0' }) : good(request, response);
    expect(await open().embed(['x'])).toEqual([[quantize(vectorOf('x'))]]);
    expect(calls).toBe(3);
  });

  it('gives up after a few attempts, with the endpoint’s message', async () => {
    answer = (_, response) => json(response, { error: { message: 'quota is used up' } }, 429);
    await expect(open().embed(['x'])).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('429: quota is used up'),
    });
    expect(requests).toHaveLength(3);
  });

  it.each([400, 401, 404])('does not retry after %i', async (status) => {
    answer = (_, response) => json(response, { error: 'model "m" not found' }, status);
    await expect(open().embed(['x'])).rejects.toMatchObject({
      message: expect.stringContaining(`${status}: model "m" not found`),
      hint: expect.stringContaining(status === 401 ? 'embedding.key' : 'embedding.url'),
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'hello'],
    ['half of it', '{"embeddings": [[1, 2'],
    ['something else', '{"ok":true}'],
    ['words for numbers', JSON.stringify({ embeddings: [['a']], data: [{ index: 0, embedding: ['a'] }] })],
    ['nothing', ''],
  ])('an answer that is %s is refused with what to check', async (_, text) => {
    answer = (_request, response) => response.writeHead(200).end(text);
    await expect(open().embed(['x'])).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('no vectors'),
      hint: expect.stringContaining('embedding.model'),
    });
  });

  it('too few vectors, and vectors of different lengths, are refused', async () => {
    answer = (_, response) => json(response, body([[1, 2]]));
    await expect(open().embed(['x', 'y'])).rejects.toThrow('1 vectors for 2 texts');
    answer = (_, response) => json(response, body([[1, 2], [1]]));
    await expect(open().embed(['x', 'y'])).rejects.toThrow('different lengths');
  });

  it('follows no redirect: the key is for this address', async () => {
    answer = (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end();
    await expect(open().embed(['x'])).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('says that nothing listens there', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(open().embed(['x'])).rejects.toMatchObject({
      message: expect.stringContaining(`${port}${path} cannot be reached (ECONNREFUSED)`),
      hint: expect.stringContaining('embedding.kind static'),
    });
  });

  it('does not wait forever, and stops when it is asked to', async () => {
    answer = () => {};
    const hasty = { timeoutMs: 50, waitsMs: [] };
    const env = { HOME: '/nowhere', HOLDFAST_EMBEDDING_URL: url, HOLDFAST_EMBEDDING_MODEL: 'm' };
    const embedder = (kind === 'ollama' ? ollamaEmbedder : openAiCompatibleEmbedder)(loadConfig(env), hasty);
    await expect(embedder.embed(['x'])).rejects.toThrow('does not answer within');
    const stop = new AbortController();
    const asked = open().embed(['x'], stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

it('an endpoint without an address or a model says which setting is missing', () => {
  const open = (env: NodeJS.ProcessEnv) =>
    openEmbedder(loadConfig({ HOME: '/nowhere', HOLDFAST_EMBEDDING_KIND: 'openai-compatible', ...env }));
  expect(() => open({})).toThrow('embedding.url is not set');
  expect(() => open({ HOLDFAST_EMBEDDING_URL: 'http://x/v1' })).toThrow('embedding.model is not set');
});

it('vectors of the built-in table stay searchable whatever the settings want now', () => {
  const wanted = (kind: string) => loadConfig({ HOME: '/nowhere', HOLDFAST_EMBEDDING_KIND: kind });
  const builtIn = openEmbedder(wanted('static'))?.model as string;
  expect(embedderOf(wanted('ollama'), builtIn)?.model).toBe(builtIn);
  expect(embedderOf(wanted('ollama'), 'ollama nomic-embed-text')?.model).toBe('ollama nomic-embed-text');
  expect(embedderOf(wanted('static'), 'ollama nomic-embed-text')).toBeUndefined();
  expect(embedderOf(wanted('none'), builtIn)).toBeUndefined();
});

it('int8 keeps the direction of a vector', () => {
  expect(quantize([0.5, -1, 0.25])).toEqual(Int8Array.of(64, -127, 32));
  expect(quantize([0, 0])).toBeUndefined();
  expect(quantize([1, Number.NaN])).toBeUndefined();
});
