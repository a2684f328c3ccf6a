// Tests models against mock services that speak the real protocols: what they are asked, and how each kind of answer ends.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, modelMock } from '../../../test/model-mock.ts';
import { loadConfig } from '../../config/config.ts';
import { ask, jsonIn, shapeOf } from './ask.ts';
import { models } from './index.ts';
import { troubleOf } from './service.ts';

const never = new AbortController().signal;
const schema = z.object({ title: z.string().min(1).max(50), note: z.string().optional() });
const question = { system: 'Describe.', material: 'what happened', schema, maxOutputTokens: 1000 };
const good: Answer = { text: '{"title":"Fixed the login","note":null}' };

const kinds = ['anthropic', 'openai-compatible'] as const;
type Kind = (typeof kinds)[number];

async function opened(kind: Kind, answers: Parameters<typeof modelMock>[0], more: NodeJS.ProcessEnv = {}) {
  const mock = await modelMock(answers);
  const config = loadConfig({
    HOME: '/nowhere',
    HOLDFAST_DISTILL_MODEL: kind,
    HOLDFAST_DISTILL_MODEL_NAME: kind === 'anthropic' ? 'claude-haiku-4-5' : 'small',
    HOLDFAST_DISTILL_URL: mock.url,
    HOLDFAST_DISTILL_KEY: 'not-a-key',
    ...more,
  });
  return { mock, model: await models[kind](config) };
}

describe.each(kinds)('%s', (kind) => {
  it('gets the system prompt, the material, the shape of the answer and the key, and its tokens are counted', async () => {
    const { mock, model } = await opened(kind, [good]);
    expect(await ask(model, question, never)).toEqual({
      value: { title: 'Fixed the login' },
      usage: { calls: 1, input: 100, output: 10 },
    });
    const [{ body, headers, path } = { body: {}, headers: {}, path: '' }] = mock.asked;
    expect(mock.asked).toHaveLength(1);
    expect(JSON.stringify(body)).toContain('Describe.');
    expect(JSON.stringify(body.messages)).toContain('what happened');
    expect(JSON.stringify(body)).toContain('"additionalProperties":false');
    expect(JSON.stringify(body)).not.toContain('maxLength');
    if (kind === 'anthropic') {
      expect(path).toBe('/v1/messages');
      expect(headers['x-api-key']).toBe('not-a-key');
      expect(body.max_tokens).toBe(1000);
    } else {
      expect(path).toBe('/v1/chat/completions');
      expect(headers.authorization).toBe('Bearer not-a-key');
      expect(body.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } });
    }
  });

  it.each<[string, Answer]>([
    ['prose', { text: 'I looked at the code and it seems fine.' }],
    ['invalid JSON', { text: '{"title": "half' }],
    ['JSON of another shape', { text: '{"headline":"x"}' }],
    ['a title that is too long', { text: JSON.stringify({ title: 'x'.repeat(51) }) }],
    ['an answer that was cut off', { text: '{"title":"Fix', stop: kind === 'anthropic' ? 'max_tokens' : 'length' }],
    ['nothing', { text: '' }],
  ])('is told once what is wrong with %s, and its second answer counts', async (_, bad) => {
    const { mock, model } = await opened(kind, [bad, good]);
    expect(await ask(model, question, never)).toMatchObject({
      value: { title: 'Fixed the login' },
      usage: { calls: 2, input: 200, output: 20 },
    });
    expect(JSON.stringify(mock.asked[1]?.body.messages)).toContain('not a valid answer');
    const stubborn = await opened(kind, [bad]);
    await expect(ask(stubborn.model, question, never)).rejects.toMatchObject({
      kind: 'invalid',
      usage: { calls: 2, input: 200, output: 20 },
    });
    expect(stubborn.mock.asked).toHaveLength(2);
  });

  it('may put its answer between sentences', async () => {
    const { model } = await opened(kind, [{ text: 'Here you are:\n```json\n{"title":"Fixed"}\n```\nAnything else?' }]);
    expect((await ask(model, question, never)).value).toEqual({ title: 'Fixed' });
  });

  it('is not asked again when it refuses', async () => {
    const stop = kind === 'anthropic' ? 'refusal' : 'content_filter';
    const { mock, model } = await opened(kind, [{ text: 'I cannot help with that.', stop }]);
    await expect(ask(model, question, never)).rejects.toMatchObject({ kind: 'refused', usage: { calls: 1 } });
    expect(mock.asked).toHaveLength(1);
  });

  it.each<[string, Answer, object]>([
    ['429 with retry-after', { status: 429, headers: { 'retry-after': '7' } }, { kind: 'busy', retryAfterMs: 7000 }],
    ['529', { status: 529 }, { kind: 'busy' }],
    ['503', { status: 503, headers: { 'retry-after-ms': '250' } }, { kind: 'busy', retryAfterMs: 250 }],
    ['500', { status: 500 }, { kind: 'failed' }],
    ['401', { status: 401 }, { kind: 'setup', hint: expect.stringContaining('distill.key') }],
    ['404', { status: 404 }, { kind: 'setup', hint: expect.stringContaining('distill.modelName') }],
    ['no credit', { status: 402 }, { kind: 'setup' }],
    ['a question that is too long', { status: 413 }, { kind: 'invalid' }],
    ['an answer that breaks off', 'cut', { kind: 'failed' }],
  ])('%s gives the right kind of error, without a retry here', async (_, answer, expected) => {
    const { mock, model } = await opened(kind, [answer]);
    await expect(ask(model, question, never)).rejects.toMatchObject({ name: 'ModelError', ...expected });
    expect(mock.asked).toHaveLength(1);
  });

  it('is abandoned after the timeout, and at once when the signal aborts', async () => {
    const { model } = await opened(kind, ['silent'], { HOLDFAST_DISTILL_TIMEOUT_SECONDS: '1' });
    await expect(ask(model, question, never)).rejects.toMatchObject({
      kind: 'failed',
      message: 'no answer within 1 s',
    });
    const stop = new AbortController();
    const asking = ask(model, question, stop.signal);
    stop.abort();
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is charged for its first answer when the second fails', async () => {
    const { model } = await opened(kind, [{ text: 'prose' }, { status: 500 }]);
    await expect(ask(model, question, never)).rejects.toMatchObject({
      kind: 'failed',
      usage: { calls: 1, input: 100 },
    });
  });

  it('that cannot be reached counts as busy', async () => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const { model } = await opened(kind, [good], { HOLDFAST_DISTILL_URL: `http://127.0.0.1:${port}/v1` });
    await expect(ask(model, question, never)).rejects.toMatchObject({
      kind: 'busy',
      message: 'the service cannot be reached',
    });
  });
});

describe('openai-compatible', () => {
  it('falls back, and remembers it, when the service supports no schemas or no JSON mode', async () => {
    const { mock, model } = await opened('openai-compatible', ({ body }) =>
      body.response_format?.type === 'json_schema'
        ? { status: 400, message: "'response_format.type' must be 'text'" }
        : body.response_format !== undefined
          ? { status: 422, message: 'json_object is not supported' }
          : good,
    );
    await ask(model, question, never);
    await ask(model, question, never);
    expect(mock.asked.map(({ body }) => body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(mock.asked.at(-1)?.body.messages)).toContain('JSON Schema');
  });

  it('does not fall back when the service rejects the question itself', async () => {
    const { mock, model } = await opened('openai-compatible', [{ status: 400, message: 'context length exceeded' }]);
    await expect(ask(model, question, never)).rejects.toMatchObject({ kind: 'invalid' });
    expect(mock.asked).toHaveLength(1);
  });

  it('works without a key, as local services do, but not without a model name', async () => {
    const { mock, model } = await opened('openai-compatible', [good], { HOLDFAST_DISTILL_KEY: '' });
    await ask(model, question, never);
    expect(mock.asked[0]?.headers.authorization).toBeUndefined();
    const nameless = loadConfig({ HOME: '/nowhere', HOLDFAST_DISTILL_MODEL: 'openai-compatible' });
    await expect(models['openai-compatible'](nameless)).rejects.toMatchObject({ kind: 'setup' });
  });
});

describe('keys', () => {
  const keyOf = (env: NodeJS.ProcessEnv) => loadConfig({ HOME: '/nowhere', ...env }).modelKey;

  it('from the environment go only to the service that issued them', () => {
    const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' };
    expect(keyOf({ ...keys, HOLDFAST_DISTILL_MODEL: 'anthropic' })).toBe('a');
    expect(keyOf({ ...keys, HOLDFAST_DISTILL_MODEL: 'openai-compatible' })).toBe('o');
    const elsewhere = { HOLDFAST_DISTILL_URL: 'https://llm.example.com/v1' };
    expect(keyOf({ ...keys, ...elsewhere, HOLDFAST_DISTILL_MODEL: 'openai-compatible' })).toBeUndefined();
    expect(keyOf({ ...keys, ...elsewhere, HOLDFAST_DISTILL_MODEL: 'anthropic' })).toBeUndefined();
    expect(keyOf({ ...keys, ...elsewhere, HOLDFAST_DISTILL_KEY: 'k' })).toBe('k');
    expect(keyOf(keys)).toBeUndefined();
  });

  it('that are missing cause an error of setup', async () => {
    const config = loadConfig({ HOME: '/nowhere', HOLDFAST_DISTILL_MODEL: 'anthropic' });
    await expect(models.anthropic(config)).rejects.toMatchObject({ kind: 'setup' });
  });
});

describe('shapes', () => {
  it('have no limits and no optional fields, at any depth', () => {
    const shape = shapeOf(
      z.object({ list: z.array(schema).min(1), kind: z.enum(['a', 'b']), title: z.string().max(3) }),
    );
    expect(shape).toEqual({
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { title: { type: 'string' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
            required: ['title', 'note'],
            additionalProperties: false,
          },
        },
        kind: { type: 'string', enum: ['a', 'b'] },
        title: { type: 'string' },
      },
      required: ['list', 'kind', 'title'],
      additionalProperties: false,
    });
  });

  it('keep a property that has the name of a limit', () => {
    expect(shapeOf(z.object({ format: z.string() }))).toMatchObject({ properties: { format: { type: 'string' } } });
  });

  it.each([
    ['', undefined],
    ['no braces', undefined],
    ['{"a":1}', { a: 1 }],
    ['x {"a":{"b":2}} y', { a: { b: 2 } }],
    ['} {', undefined],
  ])('JSON in %j is %j', (text, value) => expect(jsonIn(text)).toEqual(value));
});

it('a date in retry-after is a time to wait until', () => {
  const responseHeaders = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() };
  const { retryAfterMs } = troubleOf({ statusCode: 429, responseHeaders, message: 'x' });
  expect(retryAfterMs).toBeGreaterThan(50_000);
  expect(retryAfterMs).toBeLessThanOrEqual(61_000);
});
