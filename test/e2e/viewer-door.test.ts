// Who gets in through a person's browser: the person, after a reload, in a second tab, by a bookmark. Not another server or user of this
// machine, and not a program that later takes the worker's port.
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../because.ts';
import { until } from './holdfast.ts';
import { enter, noBrowser, sample, type ViewerStand, viewerStand } from './viewer-stand.ts';

describe.skipIf(noBrowser)(because("the viewer's door", noBrowser), () => {
  let stand: ViewerStand;
  beforeAll(async () => {
    stand = await viewerStand(sample);
    await stand.startWorker();
  });
  afterAll(() => stand?.close());

  const isIn = async (page: Page): Promise<void> => {
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  };
  const isOut = (page: Page): Promise<void> => page.getByText('Holdfast does not know this browser').waitFor();

  /** Another person's server, which records everything that it receives. */
  async function stranger(port = 0, html = '<!doctype html><title>Preview</title>') {
    const heard: string[] = [];
    const server = http.createServer((request, response) => {
      const head = request.rawHeaders.join('\n');
      request.on('data', (part) => heard.push(String(part)));
      heard.push(`${request.method} ${request.url}\n${head}`);
      response.setHeader('content-type', 'text/html').end(html);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    onTestFinished(close);
    return { heard, close, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('stays open after a reload, in a second tab, by a bookmark, and for changes made on the page', async () => {
    const page = await stand.page();
    await isIn(page);
    await page.reload();
    await isIn(page);
    const second = await page.context().newPage();
    await second.goto(`${stand.origin}/memory`);
    await isIn(second);
    await second.close();
    await page.close();
    const later = await stand.pageOf(page.context());
    await later.goto(`${stand.origin}/search?q=retry`);
    await isIn(later);
    stand.run('remember', 'The door is oak', '--about', 'user', '--key', 'door');
    await later.goto(`${stand.origin}/memory`);
    await later.getByRole('link', { name: /^preferences/ }).waitFor();
    expect(await later.context().cookies()).toEqual([]);
    await later.context().close();
  });

  it('gives another server on this machine nothing, and its page cannot call or read the worker', async () => {
    const page = await stand.page();
    await isIn(page);
    const other = await stranger();
    await page.goto(other.origin);
    await page.goto(`${stand.origin}/`);
    await isIn(page);
    await page.goto(other.origin);
    await until(() => other.heard.length >= 2, 'the visits');
    const all = other.heard.join('\n');
    expect(all).not.toMatch(/cookie|authorization|bearer|holdfast/i);
    // Its page, on another port, cannot call the worker either, nor read what our page stores.
    const tried = await page.evaluate(`(async () => {
      const ask = (path, init) => fetch('${stand.origin}' + path, init).then(String, String);
      return [
        await ask('/api/sessions', { credentials: 'include' }),
        await ask('/open/challenge', { method: 'POST', body: '{}' }),
        String((await indexedDB.databases()).length + localStorage.length + sessionStorage.length),
      ];
    })()`);
    expect(tried).toEqual([expect.stringContaining('Failed'), expect.stringContaining('Failed'), '0']);
    await page.context().close();
    stand.troubles.length = 0;
  });

  it("gives the preview of a hosted agent, which knows its group's token, nothing of the person's", async () => {
    stand.run('groups', 'create', 'tide');
    const { token } = JSON.parse(stand.run('groups', 'token', 'tide', '--json')) as { token: string };
    const page = await stand.page();
    await isIn(page);
    const preview = await stranger(0, `<!doctype html><title>Preview</title><iframe src="${stand.origin}/"></iframe>`);
    // What the person does: from the viewer to a preview that the agent has named, and back.
    await page.evaluate(`location.href = '${preview.origin}/from-the-viewer'`);
    await page.waitForURL(`${preview.origin}/from-the-viewer`);
    const tried = await page.evaluate(`(async () => {
      const headers = { authorization: 'Bearer ${token}' };
      const ask = (path, init) => fetch('${stand.origin}' + path, init).then((one) => one.text()).catch(String);
      const inFrame = () => { try { return frames[0].document.body.innerText; } catch (error) { return String(error); } };
      const stream = new Promise((resolve) => {
        const events = new EventSource('${stand.origin}/api/events');
        events.onmessage = ({ data }) => resolve(data);
        events.onerror = () => { events.close(); resolve('Failed'); };
      });
      return [
        await ask('/api/groups/tide/history', { headers }),
        await ask('/api/sessions', { headers }),
        await ask('/api/sessions', { mode: 'no-cors', credentials: 'include' }),
        await ask('/open/challenge', { method: 'POST', mode: 'no-cors', body: '{}' }),
        String(navigator.sendBeacon('${stand.origin}/api/remember', 'text=mine')),
        await stream,
        inFrame(),
      ];
    })()`);
    const [own, all, blind, challenge, , stream, frame] = tried as string[];
    for (const one of [own, all, stream]) expect(one).toContain('Failed');
    // An opaque answer reads as empty.
    for (const one of [blind, challenge]) expect(['', expect.stringContaining('Failed')]).toContainEqual(one);
    expect(frame).toMatch(/SecurityError|^$/);
    const heard = preview.heard.join('\n');
    expect(heard).not.toMatch(/cookie|authorization|bearer/i);
    expect(heard).not.toContain(stand.origin);
    // Without a browser, the program reaches its own group and nothing else.
    const headers = { authorization: `Bearer ${token}` };
    const status = async (address: string) => (await fetch(`${stand.origin}${address}`, { headers })).status;
    expect(await status('/api/groups/tide/history')).toBe(200);
    for (const address of ['/api/sessions', '/api/search?q=retry', '/api/events', '/api/groups'])
      expect([address, await status(address)]).toEqual([address, 403]);
    expect(stand.run('search', 'mine', '--kind', 'memory', '--json')).not.toContain('text=mine');
    await page.goto(`${stand.origin}/`);
    await isIn(page);
    await page.context().close();
    stand.troubles.length = 0;
  });

  it('a replay of what the browser sent opens nothing after the worker restarted', async () => {
    const page = await stand.page();
    const shown: string[] = [];
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) shown.push(authorization);
    });
    await page.reload();
    await isIn(page);
    await until(() => shown.length > 0, 'a request');
    const ask = (authorization: string) =>
      fetch(`${stand.origin}/api/sessions`, { headers: { authorization } }).then(({ status }) => status);
    expect(await ask(shown[0] as string)).toBe(200);
    await stand.stopWorker();
    await page.getByText('The worker does not answer. The page comes back by itself.').waitFor();
    await stand.startWorker();
    await isIn(page);
    expect(await ask(shown[0] as string)).toBe(401);
    await page.context().close();
  });

  it('gives a program that takes its port nothing that opens the next worker', async () => {
    const page = await stand.page();
    await isIn(page);
    const bookmark = await stand.pageOf(page.context());
    await stand.stopWorker();
    // This page reads everything that the browser stores for this address.
    const spy = `<!doctype html><title>Spy</title><script>
      const asked = indexedDB.open('holdfast');
      asked.onsuccess = () => {
        const got = asked.result.transaction('keys').objectStore('keys').get('browser');
        got.onsuccess = async () => {
          const said = { local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie };
          for (const format of ['jwk', 'pkcs8', 'raw'])
            said[format] = await crypto.subtle.exportKey(format, got.result.privateKey).then(JSON.stringify, String);
          await fetch('/said', { method: 'POST', body: JSON.stringify(said) });
        };
      };</script>`;
    const other = await stranger(Number(new URL(stand.origin).port), spy);
    await bookmark.goto(`${stand.origin}/`);
    await until(() => other.heard.some((text) => text.startsWith('{')), 'what it found');
    const said = JSON.parse(other.heard.find((text) => text.startsWith('{')) as string);
    expect(said).toMatchObject({ local: {}, session: {}, cookie: '' });
    for (const format of ['jwk', 'pkcs8', 'raw']) expect(said[format]).toMatch(/not extractable|InvalidAccess/);
    // The open tab keeps asking, and shows the program what the previous worker gave it.
    await until(() => /authorization/i.test(other.heard.join('\n')), 'the open tab');
    const [, bearer = ''] = /authorization\n(Bearer \S+)/i.exec(other.heard.join('\n')) ?? [];
    await other.close();
    await bookmark.close();
    await stand.startWorker();
    expect(bearer).toMatch(/^Bearer b\./);
    const { status } = await fetch(`${stand.origin}/api/sessions`, { headers: { authorization: bearer } });
    expect(status).toBe(401);
    await page.context().close();
    stand.troubles.length = 0;
  });

  it('a program that had its port can leave no key and no page that outlasts the next sign-in', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const known = createHash('sha256').update(point.toString('base64url')).digest('hex').slice(0, 16);
    await stand.stopWorker();
    // It gives the browser a key that it knows, and pages to keep for years.
    const plant = `<!doctype html><title>Planting</title><script type="module">
      const importing = (key, uses) => crypto.subtle.importKey('jwk', key, { name: 'ECDSA', namedCurve: 'P-256' }, true, uses);
      const publicKey = await importing(${JSON.stringify(pair.publicKey.export({ format: 'jwk' }))}, ['verify']);
      const privateKey = await importing(${JSON.stringify(pair.privateKey.export({ format: 'jwk' }))}, ['sign']);
      const asked = indexedDB.open('holdfast', 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore('keys');
      await new Promise((resolve) => (asked.onsuccess = resolve));
      const putting = asked.result.transaction('keys', 'readwrite');
      putting.objectStore('keys').put({ publicKey, privateKey }, 'browser');
      await new Promise((resolve) => (putting.oncomplete = resolve));
      asked.result.close();
      for (const path of ['/open', '/search']) await fetch(path);
      document.title = 'Planted';
    </script>`;
    const server = http.createServer((_, response) => {
      response
        .setHeader('cache-control', 'max-age=31536000, immutable')
        .setHeader('content-type', 'text/html')
        .end(plant);
    });
    await new Promise<void>((resolve) => server.listen(Number(new URL(stand.origin).port), '127.0.0.1', resolve));
    const page = await (await stand.context()).newPage();
    await page.goto(`${stand.origin}/`);
    await until(async () => (await page.title()) === 'Planted', 'its page');
    await page.goto('about:blank');
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    await stand.startWorker();

    await enter(page, stand.run('open', '--print'));
    await isIn(page);
    for (const address of ['/', '/search']) {
      await page.goto(`${stand.origin}${address}`);
      await isIn(page);
    }
    const say = (path: string, body: object) =>
      fetch(`${stand.origin}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const { challenge } = (await (await say('/open/challenge', {})).json()) as { challenge: string };
    const text = Buffer.from(`holdfast browser ${new URL(stand.origin).port} ${challenge}`);
    const signature = sign('sha256', text, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    expect((await say('/open/ticket', { id: known, challenge, signature })).status).toBe(401);
    await page.context().close();
    stand.troubles.length = 0;
  });

  it('refuses a revoked browser, and its open page notices', async () => {
    const page = await stand.page();
    await isIn(page);
    const { revoked } = JSON.parse(stand.run('open', '--revoke', 'all', '--json'));
    expect(revoked.length).toBeGreaterThan(0);
    await isOut(page);
    await page.reload();
    await isOut(page);
    await enter(page, stand.run('open', '--print'));
    await isIn(page);
    await page.context().close();
  });

  it('another user who lists all processes gets no code when the browser is started', async () => {
    const isRoot = process.getuid?.() === 0;
    const tools = mkdtempSync(path.join(tmpdir(), 'holdfast-other-'));
    onTestFinished(() => rmSync(tools, { recursive: true, force: true }));
    chmodSync(tools, 0o755);
    copyFileSync(path.join(import.meta.dirname, 'other-user.mjs'), path.join(tools, 'other-user.mjs'));
    const who = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const other = spawn(process.execPath, [path.join(tools, 'other-user.mjs'), stand.origin], { ...who, cwd: '/' });
    onTestFinished(() => void other.kill('SIGKILL'));
    let found = '';
    other.stdout.on('data', (part) => {
      found += part;
    });
    await until(() => found.includes('looking'), 'the other user');
    // A browser that takes its time, as during its start.
    const bin = path.join(stand.folder, 'bin');
    mkdirSync(bin, { recursive: true });
    const noted = path.join(stand.folder, 'noted.html');
    writeFileSync(
      path.join(bin, 'xdg-open'),
      `#!/bin/sh\nsleep 1\ncp "$1" ${noted}.part && mv ${noted}.part ${noted}\n`,
      { mode: 0o755 },
    );
    const page = await (await stand.context()).newPage();
    const running = stand.runWith({ PATH: `${bin}:${stand.env.PATH}` }, 'open');
    await until(() => existsSync(noted), 'the page with the code');
    // What the browser does: open a file that redirects to the address.
    await enter(page, `file://${noted}`);
    await isIn(page);
    expect(page.url()).toBe(`${stand.origin}/`);
    expect(await running).toContain('The viewer is open');
    expect(found).toContain('open.html');
    if (isRoot) expect(found).not.toContain('FOUND');
    else expect(found).not.toMatch(/open[?#]/);
    await page.context().close();
    stand.troubles.length = 0;
  });
});
