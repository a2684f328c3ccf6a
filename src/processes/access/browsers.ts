// The browsers that a person has given access. Each has its own key pair: the private half never leaves the browser,
// and the data folder holds the public half. A browser signs the worker's challenge and gets a bearer, which exists
// only in the memory of that worker and that page. So another program that takes the port learns nothing that opens the
// next worker.
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../system/errors.ts';
import { replaceFile } from '../../system/replace-file.ts';

/** A browser that is unused for this long needs access again. */
const idleLifeMs = 12 * 3_600_000;
const wholeLifeMs = 7 * 86_400_000;
const bearerLifeMs = 3_600_000;
const challengeLifeMs = 60_000;
/** How long the worker may be away (an update, a crash) before browsers need access again. */
const longestAbsenceMs = 60_000;
const noteEveryMs = 15_000;
const maxBearers = 32;
const maxBrowsers = 50;

export interface Browser {
  readonly id: string;
  /** The browser's own name: `Firefox on Linux`. */
  readonly label: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly expiresAt: number;
}

interface Stored extends Browser {
  readonly key: string;
}

export interface Browsers {
  /** The next challenge for a browser to sign. */
  challenge(): string;
  /** Registers a key whose owner has shown a code. Undefined if it is not a key. */
  register(key: string, userAgent: string): string | undefined;
  /** A bearer for the browser that signed the challenge. */
  answer(given: { id: string; challenge: string; signature: string }): string | undefined;
  /** The browser that a bearer was given to, while it has access. */
  holderOf(bearer: string): string | undefined;
  /** Whether a browser still has access; asking counts as a use. */
  admits(id: string): boolean;
  /** Called when the worker gives up the port in good order. */
  close(): void;
}

const folderOf = (home: string): string => join(home, 'browsers');
const heldFile = (home: string): string => join(folderOf(home), 'held');
const fileOf = (home: string, id: string): string => join(folderOf(home), `${id}.json`);

/** What the browser signs. It includes the port, so that another worker's challenge cannot be passed on. */
export const signedText = (port: number, challenge: string): string => `holdfast browser ${port} ${challenge}`;

/** Opens the list for a worker that has just got its port. Removes stale browsers, see `longestAbsenceMs`. */
export function openBrowsers(home: string, port: number, clock: () => number): Browsers {
  dropStale(home, clock());
  const secret = randomBytes(32);
  const seal = (until: string): string => createHmac('sha256', secret).update(until).digest('hex');
  const bearers = new Map<string, { readonly id: string; readonly until: number }>();
  const noted = new Map<string, number>();

  function give(id: string): string {
    const bearer = `b.${id}.${randomBytes(32).toString('hex')}`;
    const own = [...bearers].filter(([, one]) => one.id === id);
    for (const [hash] of own.slice(0, Math.max(0, own.length - maxBearers + 1))) bearers.delete(hash);
    bearers.set(hashOf(bearer), { id, until: clock() + bearerLifeMs });
    return bearer;
  }

  function admits(id: string): boolean {
    const now = clock();
    if (!isValid(readOne(home, id), now)) return false;
    if (Math.abs(now - (noted.get(id) ?? 0)) >= noteEveryMs) {
      noted.set(id, now);
      note(fileOf(home, id), now);
    }
    return true;
  }

  return {
    challenge() {
      const until = String(clock() + challengeLifeMs);
      return `${until}.${seal(until)}`;
    },
    register(key, userAgent) {
      if (publicKey(key) === undefined) return undefined;
      mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
      const [id, now] = [idOf(key), clock()];
      for (const { id: old } of listBrowsers(home, now).slice(maxBrowsers - 1)) revokeBrowser(home, old);
      const record = { key, label: labelOf(userAgent), createdAt: now };
      replaceFile(fileOf(home, id), `${JSON.stringify(record)}\n`, 0o600);
      // Use our clock, not the file system's: a browser that was used in the future gets no access.
      note(fileOf(home, id), now);
      noted.set(id, now);
      return admits(id) ? give(id) : undefined;
    },
    answer({ id, challenge, signature }) {
      const [until = '', sealed = ''] = challenge.split('.');
      const [given, due] = [Buffer.from(sealed, 'hex'), Buffer.from(seal(until), 'hex')];
      if (given.length !== due.length || !timingSafeEqual(given, due) || !(clock() < Number(until))) return undefined;
      const stored = readOne(home, id);
      const key = stored && publicKey(stored.key);
      if (key === undefined || !isValid(stored, clock())) return undefined;
      const bytes = Buffer.from(signature, 'base64url');
      const text = Buffer.from(signedText(port, challenge));
      const isSigned = verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, bytes);
      return isSigned && admits(id) ? give(id) : undefined;
    },
    holderOf(bearer) {
      const hash = hashOf(bearer);
      const found = bearers.get(hash);
      if (found === undefined) return undefined;
      if (clock() < found.until && admits(found.id)) return found.id;
      bearers.delete(hash);
      return undefined;
    },
    admits,
    close() {
      if (ids(home).length === 0) return;
      writeFileSync(heldFile(home), '', { mode: 0o600 });
      note(heldFile(home), clock());
    },
  };
}

/** The browsers that have access now, last used first. */
export function listBrowsers(home: string, now: number): Browser[] {
  return ids(home)
    .map((id) => readOne(home, id))
    .filter((one): one is Stored => isValid(one, now))
    .map(({ key: _, ...shown }) => shown)
    .sort((a, b) => b.usedAt - a.usedAt);
}

/** The worker notices this with the browser's next request; its open streams end within a second. */
export function revokeBrowser(home: string, id: string): boolean {
  if (!/^[0-9a-f]{16}$/.test(id) || !ids(home).includes(id)) return false;
  rmSync(fileOf(home, id), { force: true });
  return true;
}

/** For when another program had the port: its page at our address could have used the browsers' keys. */
export const dropBrowsers = (home: string): void => {
  for (const id of ids(home)) revokeBrowser(home, id);
};

/**
 * While the worker was away, another program could have had its port, and the browser would have run that program's
 * page as ours.
 */
function dropStale(home: string, now: number): void {
  const held = timeOf(heldFile(home)) ?? 0;
  for (const id of ids(home)) {
    const seen = Math.max(held, readOne(home, id)?.usedAt ?? 0);
    if (!(Math.abs(now - seen) <= longestAbsenceMs)) revokeBrowser(home, id);
  }
  rmSync(heldFile(home), { force: true });
  // Drafts of a worker that was killed while it registered a browser.
  for (const name of names(home)) if (name.endsWith('.tmp')) rmSync(join(folderOf(home), name), { force: true });
}

function isValid(browser: Stored | undefined, now: number): browser is Stored {
  // A clock that was set back must not extend a browser's access.
  return browser !== undefined && now < browser.expiresAt && browser.usedAt <= now + longestAbsenceMs;
}

const ids = (home: string): string[] => names(home).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []);

function names(home: string): string[] {
  try {
    return readdirSync(folderOf(home));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The file never changes: its modification time says when the browser was last used, so a use cannot bring back a
 * revoked browser.
 */
function readOne(home: string, id: string): Stored | undefined {
  if (!/^[0-9a-f]{16}$/.test(id)) return undefined;
  try {
    const usedAt = statSync(fileOf(home, id)).mtimeMs;
    const { key, label, createdAt } = JSON.parse(readFileSync(fileOf(home, id), 'utf8'));
    if (typeof key !== 'string' || idOf(key) !== id || !Number.isFinite(createdAt)) return undefined;
    const expiresAt = Math.min(usedAt + idleLifeMs, createdAt + wholeLifeMs);
    return { id, key, label: String(label), createdAt, usedAt, expiresAt };
  } catch (error) {
    // A file that a power cut truncated does not count either.
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function note(file: string, now: number): void {
  try {
    utimesSync(file, now / 1000, now / 1000);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const timeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const idOf = (key: string): string => hashOf(key).slice(0, 16);

/** An uncompressed point of P-256, in base64url: what WebCrypto exports as `raw`. */
function publicKey(key: string): KeyObject | undefined {
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || point[0] !== 4 || point.toString('base64url') !== key) return undefined;
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    // Not a point on the curve.
    return undefined;
  }
}

const programs = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

function labelOf(userAgent: string): string {
  const named = (table: readonly (readonly [string, string])[]) =>
    table.find(([mark]) => userAgent.includes(mark))?.[1];
  return `${named(programs) ?? 'A browser'} on ${named(systems) ?? 'an unknown system'}`;
}
