// How a person gets into the viewer: the command, the program that opens browsers, the page with the code, the browser's key.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { browserStandIn } from '../browser-stand-in.ts';
import { ask, holdfast, launch, type Place, place, root, until } from './holdfast.ts';

/** A program that records what it was asked to open, and the page's content: the page is deleted when its code is used. */
function browserOpener(own: Place, more = ''): { bin: string; opened: () => string[]; address: () => string } {
  const bin = path.join(own.folder, 'bin');
  const [note, copy] = [path.join(own.folder, 'opened'), path.join(own.folder, 'copy')];
  mkdirSync(bin, { recursive: true });
  writeFileSync(note, '');
  writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${note}\ncat "$1" > ${copy}\n${more}`);
  chmodSync(path.join(bin, 'xdg-open'), 0o755);
  return {
    bin,
    opened: () => readFileSync(note, 'utf8').split('\n').filter(Boolean),
    address: () => /"(http[^"]+)"/.exec(readFileSync(copy, 'utf8'))?.[1] ?? '',
  };
}

const codeIn = (address: string): string => new URL(address).hash.slice(1);
const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('holdfast open', () => {
  it("starts the worker and opens the browser with the owner's page, whose code works once", async () => {
    const own = place();
    const { bin, opened, address } = browserOpener(own);
    const env: NodeJS.ProcessEnv = { ...own.env, PATH: `${bin}:${own.env.PATH}` };
    const origin = `http://127.0.0.1:${env.HOLDFAST_PORT}`;
    onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
    const running = launch(env, ['open']);
    await until(() => opened().length === 1, 'the browser');
    const [page = ''] = opened();
    expect([modeOf(page), modeOf(path.dirname(page)), modeOf(path.join(own.home, 'codes'))]).toEqual([
      0o600, 0o700, 0o700,
    ]);
    for (const name of readdirSync(path.join(own.home, 'codes')))
      expect(modeOf(path.join(own.home, 'codes', name))).toBe(0o600);
    await until(() => address() !== '', 'the page');
    const code = codeIn(address());
    const browser = browserStandIn();
    const bearer = await browser.enter(origin, code);
    const { code: status, stdout, stderr } = await running.ended;
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The viewer is open in your browser');
    expect(stdout).not.toContain(code);
    expect(readdirSync(path.join(own.home, 'open')), 'the page goes with its code').toEqual([]);
    expect(await browserStandIn().enter(origin, code)).toBeUndefined();
    const asked = (token: string) =>
      fetch(`${origin}/api/projects`, { headers: { authorization: `Bearer ${token}` } }).then((one) => one.status);
    expect(await asked(bearer as string)).toBe(200);

    // A restarted worker knows the browser, but no bearer token or code from before.
    const { address: second, opened: called } = await ask(env, 'open', '--print');
    expect([called, opened().length]).toEqual([false, 1]);
    await ask(env, 'worker', 'stop');
    await ask(env, 'worker', 'start');
    await until(async () => (await ask(env, 'worker', 'status')).http.open, 'the worker');
    expect(await asked(bearer as string)).toBe(401);
    expect(await browserStandIn().enter(origin, codeIn(second))).toBeUndefined();
    const again = (await browser.comeBack(origin)) as string;
    expect(await asked(again)).toBe(200);

    // One by one, and all at once.
    const other = browserStandIn();
    const third = await ask(env, 'open', '--print');
    await other.enter(origin, codeIn(third.address));
    const { browsers } = await ask(env, 'open', '--list');
    expect(browsers.map(({ id }: { id: string }) => id).sort()).toEqual([browser.id, other.id].sort());
    expect(browsers[0]).toMatchObject({ label: 'Firefox on Linux', expiresAt: expect.any(String) });
    expect(await ask(env, 'open', '--revoke', browser.id)).toMatchObject({ revoked: [browser.id] });
    expect(await asked(again)).toBe(401);
    expect(await browser.comeBack(origin)).toBeUndefined();
    expect(await other.comeBack(origin)).toBeDefined();
    const unknown = await holdfast(env, 'open', '--revoke', browser.id);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('--list')]);
    expect((await holdfast(env, 'open', '--revoke', 'all')).stdout).toContain(`${other.id} no longer has access`);
    expect((await holdfast(env, 'open', '--list')).stdout).toContain('No browser has access');

    const shown = await fetch(`${origin}/`);
    expect(await shown.text()).toContain('<title>Holdfast</title>');
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    const log = readFileSync(path.join(own.home, 'logs', 'worker.log'), 'utf8');
    for (const secret of [code, codeIn(second), bearer as string, again]) expect(log).not.toContain(secret);
  });

  it('puts the page where a browser from Snap or Flatpak can read it', async () => {
    for (const name of ['firefox_firefox.desktop', 'org.mozilla.firefox.desktop', 'chromium.desktop']) {
      const own = place();
      const { bin, opened } = browserOpener(own, 'exit 3\n');
      writeFileSync(path.join(bin, 'xdg-settings'), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
      const env: NodeJS.ProcessEnv = { ...own.env, PATH: `${bin}:${own.env.PATH}` };
      onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
      await holdfast(env, 'open');
      const [page = ''] = opened();
      expect([name, page.startsWith(env.HOME as string)]).toEqual([name, name !== 'chromium.desktop']);
      expect(page).not.toMatch(/\/\./);
      expect(readdirSync(env.HOME as string), 'a page that no browser was given goes at once').toEqual([]);
    }
  });

  it('prints the address if there is no browser, and the problem if the port is taken', async () => {
    const own = place();
    const env: NodeJS.ProcessEnv = { ...own.env, PATH: path.dirname(process.execPath) };
    onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
    const { code, stdout } = await holdfast(env, 'open');
    expect(code).toBe(0);
    expect(stdout).toMatch(/No browser could be opened.*\nhttp:\/\/127\.0\.0\.1:\d+\/open\?[\w-]{22}#[\w-]{32}\n$/);
    await holdfast(env, 'worker', 'stop');
    const { createServer } = await import('node:net');
    const stranger = createServer().listen(Number(env.HOLDFAST_PORT), '127.0.0.1');
    onTestFinished(() => void stranger.close());
    const refused = await holdfast(env, 'open', '--print');
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain(`${env.HOLDFAST_PORT}`);
  });

  it('start prints no code into a pipe, which may lead into a journal; in a terminal it prints a working address', async () => {
    const own = place({ claude: path.join(root, 'demo/claude-code/projects') });
    const piped = launch(own.env, ['start']);
    await piped.says('To look at it in your browser: bin/holdfast open');
    expect(piped.said()).not.toMatch(/\/open[?#]/);
    piped.child.kill('SIGINT');
    expect((await piped.ended).code).toBe(0);
    const sample = launch({ ...own.env, HOLDFAST_HOME: undefined }, ['start', '--demo']);
    await sample.says(/^To look at it in your browser: HOLDFAST_HOME=\S+\.holdfast-demo bin\/holdfast open$/m);
    sample.child.kill('SIGINT');
    expect((await sample.ended).code).toBe(0);

    const typed = launch(own.env, ['start'], ['sh', '-c', 'exec script -qec "$0 $1" /dev/null']);
    await typed.says(/Look at it in your browser: http\S+\s/);
    const [, address = ''] = /Look at it in your browser: (http\S+)/.exec(typed.said()) ?? [];
    expect(await browserStandIn().enter(new URL(address).origin, codeIn(address))).toBeDefined();
    typed.child.kill('SIGTERM');
    await typed.ended;
    await holdfast(own.env, 'worker', 'stop');
  });
});
