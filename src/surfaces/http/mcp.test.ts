// What a stranger can try at /mcp: real sockets, raw bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStand, type Stand } from '../../../test/http-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

function send(body: string, changed: Readonly<Record<string, string>> = {}, line = 'POST /mcp HTTP/1.1') {
  const headers = {
    host: `127.0.0.1:${stand.server.port}`,
    authorization: `Bearer ${stand.tokens.full}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...changed,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return stand.raw(`${line}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

describe('/mcp', () => {
  it('answers a caller with the token', async () => {
    const { status, body } = await send(list);
    expect(status).toBe(200);
    expect(body).toContain('"search"');
  });

  it.each([
    ['no token', { authorization: '' }, 401, 'NO_TOKEN'],
    ['a wrong token', { authorization: `Bearer ${'0'.repeat(64)}` }, 401, 'NO_TOKEN'],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403, 'NO_PERMISSION'],
    ['a foreign Host', { host: 'evil.example' }, 403, 'NO_PERMISSION'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403, 'NO_PERMISSION'],
    ['a body that says it is large', { 'content-length': String(1 << 30) }, 413, 'TOO_LARGE'],
  ])('refuses %s', async (_, changed, status, code) => {
    const answer = await send(list, changed);
    expect([answer.status, answer.json?.error.code]).toEqual([status, code]);
    expect(answer.body).not.toContain('"search"');
  });

  it('refuses the token that can only report', async () => {
    const answer = await send(list, { authorization: `Bearer ${stand.tokens.report}` });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'NO_PERMISSION']);
  });

  it('refuses a large body that does not announce its length', async () => {
    const chunk = `${(1 << 20).toString(16)}\r\n${'x'.repeat(1 << 20)}\r\n`;
    const answer = await send(`${chunk}${chunk}0\r\n\r\n`, { 'content-length': '', 'transfer-encoding': 'chunked' });
    expect([answer.status, answer.json.error.code]).toEqual([413, 'TOO_LARGE']);
  });

  it.each([
    ['no JSON', '{"jsonrpc":', -32700],
    ['nothing', '', -32700],
    ['JSON that is no message', '{"hello":"there"}', expect.any(Number)],
    ['a method that does not exist', '{"jsonrpc":"2.0","id":1,"method":"tools/steal","params":{}}', -32601],
  ])('answers %s with an error of the protocol', async (_, body, code) => {
    const answer = await send(body);
    const said = answer.json ?? JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? '{}');
    expect(said).toMatchObject({ jsonrpc: '2.0', error: { code } });
    expect(answer.body).not.toMatch(/node_modules|^\s+at /m);
  });

  it.each(['GET', 'DELETE'])('has no sessions, so %s is refused', async (method) => {
    expect((await send('', {}, `${method} /mcp HTTP/1.1`)).status).toBe(405);
  });

  it('is not loaded until a client asks for it', async () => {
    expect((await stand.get('/api/openapi.json')).json.paths).not.toHaveProperty('/mcp');
  });
});
