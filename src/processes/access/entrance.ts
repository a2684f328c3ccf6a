// How a person's browser gets access: a one-time code registers the browser's own key (browsers.ts). The worker's token
// never reaches a browser.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../system/errors.ts';

/** Long enough to find the line in the terminal and click it. */
const codeLifeMs = 10 * 60_000;
const pageFolder = 'holdfast-open-';

const folderOf = (home: string): string => join(home, 'codes');
const fileOf = (home: string, code: string): string =>
  join(folderOf(home), createHash('sha256').update(code).digest('hex'));

/** Content of a code's file: when it expires, and the page that carries it, if there is one. */
interface Stored {
  readonly until: number;
  readonly page: string | undefined;
}

/**
 * Creates a code. Its hash names a file in the data folder, so any process of the person can make one and the worker
 * can check it.
 */
export function makeCode(home: string, now: number): string {
  return store(home, now, newCode());
}

/**
 * Creates a code inside a page that redirects the browser to the viewer. The browser gets the path of the page, so the
 * code is in no process list. Only the person can read the page. It is removed when the code is used, or with the next
 * code after it has expired.
 */
export function makeCodePage(home: string, folder: string, port: number, now: number): { code: string; page: string } {
  const code = newCode();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(folder, pageFolder));
  const page = join(own, 'open.html');
  store(home, now, code, page);
  writeFileSync(page, pageText(addressOf(port, code)), { mode: 0o600, flag: 'wx' });
  return { code, page };
}

const newCode = (): string => randomBytes(24).toString('base64url');

/**
 * The code stands after the #, which a browser sends to no server, not even in a Referer. What stands before it is new each time: a program that
 * once had this port may have left a page of its own in the browser's cache, but not for this address.
 */
export const addressOf = (port: number, code: string): string =>
  `http://127.0.0.1:${port}/open?${randomBytes(16).toString('base64url')}#${code}`;

const pageText = (address: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Holdfast</title>
<script>location.replace(${JSON.stringify(address)})</script>
<noscript>The viewer needs JavaScript.</noscript>
`;

function store(home: string, now: number, code: string, page = ''): string {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  sweep(home, (stored) => !(now < stored.until));
  writeFileSync(fileOf(home, code), `${now + codeLifeMs}\n${page}`, { mode: 0o600, flag: 'wx' });
  return code;
}

/** Whether the code is valid; it works once. Of two callers at the same time, only one removes the file. */
export function useCode(home: string, code: string, now: number): boolean {
  const file = fileOf(home, code);
  try {
    const { until, page } = read(file);
    unlinkSync(file);
    removePage(page);
    return now < until && until <= now + codeLifeMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Whether the code is still unused. */
export function isUnused(home: string, code: string): boolean {
  try {
    read(fileOf(home, code));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Ends every code. While the worker was away, another program may have had its port and may have received one. */
export function dropCodes(home: string): void {
  try {
    sweep(home, () => true);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function sweep(home: string, isOver: (stored: Stored) => boolean): void {
  for (const name of readdirSync(folderOf(home))) {
    const file = join(folderOf(home), name);
    try {
      const stored = read(file);
      if (!isOver(stored)) continue;
      rmSync(file, { force: true });
      removePage(stored.page);
    } catch (error) {
      // It was used in the meantime.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
}

function read(file: string): Stored {
  const [until = '', page = ''] = readFileSync(file, 'utf8').split('\n');
  return { until: Number(until), page: page === '' ? undefined : page };
}

function removePage(page: string | undefined): void {
  if (page === undefined || !basename(dirname(page)).startsWith(pageFolder)) return;
  rmSync(dirname(page), { recursive: true, force: true });
}
