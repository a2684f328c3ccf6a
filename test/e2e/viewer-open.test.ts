// The way into the viewer, as a person goes it: the command, the program that opens browsers, the address, the cookie.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, holdfast, launch, type Place, place, root, until } from './holdfast.ts';

/** A folder with a program that notes what it was asked to open. */
function browserOpener(own: Place): { bin: string; opened: () => string[] } {
  const bin = path.join(own.folder, 'bin');
  const note = path.join(own.folder, 'opened');
  mkdirSync(bin);
  writeFileSync(note, '');
  writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${note}\n`);
  chmodSync(path.join(bin, 'xdg-open'), 0o755);
  return { bin, opened: () => readFileSync(note, 'utf8').split('\n').filter(Boolean) };
}

const enter = (address: string) => fetch(address, { redirect: 'manual' });

describe('holdfast open', () => {
  it('starts the worker, calls the browser, and the address opens once', async () => {
    const own = place();
    const { bin, opened } = browserOpener(own);
    const env = { ...own.env, PATH: `${bin}:${own.env.PATH}` };
    onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
    const { address, opened: called } = await ask(env, 'open');
    expect(called).toBe(true);
    expect(opened()).toEqual([address]);
    for (const name of readdirSync(path.join(own.home, 'codes')))
      expect(statSync(path.join(own.home, 'codes', name)).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(own.home, 'codes')).mode & 0o777).toBe(0o700);

    const first = await enter(address);
    expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
    const cookie = first.headers.get('set-cookie')?.split(';')[0] as string;
    expect((await enter(address)).headers.get('set-cookie')).toBeNull();
    const asked = (headers: Record<string, string>) => fetch(new URL('/api/projects', address), { headers });
    expect((await asked({ cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await asked({ 'sec-fetch-site': 'same-origin' })).status).toBe(401);

    // A worker that was restarted takes a code from before, and the cookie.
    const second = (await ask(env, 'open', '--print')).address;
    await ask(env, 'worker', 'stop');
    await ask(env, 'worker', 'start');
    await until(async () => (await ask(env, 'worker', 'status')).http.open, 'the worker');
    expect((await asked({ cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await enter(second)).headers.get('set-cookie')).toContain('HttpOnly');
    expect(opened(), '--print opens nothing').toHaveLength(1);
    const page = await fetch(new URL('/', address));
    expect(await page.text()).toContain('<title>Holdfast</title>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const code = path.basename(new URL(second).pathname);
    expect(readFileSync(path.join(own.home, 'logs', 'worker.log'), 'utf8')).not.toContain(code);
  });

  it('says the address where there is no browser, and what is wrong where the port is taken', async () => {
    const own = place();
    const env: NodeJS.ProcessEnv = { ...own.env, PATH: path.dirname(process.execPath) };
    onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
    const { code, stdout } = await holdfast(env, 'open');
    expect(code).toBe(0);
    expect(stdout).toMatch(/No browser could be called.*\nhttp:\/\/127\.0\.0\.1:\d+\/open\/[\w-]{32}\n$/);
    await holdfast(env, 'worker', 'stop');
    const { createServer } = await import('node:net');
    const stranger = createServer().listen(Number(env.HOLDFAST_PORT), '127.0.0.1');
    onTestFinished(() => void stranger.close());
    const refused = await holdfast(env, 'open', '--print');
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain(`${env.HOLDFAST_PORT}`);
  });

  it('start says the address too, and it works while the worker does', async () => {
    const own = place({ claude: path.join(root, 'demo/claude-code/projects') });
    const running = launch(own.env, ['start']);
    await running.says(/Look at it in your browser: http\S+/);
    const [, address = ''] = /Look at it in your browser: (http\S+)/.exec(running.said()) ?? [];
    expect((await enter(address)).headers.get('set-cookie')).toContain('SameSite=Strict');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });
});
