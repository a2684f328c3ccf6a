// How a person's browser gets in: a code that opens once becomes a cookie. The token itself is in no address and no cookie.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Long enough to find the line in the terminal and click it. */
const codeLifeMs = 10 * 60_000;
const cookieLifeMs = 30 * 86_400_000;

const folderOf = (home: string): string => join(home, 'codes');
const fileOf = (home: string, code: string): string =>
  join(folderOf(home), createHash('sha256').update(code).digest('hex'));

/** A new code. Its print is a file in the data folder, so that any process of the person can make one and a worker that was restarted takes it. */
export function makeCode(home: string, now: number): string {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  sweep(home, now);
  const code = randomBytes(24).toString('base64url');
  writeFileSync(fileOf(home, code), String(now + codeLifeMs), { mode: 0o600, flag: 'wx' });
  return code;
}

/** Whether the code opens; after that it does not. Of two who come at once, one removes the file. */
export function useCode(home: string, code: string, now: number): boolean {
  const file = fileOf(home, code);
  try {
    const until = Number(readFileSync(file, 'utf8'));
    unlinkSync(file);
    return now < until && until <= now + codeLifeMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function sweep(home: string, now: number): void {
  for (const name of readdirSync(folderOf(home))) {
    const file = join(folderOf(home), name);
    try {
      if (!(now < Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true });
    } catch (error) {
      // Somebody has used it meanwhile.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
}

/** Cookies know no port: the name keeps two workers apart. */
const nameOf = (port: number): string => `holdfast-${port}`;

const seal = (token: string, port: number, until: number): string =>
  createHmac('sha256', token).update(`holdfast viewer ${port} ${until}`).digest('hex');

/** Derived from the token: a worker that was restarted still knows it, and a new token ends all of them. */
export function cookieFor(token: string, port: number, now: number): string {
  const until = now + cookieLifeMs;
  const attributes = `Path=/; Max-Age=${cookieLifeMs / 1000}; HttpOnly; SameSite=Strict`;
  return `${nameOf(port)}=${until}.${seal(token, port, until)}; ${attributes}`;
}

/** Whether one of the cookies that were sent is ours. Another server on this machine may have set one of the same name. */
export function opensByCookie(header: string, token: string, port: number, now: number): boolean {
  return header.split(';').some((part) => {
    const given = new RegExp(`^\\s*${nameOf(port)}=(\\d{1,15})\\.([0-9a-f]{64})\\s*$`).exec(part);
    if (given === null) return false;
    const until = Number(given[1]);
    const sealed = Buffer.from(given[2] as string, 'hex');
    return timingSafeEqual(sealed, Buffer.from(seal(token, port, until), 'hex')) && now < until;
  });
}
