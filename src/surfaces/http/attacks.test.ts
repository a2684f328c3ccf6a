// What a stranger can try: real sockets, raw bytes.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browserStandIn } from '../../../test/browser-stand-in.ts';
import { openStand, type Stand, session } from '../../../test/http-stand.ts';
import { makeCode } from '../../processes/access/entrance.ts';
import { parseJson } from './body.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(() => {
  stand.woken.length = 0;
});

/** A request with the full token, so that only the tested part can spoil it. */
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

  it('believes what a browser says about a foreign page', async () => {
    const ask = async (site: string) =>
      (await request('GET /api/health HTTP/1.1', [host(), `Sec-Fetch-Site: ${site}`])).status;
    expect([await ask('cross-site'), await ask('same-site')]).toEqual([403, 403]);
    expect([await ask('same-origin'), await ask('none')]).toEqual([200, 200]);
  });

  it('a foreign Host is refused before the token is checked', async () => {
    expect((await request('GET /api/projects HTTP/1.1', ['Host: evil.example', bearer('0'.repeat(64))])).status).toBe(
      403,
    );
  });

  it('a preflight gets no permission', async () => {
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
  ])('%s opens nothing, and reveals nothing', async (_, lines) => {
    for (const path of ['/api/projects', '/api/nothing', '/api/openapi.json', '/nothing', '/token']) {
      const { status, head, json } = await request(`GET ${path} HTTP/1.1`, [host(), ...lines]);
      expect([status, json.error.code]).toEqual([401, 'NO_TOKEN']);
      expect(head).toContain('www-authenticate: bearer');
    }
  });

  it('is not accepted as a prefix of the right one, or from two headers, the address or a cookie', async () => {
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

  it('of hooks gets no memory in answer to a hook', async () => {
    const payload = { session_id: session, hook_event_name: 'UserPromptSubmit', prompt: 'the flaky checkout test' };
    expect((await stand.post('/api/hooks/claude-code', payload)).json).toEqual({});
    expect((await stand.post('/api/hooks/claude-code', payload, stand.tokens.full)).json).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: expect.stringContaining('a race') },
    });
  });
});

describe('the viewer', () => {
  const origin = () => `http://127.0.0.1:${stand.server.port}`;
  const newCode = (at = Date.now()) => makeCode(stand.holdfast.config.home, at);
  const read = (...lines: string[]) => request('GET /api/projects HTTP/1.1', [host(), ...lines]);
  const post = (path: string, body: object, ...lines: string[]) => {
    const text = JSON.stringify(body);
    const json = ['Content-Type: application/json', `Content-Length: ${text.length}`];
    return request(`POST ${path} HTTP/1.1`, [...(lines.length > 0 ? lines : [host()]), ...json], text);
  };
  /** As earlier versions made them, sealed with the token. */
  const oldCookie = () => {
    const until = Date.now() + 86_400_000;
    const sealed = createHmac('sha256', stand.tokens.full).update(`holdfast viewer ${stand.server.port} ${until}`);
    return `Cookie: holdfast-${stand.server.port}=${until}.${sealed.digest('hex')}`;
  };

  const page = '<!doctype html><meta name="challenge" content="" /><title>Holdfast</title>';
  /** Each page has another challenge. */
  const withoutChallenge = (body: string): string => body.replace(/content="\d+\.[0-9a-f]{64}"/, 'content=""');

  it('serves its pages to everyone, without any memory in them', async () => {
    for (const path of ['/', '/search?q=checkout', '/sessions/anything', '/memory/core%2Ffacts', '/health']) {
      const { status, body } = await request(`GET ${path} HTTP/1.1`, [host()]);
      expect([path, status, withoutChallenge(body)]).toEqual([path, 200, page]);
    }
    expect((await request('GET /sessions/a/b HTTP/1.1', [host()])).status).toBe(401);
  });

  it('tells a browser at a wrong address that there is no such page, and other clients in JSON', async () => {
    const html = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/nowhere', '/sessions/a/b?x=1', '/search/', '/token', '/apiary']) {
      for (const lines of [['Sec-Fetch-Site: none'], []]) {
        const { status, head, body } = await request(`GET ${path} HTTP/1.1`, [host(), html, ...lines]);
        expect([path, status, withoutChallenge(body)]).toEqual([path, 404, page]);
        expect(head).toContain("frame-ancestors 'none'");
      }
      const plain = await request(`GET ${path} HTTP/1.1`, [host(), bearer(), 'Accept: */*']);
      expect([path, plain.status, plain.json.error.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    for (const path of ['/api', '/api/', '/api/nowhere', '/api/health/', '/mcp/nowhere']) {
      const { status, json } = await request(`GET ${path} HTTP/1.1`, [host(), html, bearer(), 'Sec-Fetch-Site: none']);
      expect([path, status, json.error.code]).toEqual([path, 404, 'NOT_FOUND']);
      expect((await request(`GET ${path} HTTP/1.1`, [host(), html])).status).toBe(401);
    }
    expect((await request('POST /nowhere HTTP/1.1', [host(), html])).status).toBe(401);
    const foreign = [host(), html, bearer(), 'Sec-Fetch-Site: cross-site'];
    expect((await request('GET /nowhere HTTP/1.1', foreign)).status).toBe(403);
  });

  it('cannot be framed, runs only its own files, and sends no referrer', async () => {
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

  it('serves its files in an encoding that the browser accepts, cacheable forever, and no other files', async () => {
    const plain = await request('GET /assets/main-1.js HTTP/1.1', [host()]);
    expect(plain).toMatchObject({ status: 200, body: 'document.title' });
    expect(plain.head).toContain('cache-control: public, max-age=31536000, immutable');
    expect(plain.head).toContain('content-type: text/javascript; charset=utf-8');
    const packed = await request('GET /assets/main-1.js HTTP/1.1', [host(), 'Accept-Encoding: gzip, deflate, br']);
    expect(packed.head).toContain('content-encoding: br');
    for (const name of ['main-1.js.br', '..%2Findex.html', '..%2F..%2Ftoken', '%2e%2e', 'nothing.js'])
      expect([name, (await request(`GET /assets/${name} HTTP/1.1`, [host()])).status]).toEqual([name, 404]);
  });

  it('admits a browser that has a code, once, and gives it no cookie and no token', async () => {
    const [code, browser, other] = [newCode(), browserStandIn(), browserStandIn()];
    const first = await post('/open/browser', { code, key: browser.publicKey });
    expect(first.status).toBe(200);
    expect(first.head).not.toContain('set-cookie');
    expect(first.head + first.body).not.toContain(stand.tokens.full);
    expect(Object.keys(first.json)).toEqual(['bearer', 'clock', 'team']);
    expect((await read(bearer(first.json.bearer))).status).toBe(200);
    expect((await post('/open/browser', { code, key: other.publicKey })).status).toBe(401);
    const again = (await browser.comeBack(origin())) as string;
    expect(again).not.toBe(first.json.bearer);
    expect((await read(bearer(again))).status).toBe(200);
    expect(await other.comeBack(origin())).toBeUndefined();
  });

  it('a new key of a browser ends its key before', async () => {
    const [first, second] = [browserStandIn(), browserStandIn()];
    await first.enter(origin(), newCode());
    const sent = { code: newCode(), key: second.publicKey, before: first.id };
    expect((await post('/open/browser', sent)).status).toBe(200);
    expect(await first.comeBack(origin())).toBeUndefined();
    expect(await second.comeBack(origin())).toBeDefined();
    // Without a code, nobody ends anything.
    const third = { code: newCode(Date.now() - 11 * 60_000), key: browserStandIn().publicKey, before: second.id };
    expect((await post('/open/browser', third)).status).toBe(401);
    expect(await second.comeBack(origin())).toBeDefined();
  });

  it('replaces a service worker that another program has left, and clears pages that it has left in the cache', async () => {
    for (const path of ['/sw.js', '/assets/x.js', '/api/sessions']) {
      const asked = await request(`GET ${path} HTTP/1.1`, [host(), 'Service-Worker: script']);
      expect([path, asked.status]).toEqual([path, 200]);
      expect(asked.head).toContain('content-type: text/javascript');
      expect(asked.body).toContain('self.registration.unregister()');
    }
    expect((await request('GET /sw.js HTTP/1.1', [host()])).status).toBe(401);
    expect((await request('GET /open HTTP/1.1', [host()])).head).toContain('clear-site-data: "cache"');
  });

  it('admits one of fifty browsers that bring the same code at once', async () => {
    const code = newCode();
    const all = await Promise.all(Array.from({ length: 50 }, () => browserStandIn().enter(origin(), code)));
    expect(all.filter((one) => one !== undefined)).toHaveLength(1);
  });

  it('accepts no code that is too old, made up, or the name of a file', async () => {
    const key = browserStandIn().publicKey;
    const old = newCode(Date.now() - 11 * 60_000);
    const early = newCode(Date.now() + 60 * 60_000);
    for (const code of [old, early, 'x'.repeat(32), '../../token', '\0', '', 'a'.repeat(5000), 7])
      expect([400, 401, 413]).toContain((await post('/open/browser', { code, key })).status);
  });

  it('accepts nothing that is not a key', async () => {
    const { publicKey } = browserStandIn();
    const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url');
    for (const key of ['', publicKey.slice(1), `${publicKey}A`, offCurve, 'A'.repeat(87), `${publicKey}=`])
      expect([key, (await post('/open/browser', { code: newCode(), key })).status]).toEqual([key, 400]);
  });

  it('accepts no code through a foreign page or a rebound name (DNS rebinding)', async () => {
    const [code, browser] = [newCode(), browserStandIn()];
    for (const lines of [
      [`Host: evil.example:${stand.server.port}`],
      [host(), 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
      [host(), 'Sec-Fetch-Site: same-site'],
      [host(), 'Origin: https://evil.example'],
      [host(), 'Origin: null'],
    ])
      expect((await post('/open/browser', { code, key: browser.publicKey }, ...lines)).status).toBe(403);
    expect(await browser.enter(origin(), code)).toBeDefined();
  });

  it('shows the sign-in page to a browser that a file redirects there, only that page, and only as a page', async () => {
    const led = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
    const get = async (path: string, lines: readonly string[]) =>
      (await request(`GET ${path} HTTP/1.1`, [host(), ...lines])).status;
    expect(await get('/open', led)).toBe(200);
    expect(await get(`/open?${'aB3_-'.repeat(5).slice(0, 22)}`, led)).toBe(200);
    for (const path of ['/', '/search', '/api/health', '/open?x', '/assets/main-1.js'])
      expect([path, await get(path, led)]).toEqual([path, 403]);
    expect(await get('/open', [...led.slice(0, 2), 'Sec-Fetch-Dest: iframe'])).toBe(403);
    expect(await get('/open', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'])).toBe(403);
  });

  it('redirects a browser that calls it by another name to its address, because other programs may listen under that name', async () => {
    for (const name of ['localhost', '[::1]']) {
      const { status, head } = await request('GET /search?q=a HTTP/1.1', [host(name)]);
      expect([name, status]).toEqual([name, 307]);
      expect(head).toContain(`location: http://127.0.0.1:${stand.server.port}/search?q=a`);
    }
  });

  it('accepts no bearer that is changed, of another browser, from a cookie, or out of the files of the data folder', async () => {
    const browser = browserStandIn();
    const given = (await browser.enter(origin(), newCode())) as string;
    const folder = join(stand.holdfast.config.home, 'browsers');
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(stored.join()).toContain(browser.publicKey);
    expect(stored.join()).not.toContain(given.slice(19));
    for (const line of [
      bearer(given.slice(0, -1)),
      bearer(`${given}0`),
      bearer(given.replace(browser.id, '0'.repeat(16))),
      bearer(`b.${browser.id}.${'0'.repeat(64)}`),
      bearer(browser.id),
      `Cookie: bearer=${given}`,
      `Cookie: holdfast-${stand.server.port}=${given}`,
    ])
      expect([line, (await read(line)).status]).toEqual([line, 401]);
    expect((await read(bearer(given))).status).toBe(200);
  });

  it('accepts no signature of another key, challenge, port or time', async () => {
    const [browser, other, { port }] = [browserStandIn(), browserStandIn(), stand.server];
    await browser.enter(origin(), newCode());
    const challenge = (await post('/open/challenge', {})).json.challenge as string;
    const [until = '', sealed = ''] = challenge.split('.');
    const answer = (given: Partial<{ id: string; challenge: string; signature: string }>) =>
      post('/open/ticket', { id: browser.id, challenge, signature: browser.sign(port, challenge), ...given });
    const forged = `${Number(until) + 1}.${sealed}`;
    for (const given of [
      { signature: other.sign(port, challenge) },
      { signature: browser.sign(port + 1, challenge) },
      { signature: browser.sign(port, forged), challenge: forged },
      { signature: browser.sign(port, `${until}.`), challenge: `${until}.` },
      { signature: '' },
      { id: other.id, signature: other.sign(port, challenge) },
      { id: '../../token' },
    ])
      expect([given, (await answer(given)).status]).toEqual([given, 401]);
    expect((await answer({})).status).toBe(200);
  });

  it('accepts a signature of the challenge that came with a page, and only from a browser that it knows', async () => {
    const [browser, stranger, { port }] = [browserStandIn(), browserStandIn(), stand.server];
    await browser.enter(origin(), newCode());
    for (const path of ['/', '/search?q=lamp', '/no/such/page']) {
      const { body } = await request(`GET ${path} HTTP/1.1`, [host(), 'Accept: text/html', 'Accept-Encoding: br']);
      const [, challenge = ''] = /name="challenge" content="([^"]+)"/.exec(body) ?? [];
      const ticket = ({ id, sign }: typeof browser) =>
        post('/open/ticket', { id, challenge, signature: sign(port, challenge) });
      expect([path, (await ticket(stranger)).status, (await ticket(browser)).status]).toEqual([path, 401, 200]);
    }
  });

  it('does nothing for a foreign page, whatever bearer it brings (CSRF)', async () => {
    const given = (await browserStandIn().enter(origin(), newCode())) as string;
    for (const line of [
      'Origin: https://evil.example',
      'Origin: http://127.0.0.1:3000',
      'Origin: null',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: same-site',
    ]) {
      const lines = [host(), line, bearer(given)];
      expect([line, (await request('GET /api/projects HTTP/1.1', lines)).status]).toEqual([line, 403]);
      expect([line, (await post('/api/processing', { isProcessing: true }, ...lines)).status]).toEqual([line, 403]);
    }
  });

  it('ignores the cookies of older versions, and clears them', async () => {
    for (const line of ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: none', `Origin: ${origin()}`])
      expect((await read(oldCookie(), line)).status).toBe(401);
    const { head } = await request('GET / HTTP/1.1', [host(), oldCookie()]);
    expect(head).toMatch(new RegExp(`^set-cookie: holdfast-${stand.server.port}=; path=/; max-age=0;`, 'm'));
    expect((await request('GET / HTTP/1.1', [host()])).head).not.toContain('set-cookie');
  });
});

describe('bodies', () => {
  const post = (path: string, lines: readonly string[], body = '') =>
    request(`POST ${path} HTTP/1.1`, [host(), bearer(), ...lines], body);
  const json = 'Content-Type: application/json';

  it('a huge one is refused by its announced length', async () => {
    const { status, json: said } = await post('/api/sessions/init', [json, `Content-Length: ${9 << 20}`]);
    expect([status, said.error.code]).toEqual([413, 'TOO_LARGE']);
  });

  it('an endless one is refused when it becomes too large, and the connection is cut', async () => {
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

  it('permission to send one is given only after the checks', async () => {
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
  ])('%s is refused with a message', async (_, body, expected) => {
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

  it('a folder that is longer than any path is bad input, and the answer tells no path of this machine', async () => {
    const folders = { from: 'x'.repeat(5000), to: '/srv/x' };
    const { status, json } = await stand.post('/api/projects/link', folders, stand.tokens.full);
    expect([status, json.error.code]).toEqual([400, 'BAD_INPUT']);
    expect(JSON.stringify(json)).not.toContain(process.cwd());
  });

  it('a null byte in a path is bad input', async () => {
    expect((await stand.get('/api/sessions?project=%00')).status).toBe(400);
    expect((await stand.get('/api/briefing?project=/srv/shop%00')).status).toBe(400);
    const moved = { from: '/srv/shop', to: '/srv/\0' };
    expect((await stand.post('/api/projects/link', moved, stand.tokens.full)).status).toBe(400);
  });

  it('a method that an address does not support is refused, even under another name', async () => {
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
  it('only a transcript inside the folder of the agent is read', async () => {
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

describe('input that is not a request', () => {
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

  it('two lengths, or a length and chunks, are refused (request smuggling)', async () => {
    const lines = [host(), bearer(), 'Content-Type: application/json', 'Content-Length: 2'];
    for (const second of ['Content-Length: 3', 'Transfer-Encoding: chunked'])
      expect((await request('POST /api/processing HTTP/1.1', [...lines, second], '{}')).status).toBe(400);
  });

  it('a caller that never finishes its request is cut off', async () => {
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

  it('a caller may wait for an answer for longer than it may be silent itself', async () => {
    const impatient = await openStand({ patienceMs: 1000 });
    const { sessions } = impatient.holdfast.context.store;
    const list = sessions.list;
    try {
      let asked = 0;
      Object.assign(sessions, {
        list: async (...filter: Parameters<typeof list>) => {
          asked++;
          // Longer than three times the patience.
          await sleep(3500);
          return list(...filter);
        },
      });
      const headers = { authorization: `Bearer ${impatient.tokens.full}` };
      const { status } = await fetch(`http://127.0.0.1:${impatient.server.port}/api/sessions`, { headers });
      expect(status).toBe(200);
      expect(asked).toBe(1);
    } finally {
      await impatient.close();
    }
  });

  const crowd = async (port: number, count: number) => {
    const sockets = Array.from({ length: count }, () => net.connect(port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {}).resume();
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    return sockets;
  };

  it('a thousand idle connections of strangers shut out no caller with a token, and are all closed at the end', async () => {
    const crowded = await openStand();
    const head = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${crowded.server.port}\r\n`;
    const owner = net.connect(crowded.server.port, '127.0.0.1');
    let heard = '';
    owner.on('data', (data) => {
      heard += data;
    });
    owner.write(`${head}Authorization: Bearer ${crowded.tokens.full}\r\n\r\n`);
    await expect.poll(() => heard).toContain('welcome');
    const sockets = [...(await crowd(crowded.server.port, 300)), ...(await crowd(crowded.server.port, 700))];
    // They have spoken once, and stay, so the limit on silence before a request does not apply.
    for (const socket of sockets) if (!socket.destroyed) socket.write(`GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (let round = 0; round < 5; round++) expect((await crowded.get('/api/projects')).status).toBe(200);
    expect(owner.destroyed, 'a stream of the owner goes on').toBe(false);
    crowded.events.publish({ kind: 'entries', added: 7, session });
    await expect.poll(() => heard).toContain('"added":7');
    const ended = Promise.all(
      [owner, ...sockets].map((one) => one.destroyed || new Promise((resolve) => one.once('close', resolve))),
    );
    await crowded.close();
    await ended;
  });

  it('a stranger with many connections that ask for something slow loses the oldest of them', async () => {
    const crowded = await openStand({ budget: { strangers: 8, known: 8 } });
    const sockets = await crowd(crowded.server.port, 40);
    const head = `POST /open/ticket HTTP/1.1\r\nHost: 127.0.0.1:${crowded.server.port}\r\nContent-Type: application/json\r\n`;
    for (const socket of sockets) if (!socket.destroyed) socket.write(`${head}Content-Length: 4000\r\n\r\n{`);
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(8);
    for (let round = 0; round < 5; round++) expect((await crowded.get('/api/projects')).status).toBe(200);
    await crowded.close();
  });
});
