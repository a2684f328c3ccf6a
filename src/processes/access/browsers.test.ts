import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserStandIn } from '../../../test/browser-stand-in.ts';
import { budgetFor } from '../../surfaces/http/connections.ts';
import { dropBrowsers, listBrowsers, openBrowsers, revokeBrowser } from './browsers.ts';
import { dropCodes, isUnused, makeCode, makeCodePage, useCode } from './entrance.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const port = 37_777;
let home: string;
let now: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-browsers-'));
  now = Date.UTC(2026, 10, 16, 9);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = () => openBrowsers(home, port, () => now);
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
type Opened = ReturnType<typeof open>;
const comeBack = (browsers: Opened, { id, sign }: ReturnType<typeof browserStandIn>) => {
  const challenge = browsers.challenge();
  return browsers.answer({ id, challenge, signature: sign(port, challenge) });
};

describe('browsers', () => {
  it('are files that only the owner can read, and contain no secret', () => {
    const [browsers, one] = [open(), browserStandIn()];
    const bearer = browsers.register(one.publicKey, firefox) as string;
    expect(browsers.holderOf(bearer)).toBe(one.id);
    expect(statSync(join(home, 'browsers')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'browsers', `${one.id}.json`)).mode & 0o777).toBe(0o600);
    expect(listBrowsers(home, now)).toEqual([
      { id: one.id, label: 'Firefox on Linux', createdAt: now, usedAt: now, expiresAt: now + 12 * hour },
    ]);
  });

  it('keep access as long as they are used, and for twelve hours more, but for no longer than a week', () => {
    const [browsers, one] = [open(), browserStandIn()];
    const start = now;
    browsers.register(one.publicKey, firefox);
    while (now + 11 * hour < start + 7 * day) {
      now += 11 * hour;
      expect(comeBack(browsers, one)).toBeDefined();
    }
    now = start + 7 * day;
    expect(comeBack(browsers, one)).toBeUndefined();
    now = start;
    browsers.register(one.publicKey, firefox);
    now += 12 * hour;
    expect(comeBack(browsers, one)).toBeUndefined();
    expect(listBrowsers(home, now)).toEqual([]);
  });

  it('use a bearer for an hour, and then sign again', () => {
    const [browsers, one] = [open(), browserStandIn()];
    const bearer = browsers.register(one.publicKey, firefox) as string;
    now += hour - 1;
    expect(browsers.holderOf(bearer)).toBe(one.id);
    now += 1;
    expect(browsers.holderOf(bearer)).toBeUndefined();
    expect(browsers.holderOf(comeBack(browsers, one) as string)).toBe(one.id);
  });

  it('cannot use an old challenge', () => {
    const [browsers, one] = [open(), browserStandIn()];
    browsers.register(one.publicKey, firefox);
    const challenge = browsers.challenge();
    const signature = one.sign(port, challenge);
    now += minute;
    expect(browsers.answer({ id: one.id, challenge, signature })).toBeUndefined();
  });

  it('lose access one by one, at once', () => {
    const [browsers, one, two] = [open(), browserStandIn(), browserStandIn()];
    const [first, second] = [one, two].map(({ publicKey }) => browsers.register(publicKey, firefox) as string);
    expect(revokeBrowser(home, one.id)).toBe(true);
    expect(revokeBrowser(home, one.id)).toBe(false);
    expect(revokeBrowser(home, '../../token')).toBe(false);
    expect([browsers.holderOf(first as string), browsers.holderOf(second as string)]).toEqual([undefined, two.id]);
    expect(comeBack(browsers, one)).toBeUndefined();
    // A use that was under way does not bring it back.
    expect(browsers.admits(one.id)).toBe(false);
    expect(readdirSync(join(home, 'browsers'))).toEqual([`${two.id}.json`]);
  });

  it('come back to a worker that was restarted, with a new bearer: what another program saw on the port opens nothing', () => {
    const [browsers, one] = [open(), browserStandIn()];
    const bearer = browsers.register(one.publicKey, firefox) as string;
    const challenge = browsers.challenge();
    const signature = one.sign(port, challenge);
    now += hour;
    browsers.close();
    now += 5000;
    const next = open();
    expect(next.holderOf(bearer)).toBeUndefined();
    expect(next.answer({ id: one.id, challenge, signature }), 'signed for the worker before').toBeUndefined();
    expect(comeBack(next, one)).toBeDefined();
  });

  it('need access again after the worker was away for more than a minute, or another program had its port', () => {
    const [browsers, one] = [open(), browserStandIn()];
    browsers.register(one.publicKey, firefox);
    browsers.close();
    now += minute + 1;
    expect(comeBack(open(), one)).toBeUndefined();
    const again = open();
    again.register(one.publicKey, firefox);
    dropBrowsers(home);
    expect(comeBack(open(), one)).toBeUndefined();
  });

  it('in use survive a crash, others need access again', () => {
    const [browsers, used, idle] = [open(), browserStandIn(), browserStandIn()];
    for (const { publicKey } of [used, idle]) browsers.register(publicKey, firefox);
    now += hour;
    comeBack(browsers, used);
    now += 5000;
    const next = open();
    expect([comeBack(next, used) !== undefined, comeBack(next, idle)]).toEqual([true, undefined]);
  });

  it('do not keep access through a clock that was set back', () => {
    const [browsers, one] = [open(), browserStandIn()];
    browsers.register(one.publicKey, firefox);
    utimesSync(join(home, 'browsers', `${one.id}.json`), now / 1000 + 86_400, now / 1000 + 86_400);
    expect(comeBack(browsers, one)).toBeUndefined();
  });

  it('number fifty at most, with 32 bearers each', () => {
    const browsers = open();
    const first = browserStandIn();
    browsers.register(first.publicKey, firefox);
    const bearers = Array.from({ length: 33 }, () => comeBack(browsers, first) as string);
    expect(bearers.filter((one) => browsers.holderOf(one) !== undefined)).toHaveLength(32);
    for (let i = 0; i < 55; i++) {
      now += 1;
      browsers.register(browserStandIn().publicKey, firefox);
    }
    expect(listBrowsers(home, now)).toHaveLength(50);
  });
});

describe('a code in a page', () => {
  it('is only readable by the owner, and is removed when it is used', () => {
    const { code, page } = makeCodePage(home, join(home, 'open'), port, now);
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(statSync(join(page, '..')).mode & 0o777).toBe(0o700);
    expect(isUnused(home, code)).toBe(true);
    expect([useCode(home, code, now), useCode(home, code, now)]).toEqual([true, false]);
    expect(readdirSync(join(home, 'open'))).toEqual([]);
    expect(isUnused(home, code)).toBe(false);
  });

  it('is removed with the next code after it has expired, and when a worker gets its port', () => {
    makeCodePage(home, join(home, 'open'), port, now);
    now += 11 * minute;
    const code = makeCode(home, now);
    expect(readdirSync(join(home, 'open'))).toEqual([]);
    makeCodePage(home, join(home, 'open'), port, now);
    dropCodes(home);
    expect(readdirSync(join(home, 'open'))).toEqual([]);
    expect(useCode(home, code, now)).toBe(false);
  });
});

it('the connection budget leaves file descriptors for a worker that may open few', () => {
  expect(budgetFor(20_000, 30)).toEqual({ strangers: 256, known: 256 });
  expect(budgetFor(64, 30)).toEqual({ strangers: 4, known: 4 });
  expect(budgetFor(Number.POSITIVE_INFINITY, 0)).toEqual({ strangers: 256, known: 256 });
});
