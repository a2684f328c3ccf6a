// examples/chat-agent against a model service that speaks both protocols.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SessionManager } from '../../src/sessions/library/index.ts';

interface Asked {
  readonly path: string;
  readonly key: string;
  readonly messages: { role: string; content: string }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const asked: Asked[] = [];
let delay = 0;
const service = http.createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { messages } = JSON.parse(Buffer.concat(parts).toString()) as Asked;
  asked.push({
    path: request.url ?? '',
    key: String(request.headers['x-api-key'] ?? request.headers.authorization),
    messages,
  });
  await new Promise((resolve) => setTimeout(resolve, delay));
  const said = `You said ${messages.length} things, last: ${messages.at(-1)?.content}`;
  if (messages.at(-1)?.content === 'fail') return void response.writeHead(529).end('{"type":"error"}');
  const answer = request.url?.startsWith('/v1/messages')
    ? { type: 'message', role: 'assistant', content: [{ type: 'text', text: said }], stop_reason: 'end_turn' }
    : { choices: [{ message: { role: 'assistant', content: said } }] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

let url: string;
let folder: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => service.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-chat-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'holdfast'));
  cpSync(join(root, 'examples', 'chat-agent', 'chat.mjs'), join(folder, 'chat.mjs'));
  asked.length = 0;
  delay = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const anthropic = () => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url });
const openai = () => ({ OPENAI_API_KEY: 'sk-other', OPENAI_BASE_URL: `${url}/v1` });
const sessions = () => new SessionManager({ sessionDir: join(folder, 'kept') });

function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(folder, 'chat.mjs'), '--dir', join(folder, 'kept'), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const text = { out: '', err: '' };
  child.stdout.on('data', (part) => (text.out += part));
  child.stderr.on('data', (part) => (text.err += part));
  const end = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  return { child, text, end };
}

async function chat(args: string[], env: Record<string, string>, lines: string[] = []) {
  const { child, text, end } = start(args, env);
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  return { code: await end, ...text };
}

it.each([
  ['Anthropic', anthropic, '/v1/messages', 'sk-test'],
  ["OpenAI's API", openai, '/v1/chat/completions', 'Bearer sk-other'],
])('talks to %s, and the next run continues where it stopped', async (_, env, path, key) => {
  const first = await chat([], env(), ['Hello', 'How are you?']);
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toContain('You said 3 things, last: How are you?');
  const second = await chat(['--continue'], env(), ['And now?']);
  expect(second.out).toContain('First topic: Hello');
  expect(asked.at(-1)).toMatchObject({ path, key });
  expect(asked.at(-1)?.messages.map(({ content }) => content)).toEqual([
    'Hello',
    'You said 1 things, last: Hello',
    'How are you?',
    'You said 3 things, last: How are you?',
    'And now?',
  ]);
  expect(await sessions().listSessions()).toMatchObject([{ messageCount: 6 }]);
});

it('--continue without a last session starts one; --resume of an unknown session is an error', async () => {
  expect((await chat(['--continue'], anthropic(), ['Hi'])).out).toContain('There is no session to continue');
  const lost = await chat(['--resume', 'nowhere'], anthropic());
  expect(lost).toMatchObject({ code: 1, err: 'There is no session nowhere. --list shows the stored ones.\n' });
  const odd = await chat(['--resume', '../../etc'], anthropic());
  expect(odd.code).toBe(1);
  expect(odd.err).toMatch(/^"\.\.\/\.\.\/etc" cannot be a session id.*\n$/);
});

it('a named session is listed and resumed by its id', async () => {
  await chat(['--name', 'Trip to Rome'], anthropic(), ['Which train?']);
  const list = await chat(['--list'], {});
  expect(list.out).toMatch(/^trip-to-rome {2}.* 2 messages {2}Which train\?\n$/);
  await chat(['--resume', 'trip-to-rome'], anthropic(), ['And back?']);
  expect(asked.at(-1)?.messages).toHaveLength(3);
});

it('Ctrl+C while the model answers keeps what was said', async () => {
  delay = 60_000;
  const { child, end } = start([], anthropic());
  child.stdin.write('Remember the milk\n');
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGINT');
  expect(await end).toBe('SIGINT');
  expect((await sessions().listSessions())[0]).toMatchObject({ firstMessage: 'Remember the milk', messageCount: 1 });
  expect(readdirSync(join(folder, 'kept')).filter((name) => name.includes('.tmp.'))).toEqual([]);
});

it('a saved question that the model could not answer is not kept', async () => {
  await chat([], anthropic(), ['Hello']);
  delay = 1500;
  await chat(['--continue'], anthropic(), ['fail']);
  expect(await sessions().listSessions()).toMatchObject([{ messageCount: 2 }]);
});

it('a service that fails or is not there is reported in one sentence', async () => {
  const failed = await chat([], anthropic(), ['fail']);
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(/answered 529/);
  const away = await chat([], { ...anthropic(), ANTHROPIC_BASE_URL: 'http://127.0.0.1:4299' }, ['Hello']);
  expect(away.err).toMatch(/^http:\/\/127\.0\.0\.1:4299\/v1\/messages cannot be reached: ECONNREFUSED\n$/);
});
