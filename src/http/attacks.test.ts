// What a stranger can try: real sockets, raw bytes.
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStand, type Stand, session } from '../../test/http-stand.ts';
import { parseJson } from './body.ts';
import { cookieFor, makeCode } from './entrance.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(() => {
  stand.woken.length = 0;
});

/** A request with the full token, which only what is tested here can spoil. */
const request = (line: string, headers: readonly string[], body = '') =>
  stand.raw(`${line}\r\n${['Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`);
const host = (name = '127.0.0.1') => `Host: ${name}:${stand.server.port}`;
const bearer = (token = stand.tokens.full) => `Authorization: Bearer ${token}`;
const hook = (payload: object) =>
  stand.post('/api/hooks/claude-code', { session_id: session, hook_event_name: 'PostToolUse', ...payload });

describe('22. who calls', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])('the worker answers to %s', async (name) => {
    expect((await request('GET /api/projects HTTP/1.1', [host(name), bearer()])).status).toBe(200);
  });

  it.each([
    ['evil.example', (port: number) => `Host: evil.example:${port}`],
    ['our name without the port', () => 'Host: 127.0.0.1'],
    ['our name with another port', () => 'Host: localhost:1'],
    ['a name that begins like ours', (port: number) => `Host: localhost:${port}.evil.example`],
    ['a name that ends like ours', (port: number) => `Host: evil.example#localhost:${port}`],
    ['a user before our name', (port: number) => `Host: evil@127.0.0.1:${port}`],
    ['another loopback address', (port: number) => `Host: 127.0.0.2:${port}`],
    ['the wildcard', (port: number) => `Host: 0.0.0.0:${port}`],
    ['nothing', () => 'Host:'],
  ])('a Host of %s is refused, even for health', async (_, line) => {
    for (const path of ['/api/health', '/api/projects']) {
      const { status, json } = await request(`GET ${path} HTTP/1.1`, [line(stand.server.port), bearer()]);
      expect([status, json.error.code]).toEqual([403, 'NO_PERMISSION']);
    }
  });

  it('a request without Host, or with two, is refused', async () => {
    expect((await request('GET /api/health HTTP/1.0', [bearer()])).status).toBe(403);
    expect((await request('GET /api/health HTTP/1.1', [bearer()])).status).toBe(403);
    for (const two of [
      [host(), 'Host: evil.example'],
      ['Host: evil.example', host()],
    ])
      expect([400, 403]).toContain((await request('GET /api/health HTTP/1.1', [...two, bearer()])).status);
  });

  it.each(['null', 'http://localhost:9999', 'https://evil.example', 'http://127.0.0.1', 'file://', ''])(
    'the origin %j is refused, whatever token it brings',
    async (origin) => {
      const { status, head } = await request('GET /api/projects HTTP/1.1', [host(), `Origin: ${origin}`, bearer()]);
      expect(status).toBe(403);
      expect(head).not.toContain('access-control');
    },
  );

  it('an origin that only looks like ours is refused, and ours passes', async () => {
    const own = `http://127.0.0.1:${stand.server.port}`;
    const ask = async (...lines: string[]) =>
      (await request('GET /api/projects HTTP/1.1', [host(), bearer(), ...lines])).status;
    for (const origin of [
      `${own}.evil.example`,
      own.replace('http', 'https'),
      `${own}/`,
      `${own}0`,
      `http://[::1]:${stand.server.port}`,
    ])
      expect(await ask(`Origin: ${origin}`)).toBe(403);
    expect(await ask(`Origin: ${own}`, 'Origin: https://evil.example')).toBe(403);
    expect(await ask(`Origin: ${own}`)).toBe(200);
    expect(await ask(`Origin: http://localhost:${stand.server.port}`)).toBe(200);
  });

  it('what a browser says of a foreign page is believed', async () => {
    const ask = async (site: string) =>
      (await request('GET /api/health HTTP/1.1', [host(), `Sec-Fetch-Site: ${site}`])).status;
    expect([await ask('cross-site'), await ask('same-site')]).toEqual([403, 403]);
    expect([await ask('same-origin'), await ask('none')]).toEqual([200, 200]);
  });

  it('a foreign Host is refused before the token is looked at', async () => {
    expect((await request('GET /api/projects HTTP/1.1', ['Host: evil.example', bearer('0'.repeat(64))])).status).toBe(
      403,
    );
  });

  it('a preflight gets no leave', async () => {
    const lines = [host(), 'Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization'];
    const { status, head } = await request('OPTIONS /api/hooks/claude-code HTTP/1.1', lines);
    expect(status).toBe(405);
    expect(head).not.toContain('access-control');
  });
});

describe('22. the token', () => {
  it.each([
    ['none', []],
    ['an empty one', ['Authorization: Bearer ']],
    ['a wrong one', [`Authorization: Bearer ${'0'.repeat(64)}`]],
    ['a short one', ['Authorization: Bearer 0']],
    ['a very long one', [`Authorization: Bearer ${'0'.repeat(4000)}`]],
    ['another scheme', ['Authorization: Basic Og==']],
  ])('%s opens nothing, and what is there is not told', async (_, lines) => {
    for (const path of ['/api/projects', '/api/nothing', '/api/openapi.json', '/nothing', '/token']) {
      const { status, head, json } = await request(`GET ${path} HTTP/1.1`, [host(), ...lines]);
      expect([status, json.error.code]).toEqual([401, 'NO_TOKEN']);
      expect(head).toContain('www-authenticate: bearer');
    }
  });

  it('is not taken from the beginning of the right one, from two headers, the address or a cookie', async () => {
    const { full } = stand.tokens;
    for (const [path, lines] of [
      ['/api/projects', [bearer(full.slice(0, 63))]],
      ['/api/projects', [bearer(`${full}0`)]],
      ['/api/projects', [bearer('0'.repeat(64)), bearer()]],
      [`/api/projects?token=${full}`, []],
      [`/api/projects?access_token=${full}`, []],
      ['/api/projects', [`Cookie: token=${full}`]],
    ] as const)
      expect((await request(`GET ${path} HTTP/1.1`, [host(), ...lines])).status).toBe(401);
  });

  it('of hooks reads nothing', async () => {
    for (const { method, path, access } of stand.server.routes) {
      if (access !== 'full') continue;
      const url = path.replaceAll(/\{\w+\}/g, session);
      const asked = method === 'GET' ? stand.get(url, stand.tokens.report) : stand.post(url, {});
      expect([path, (await asked).status]).toEqual([path, 403]);
    }
    expect((await stand.get('/api/health', '')).status).toBe(200);
  });

  it('of hooks gets no word of the past in answer to a hook', async () => {
    const payload = { session_id: session, hook_event_name: 'UserPromptSubmit', prompt: 'the flaky checkout test' };
    expect((await stand.post('/api/hooks/claude-code', payload)).json).toEqual({});
    expect((await stand.post('/api/hooks/claude-code', payload, stand.tokens.full)).json).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: expect.stringContaining('a race') },
    });
  });
});

describe('the viewer', () => {
  const ownOrigin = () => `http://127.0.0.1:${stand.server.port}`;
  const sameOrigin = 'Sec-Fetch-Site: same-origin';
  const open = (code: string, ...lines: string[]) => request(`GET /open/${code} HTTP/1.1`, [host(), ...lines]);
  const newCode = (at = Date.now()) => makeCode(stand.holdfast.config.home, at);
  const cookieOf = (head: string) => /^set-cookie: ([^;]+)/m.exec(head)?.[1];
  const cookie = (at = Date.now()) =>
    `Cookie: ${cookieFor(stand.tokens.full, stand.server.port, at).split(';')[0] as string}`;
  const read = (...lines: string[]) => request('GET /api/projects HTTP/1.1', [host(), ...lines]);
  const write = (...lines: string[]) => {
    const body = '{"isProcessing":true}';
    const json = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    return request('POST /api/processing HTTP/1.1', [host(), ...json, ...lines], body);
  };

  it('shows its pages to everybody, and nothing that is remembered with them', async () => {
    for (const path of ['/', '/search?q=checkout', '/sessions/anything', '/memory/core%2Ffacts', '/health']) {
      const { status, body } = await request(`GET ${path} HTTP/1.1`, [host()]);
      expect([path, status, body]).toEqual([path, 200, '<!doctype html><title>Holdfast</title>']);
    }
    expect((await request('GET /sessions/a/b HTTP/1.1', [host()])).status).toBe(401);
  });

  it('tells a browser at a wrong address that there is no such page, and everybody else in JSON', async () => {
    const html = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/nowhere', '/sessions/a/b?x=1', '/search/', '/token', '/apiary']) {
      for (const lines of [[cookie(), 'Sec-Fetch-Site: none'], []]) {
        const { status, head, body } = await request(`GET ${path} HTTP/1.1`, [host(), html, ...lines]);
        expect([path, status, body]).toEqual([path, 404, '<!doctype html><title>Holdfast</title>']);
        expect(head).toContain("frame-ancestors 'none'");
      }
      const plain = await request(`GET ${path} HTTP/1.1`, [host(), bearer(), 'Accept: */*']);
      expect([path, plain.status, plain.json.error.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    for (const path of ['/api', '/api/', '/api/nowhere', '/api/health/', '/mcp/nowhere']) {
      const { status, json } = await request(`GET ${path} HTTP/1.1`, [host(), html, cookie(), 'Sec-Fetch-Site: none']);
      expect([path, status, json.error.code]).toEqual([path, 404, 'NOT_FOUND']);
      expect((await request(`GET ${path} HTTP/1.1`, [host(), html])).status).toBe(401);
    }
    expect((await request('POST /nowhere HTTP/1.1', [host(), html])).status).toBe(401);
    const foreign = [host(), html, cookie(), 'Sec-Fetch-Site: cross-site'];
    expect((await request('GET /nowhere HTTP/1.1', foreign)).status).toBe(403);
  });

  it('can be framed by nobody, runs nothing but its own files, and tells nobody where the person was', async () => {
    const { head } = await request('GET / HTTP/1.1', [host()]);
    const policy = /^content-security-policy: (.*)$/m.exec(head)?.[1] ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    for (const line of ['x-content-type-options: nosniff', 'referrer-policy: no-referrer', 'cache-control: no-store'])
      expect(head).toContain(line);
  });

  it('gives its files in the form that a browser takes, for ever, and no other files', async () => {
    const plain = await request('GET /assets/main-1.js HTTP/1.1', [host()]);
    expect(plain).toMatchObject({ status: 200, body: 'document.title' });
    expect(plain.head).toContain('cache-control: public, max-age=31536000, immutable');
    expect(plain.head).toContain('content-type: text/javascript; charset=utf-8');
    const packed = await request('GET /assets/main-1.js HTTP/1.1', [host(), 'Accept-Encoding: gzip, deflate, br']);
    expect(packed.head).toContain('content-encoding: br');
    for (const name of ['main-1.js.br', '..%2Findex.html', '..%2F..%2Ftoken', '%2e%2e', 'nothing.js'])
      expect([name, (await request(`GET /assets/${name} HTTP/1.1`, [host()])).status]).toEqual([name, 404]);
  });

  it('lets in who has a code, once, and sends him on to an address without it', async () => {
    const code = newCode();
    const first = await open(code);
    expect([first.status, first.body]).toEqual([303, '']);
    expect(first.head).toMatch(/^location: \/$/m);
    expect(first.head).toMatch(
      /^set-cookie: holdfast-\d+=\d+\.[0-9a-f]{64}; path=\/; max-age=\d+; httponly; samesite=strict$/m,
    );
    expect(first.head + first.body).not.toContain(stand.tokens.full);
    expect((await read(`Cookie: ${cookieOf(first.head)}`, sameOrigin)).status).toBe(200);
    const second = await open(code);
    expect([second.status, cookieOf(second.head)]).toEqual([303, undefined]);
  });

  it('lets in one of two who bring the same code at once', async () => {
    const code = newCode();
    const both = await Promise.all([open(code), open(code)]);
    expect(both.filter(({ head }) => cookieOf(head) !== undefined)).toHaveLength(1);
  });

  it('takes no code that is too old, made up, or the name of a file', async () => {
    const old = newCode(Date.now() - 11 * 60_000);
    const early = newCode(Date.now() + 60 * 60_000);
    for (const code of [old, early, 'x'.repeat(32), '..%2F..%2Ftoken', '%00', 'a'.repeat(5000)]) {
      const { status, head } = await open(code);
      expect([303, 400]).toContain(status);
      expect(cookieOf(head)).toBeUndefined();
    }
    expect((await open('')).status).toBe(401);
  });

  it('takes no code through a foreign page or a name that was made to lead here (DNS rebinding)', async () => {
    const code = newCode();
    for (const lines of [
      [`Host: evil.example:${stand.server.port}`],
      [host(), 'Sec-Fetch-Site: cross-site'],
      [host(), 'Sec-Fetch-Site: same-site'],
      [host(), 'Origin: https://evil.example'],
    ])
      expect((await request(`GET /open/${code} HTTP/1.1`, lines)).status).toBe(403);
    expect(cookieOf((await open(code)).head)).toBeDefined();
  });

  it('keeps its cookies over a restart, and with a new token none of them opens', async () => {
    expect((await read(cookie(), sameOrigin)).status).toBe(200);
    const other = cookieFor('f'.repeat(64), stand.server.port, Date.now()).split(';')[0];
    expect((await read(`Cookie: ${other}`, sameOrigin)).status).toBe(401);
  });

  it('takes no cookie that is too old, of another port, or changed', async () => {
    const [name, value = ''] = (cookie().slice('Cookie: '.length) as string).split('=');
    const [until, seal = ''] = value.split('.');
    for (const one of [
      cookie(Date.now() - 31 * 86_400_000),
      `Cookie: ${cookieFor(stand.tokens.full, stand.server.port + 1, Date.now()).split(';')[0]}`,
      `Cookie: ${name}=${Number(until) + 1}.${seal}`,
      `Cookie: ${name}=${until}.${seal.slice(0, 63)}`,
      `Cookie: ${name}=${until}.${'0'.repeat(64)}`,
      `Cookie: x${name}=${value}`,
      `Cookie: ${name}=`,
      `Cookie: ${name}=${stand.tokens.full}`,
    ])
      expect([one, (await read(one, sameOrigin)).status]).toEqual([one, 401]);
    // Another server on this machine may have set one of the same name: ours still counts.
    expect((await read(`Cookie: ${name}=junk; ${name}=${value}`, sameOrigin)).status).toBe(200);
  });

  it('does nothing for a foreign page that sends the cookie along (CSRF)', async () => {
    for (const lines of [
      ['Origin: https://evil.example'],
      ['Origin: http://127.0.0.1:3000', 'Sec-Fetch-Site: same-site'],
      ['Origin: null'],
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-site'],
      // What says nothing at all of where it comes from.
      [],
    ]) {
      expect([lines, (await write(cookie(), ...lines)).status]).toEqual([lines, 403]);
      expect([lines, (await read(cookie(), ...lines)).status]).toEqual([lines, 403]);
    }
    // Typed into the address line: that reads, and changes nothing.
    expect((await read(cookie(), 'Sec-Fetch-Site: none')).status).toBe(200);
    expect((await write(cookie(), 'Sec-Fetch-Site: none')).status).toBe(403);
    expect((await write(cookie(), sameOrigin, `Origin: ${ownOrigin()}`)).status).toBe(200);
  });

  it('opens nothing under a foreign name, whatever cookie comes with it (DNS rebinding)', async () => {
    const lines = [`Host: evil.example:${stand.server.port}`, cookie(), sameOrigin];
    for (const path of ['/', '/api/projects', '/assets/main-1.js'])
      expect((await request(`GET ${path} HTTP/1.1`, lines)).status).toBe(403);
  });

  it('a wrong token is not mended by a cookie', async () => {
    expect((await read(cookie(), sameOrigin, bearer('0'.repeat(64)))).status).toBe(401);
  });
});

describe('bodies', () => {
  const post = (path: string, lines: readonly string[], body = '') =>
    request(`POST ${path} HTTP/1.1`, [host(), bearer(), ...lines], body);
  const json = 'Content-Type: application/json';

  it('a huge one is refused by its announcement', async () => {
    const { status, json: said } = await post('/api/sessions/init', [json, `Content-Length: ${9 << 20}`]);
    expect([status, said.error.code]).toEqual([413, 'TOO_LARGE']);
  });

  it('an endless one is refused when it has become too large, and the line is cut', async () => {
    const piece = `${(1 << 16).toString(16)}\r\n${'x'.repeat(1 << 16)}\r\n`;
    let sent = 0;
    const head = `POST /api/processing HTTP/1.1\r\n${host()}\r\n${bearer()}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { status, closed } = await stand.raw(head, (socket) => {
      const pump = () => {
        if (socket.destroyed) return;
        sent += piece.length;
        socket.write(piece);
        setTimeout(pump, 1);
      };
      pump();
    });
    expect(status).toBe(413);
    expect(sent).toBeGreaterThan(1 << 20);
    expect(closed).toBe(true);
  });

  it('of a stranger is never read', async () => {
    const bytes = `POST /api/processing HTTP/1.1\r\n${host()}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await stand.raw(bytes)).toMatchObject({ status: 401, closed: true });
  });

  it('leave to send one is given only after the checks', async () => {
    const expecting = [json, 'Content-Length: 21', 'Expect: 100-continue'];
    const { head } = await request('POST /api/processing HTTP/1.1', [host(), bearer('0'.repeat(64)), ...expecting]);
    expect(head).toMatch(/^http\/1.1 401/);
    const allowed = await post('/api/processing', expecting, '{"isProcessing": true}'.slice(0, 21));
    expect(allowed.head).toMatch(/^http\/1.1 100/);
  });

  it.each([
    ['nothing', '', 400],
    ['half of it', '{"isProcessing": tr', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['another type', '{"isProcessing": "yes"}', 400],
    ['a missing field', '{}', 400],
    ['a depth of 100,000', '['.repeat(100_000), 400],
  ])('%s is refused in words', async (_, body, expected) => {
    const { status, json: said } = await post('/api/processing', [json, `Content-Length: ${body.length}`], body);
    expect(status).toBe(expected);
    expect(said.error).toMatchObject({ code: 'BAD_INPUT', message: expect.any(String) });
    expect(JSON.stringify(said)).not.toMatch(/node:internal|\.ts:|at .*\(/);
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json+x'],
    [''],
  ])('the type %j, which a form can send, is refused', async (type) => {
    const body = '{"isProcessing":true}';
    const sent = await post('/api/processing', [`Content-Type: ${type}`, `Content-Length: ${body.length}`], body);
    expect(sent.status).toBe(415);
  });

  it('a compressed one is refused', async () => {
    expect((await post('/api/processing', [json, 'Content-Encoding: gzip', 'Content-Length: 2'], '{}')).status).toBe(
      415,
    );
  });

  it('keys that name the prototype change nothing', async () => {
    for (const key of ['__proto__', '\\u005f_proto__', '__\\u0070roto__']) {
      const body = `{"claudeSessionId":"s","tool_name":"T","tool_input":{"${key}":{"polluted":1}},"${key}":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
      const sent = await post('/api/sessions/observations', [json, `Content-Length: ${body.length}`], body);
      expect(sent.status).toBe(200);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      const parsed = parseJson(body) as { tool_input: object };
      expect(Object.keys(parsed)).toEqual(['claudeSessionId', 'tool_name', 'tool_input', 'constructor']);
      expect(Object.keys(parsed.tool_input)).toEqual([]);
    }
  });
});

describe('addresses', () => {
  it.each([
    '/api/../token',
    '/../../etc/passwd',
    '/api/%2e%2e/token',
    '/api/sessions/..%2f..%2ftoken',
    '/token',
    '//evil.example/api/health',
    'http://evil.example/api/health',
    '/api/health/',
    '/api//health',
    '/API/HEALTH',
    '*',
  ])('%s leads nowhere', async (path) => {
    const { status, json } = await stand.get(path);
    expect([status, json.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('a broken escape is bad input', async () => {
    expect((await stand.get('/api/sessions/%zz')).status).toBe(400);
    expect((await stand.get('/api/sessions/%ff')).status).toBe(400);
  });

  it.each(['%00', '%25', '_', "'%20OR%201=1--"])('the id %s is only looked up', async (id) => {
    expect((await stand.get(`/api/sessions/${id}`)).status).toBe(404);
  });

  it('a null byte in a path is bad input', async () => {
    expect((await stand.get('/api/sessions?project=%00')).status).toBe(400);
    expect((await stand.get('/api/briefing?project=/srv/shop%00')).status).toBe(400);
    const moved = { from: '/srv/shop', to: '/srv/\0' };
    expect((await stand.post('/api/projects/link', moved, stand.tokens.full)).status).toBe(400);
  });

  it('a method that an address does not take is refused, also by another name', async () => {
    expect((await stand.get('/api/hooks/claude-code')).status).toBe(405);
    expect((await stand.post('/api/projects', {}, stand.tokens.full)).status).toBe(405);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD', 'TRACE'])
      expect((await request(`${method} /api/projects HTTP/1.1`, [host(), bearer()])).status).toBe(405);
    const disguised = [host(), bearer(), 'X-HTTP-Method-Override: POST'];
    expect((await request('GET /api/hooks/claude-code HTTP/1.1', disguised)).status).toBe(405);
    expect((await request('CONNECT evil.example:443 HTTP/1.1', [host(), bearer()])).status).not.toBe(200);
  });

  it('parameters are checked: unknown, twice, or of the wrong kind', async () => {
    for (const query of ['nonsense=1', 'limit=1&limit=2', 'limit=x', 'limit=-1', 'limit=1e9', '__proto__=1', 'kind=x'])
      expect([query, (await stand.get(`/api/search?q=a&${query}`)).status]).toEqual([query, 400]);
  });
});

describe('paths in a payload', () => {
  it('only a transcript inside the folder of the agent is looked at', async () => {
    const inside = join(stand.transcripts, `${session}.jsonl`);
    const outside = join(stand.folder, 'secret.jsonl');
    writeFileSync(outside, '{}\n');
    const link = join(stand.transcripts, 'link.jsonl');
    symlinkSync(outside, link);
    for (const transcript_path of [
      outside,
      link,
      join(stand.transcripts, '..', '..', '..', 'secret.jsonl'),
      `${stand.transcripts}/../../../secret.jsonl`,
      '/etc/passwd',
      '../../../../etc/passwd',
      '/proc/self/environ',
      '',
      '\0',
      stand.transcripts.replace(/-work-shop$/, ''),
    ])
      expect((await hook({ transcript_path })).status).toBe(200);
    expect(stand.woken).toEqual([]);
    expect((await hook({ transcript_path: inside })).status).toBe(200);
    expect(stand.woken).toEqual([inside]);
  });

  it('a session id cannot name a file', async () => {
    const before = readdirSync(stand.folder);
    for (const claudeSessionId of ['../../evil', '/tmp/evil', 'a/b', '..\\evil', '\0'])
      expect((await stand.post('/api/sessions/init', { claudeSessionId, userPrompt: 'hi' })).status).toBe(200);
    expect(readdirSync(stand.folder)).toEqual(before);
    for (const file of stand.woken) expect(file).toMatch(/^[^.]*\.holdfast\/.*[0-9a-f]{40}\.jsonl$/);
  });
});

describe('what is no request', () => {
  it.each(['\x16\x03\x01\x02\x00\x01\x00', 'hello\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'GET\r\n\r\n'])(
    'bytes such as %j get a short word and the line is closed',
    async (bytes) => {
      const { status, json } = await stand.raw(bytes);
      expect([status, json.error.code]).toEqual([400, 'BAD_INPUT']);
    },
  );

  it('headers without end are refused', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `X-${i}: ${'x'.repeat(20)}`);
    expect((await request('GET /api/health HTTP/1.1', [host(), ...lines])).status).toBe(431);
  });

  it('two lengths, or a length and pieces, are refused (request smuggling)', async () => {
    const lines = [host(), bearer(), 'Content-Type: application/json', 'Content-Length: 2'];
    for (const second of ['Content-Length: 3', 'Transfer-Encoding: chunked'])
      expect((await request('POST /api/processing HTTP/1.1', [...lines, second], '{}')).status).toBe(400);
  });

  it('a caller who takes for ever to say what he wants is cut off', async () => {
    const impatient = await openStand({ patienceMs: 100 });
    try {
      const half = `POST /api/processing HTTP/1.1\r\nHost: 127.0.0.1:${impatient.server.port}\r\n`;
      const whole = `${half}Authorization: Bearer ${impatient.tokens.full}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
      const drip = (socket: net.Socket) => {
        const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(' ')), 20);
        socket.on('close', () => clearInterval(timer));
      };
      const answers = await Promise.all([
        impatient.raw(half),
        impatient.raw(half, (s) => s.write('X: ')),
        impatient.raw(whole, drip),
      ]);
      expect(answers.map(({ closed }) => closed)).toEqual([true, true, true]);
      for (const { status } of answers) expect([0, 408]).toContain(status);
    } finally {
      await impatient.close();
    }
  });

  it('many idle lines do not shut others out for long, and are all closed at the end', async () => {
    const crowded = await openStand();
    const sockets = Array.from({ length: 200 }, () => net.connect(crowded.server.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of sockets) socket.on('error', () => {});
    expect((await crowded.get('/api/health')).status).toBe(200);
    const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    await crowded.close();
    await ended;
  });
});
