import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { startProxy } from './proxy.ts';

const realKey = 'sk-ant-real-0123456789';

async function stand(
  handle?: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  onFlood?: () => void,
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-proxy-'));
  const asked: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const service = http.createServer(async (request, response) => {
    if (handle) return handle(request, response);
    let body = '';
    for await (const part of request) body += part;
    asked.push({ url: request.url ?? '', headers: request.headers, body });
    response.setHeader('set-cookie', 'a=b').setHeader('request-id', 'r1');
    response.end(JSON.stringify({ said: body }));
  });
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/base`;
  const socketPath = path.join(folder, 'api.sock');
  const log: string[] = [];
  const key = { header: 'x-api-key', value: realKey } as const;
  const proxy = await startProxy({ url, key }, socketPath, (line) => log.push(line), onFlood);
  onTestFinished(async () => {
    service.closeAllConnections();
    service.close();
    await proxy.close();
    rmSync(folder, { recursive: true });
  });
  const call = (
    method: string,
    target: string,
    headers: http.OutgoingHttpHeaders = { 'x-api-key': proxy.key },
    body?: string,
  ) =>
    new Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }>((resolve, reject) => {
      const request = http.request({ socketPath, method, path: target, headers }, async (response) => {
        let text = '';
        for await (const part of response) text += part;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      request.once('error', reject);
      request.end(body);
    });
  return { asked, proxy, call, socketPath, service, log };
}

describe('the way to the model', () => {
  it('host.md 20: replaces the worthless key with the real one, and never reveals it', async () => {
    const { asked, call, proxy } = await stand();
    const headers = {
      'x-api-key': proxy.key,
      'anthropic-version': '2023-06-01',
      cookie: 'c=1',
      'x-forwarded-for': '::1',
    };
    const { status, headers: back, text } = await call('POST', '/v1/messages?beta=true', headers, '{"a":1}');
    expect([status, JSON.parse(text)]).toEqual([200, { said: '{"a":1}' }]);
    expect(asked[0]?.url).toBe('/base/v1/messages?beta=true');
    expect(asked[0]?.headers).toMatchObject({ 'x-api-key': realKey, 'anthropic-version': '2023-06-01' });
    expect(JSON.stringify(asked[0])).not.toContain(proxy.key);
    expect(asked[0]?.headers).not.toHaveProperty('cookie');
    expect(asked[0]?.headers).not.toHaveProperty('x-forwarded-for');
    expect(back).toMatchObject({ 'request-id': 'r1' });
    expect(JSON.stringify([back, text])).not.toMatch(/sk-ant-real|set-cookie/);
  });

  it('holds no more connections than one agent needs, reports a flood of them, and answers others meanwhile', async () => {
    let floods = 0;
    const flooded = await stand(undefined, () => floods++);
    const other = await stand();
    const open = new Set<net.Socket>();
    for (let i = 0; i < 3000; i++) {
      const socket = net.connect(flooded.socketPath).on('error', () => {});
      socket.once('close', () => open.delete(socket));
      open.add(socket);
      await once(socket, 'connect');
    }
    const { status } = await other.call('POST', '/v1/messages', undefined, '{}');
    expect(status).toBe(200);
    await expect.poll(() => open.size).toBeLessThanOrEqual(128);
    expect(floods).toBeGreaterThan(0);
    for (const socket of open) socket.destroy();
    await expect.poll(async () => (await flooded.call('POST', '/v1/messages', undefined, '{}')).status).toBe(200);
  });

  it('accepts the key as a bearer token, too', async () => {
    const { asked, call, proxy } = await stand();
    await call('POST', '/v1/messages/count_tokens', { authorization: `Bearer ${proxy.key}` });
    expect(asked[0]?.headers).toMatchObject({ 'x-api-key': realKey });
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/files'],
    ['GET', '/v1/messages'],
    ['DELETE', '/v1/messages'],
    ['GET', '/v1/organizations'],
    ['POST', '/v1/messages/../files'],
    ['POST', '/v1/messages%2f..%2ffiles'],
    ['POST', '//evil.example/v1/messages'],
    ['POST', 'http://evil.example/v1/messages'],
    ['GET', '/v1/models/..'],
    ['GET', '/v1/models/a/b'],
    ['GET', '/'],
  ])('refuses %s %s', async (method, target) => {
    const { asked, call } = await stand();
    const { status } = await call(method, target);
    expect([status, asked.length]).toEqual([403, 0]);
  });

  it.each([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'sk-ant-holdfast-0' },
    { authorization: 'Bearer x' },
    { 'x-api-key': realKey },
  ])('requires the key of this run: %j', async (headers) => {
    const { asked, call } = await stand();
    const { status, text } = await call('POST', '/v1/messages', headers, '{}');
    expect([status, asked.length]).toEqual([401, 0]);
    expect(text).not.toContain(realKey);
  });

  it('opens no tunnel', async () => {
    const { socketPath, asked } = await stand();
    const socket = net.connect(socketPath);
    socket.write('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n');
    let said = '';
    for await (const part of socket) said += part;
    expect(said).toBe('');
    expect(asked).toEqual([]);
  });

  it('streams an answer as it arrives', async () => {
    let finish = () => {};
    const { socketPath, proxy } = await stand((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('first');
      finish = () => response.end('last');
    });
    const said = await new Promise<string[]>((resolve, reject) => {
      const parts: string[] = [];
      const headers = { 'x-api-key': proxy.key };
      http
        .request({ socketPath, method: 'POST', path: '/v1/messages', headers }, (response) => {
          response.on('data', (part) => {
            parts.push(String(part));
            finish();
          });
          response.on('end', () => resolve(parts));
        })
        .once('error', reject)
        .end('{}');
    });
    expect(said).toEqual(['first', 'last']);
  });

  it('ends the request to the service when the agent is gone', async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { socketPath, proxy } = await stand((request, response) => {
      request.resume();
      response.once('close', () => gone());
      response.write('x');
    });
    const request = http.request({
      socketPath,
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': proxy.key },
    });
    request.once('error', () => {});
    request.once('response', () => request.destroy());
    request.end('{}');
    await left;
  });

  it('returns an answer that comes before the end of the request', async () => {
    const { call, proxy } = await stand((_, response) =>
      response.writeHead(413, { connection: 'close' }).end('too much'),
    );
    const big = 'x'.repeat(3_000_000);
    const { status, text } = await call('POST', '/v1/messages', { 'x-api-key': proxy.key }, big);
    expect([status, text]).toEqual([413, 'too much']);
  });

  it('says when the service is unreachable, without its key', async () => {
    const { call, service, log } = await stand();
    service.closeAllConnections();
    await new Promise((closed) => service.close(closed));
    const { status, text } = await call('POST', '/v1/messages', undefined, '{}');
    expect(status).toBe(502);
    expect(text).toContain('cannot be reached');
    expect(log).toHaveLength(1);
    expect(text + log).not.toContain(realKey);
  });
});

describe('the key of hosted agents', () => {
  const service = (env: NodeJS.ProcessEnv) => loadConfig({ HOME: '/nowhere', ...env }).modelService;

  it('is the setting, else what the environment has for that very address', () => {
    expect(service({})).toEqual({ url: 'https://api.anthropic.com', key: undefined });
    expect(service({ ANTHROPIC_API_KEY: 'a' }).key).toEqual({ header: 'x-api-key', value: 'a' });
    expect(service({ ANTHROPIC_AUTH_TOKEN: 'a' }).key).toEqual({ header: 'authorization', value: 'Bearer a' });
    expect(service({ ANTHROPIC_API_KEY: 'a', HOLDFAST_HOST_KEY: 'b' }).key?.value).toBe('b');
    expect(service({ ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/' })).toEqual({
      url: 'http://127.0.0.1:1',
      key: { header: 'x-api-key', value: 'a' },
    });
    expect(service({ ANTHROPIC_API_KEY: 'a', HOLDFAST_HOST_URL: 'https://other.example' }).key).toBeUndefined();
  });
});
