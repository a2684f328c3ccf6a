// The secret of the data folder: `token` opens everything. A group's token is made from it, and stored nowhere. Hooks of older versions carry
// `hook-token`, which can only report. Nothing makes it any more; where it still is, it holds until `install` or `repair` replaces those hooks.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group } from '../../schema/group.ts';
import { explain, systemCode } from '../../system/errors.ts';

/** A group reaches its own sessions, and nothing else. */
export type Access = 'full' | 'report' | { readonly group: string };

export interface Tokens {
  readonly full: string;
  /** Of hooks that an older version installed. */
  readonly report?: string | undefined;
}

const pattern = /^[0-9a-f]{64}$/;

/** The tokens of a data folder. The first is made where it is missing, and stays the same until a person removes the file. */
export const openTokens = (home: string): Tokens => ({
  full: tokenIn(join(home, 'token')),
  report: olderToken(join(home, 'hook-token')),
});

/** Which group it is: one that is made again under an old name is another. */
export type Born = Pick<Group, 'name' | 'createdAt'>;

/** What a presented token opens. Takes the same time whatever it says. */
export async function accessOf(
  tokens: Tokens,
  presented: string,
  groupNamed: (name: string) => Promise<Born | undefined>,
): Promise<Access | undefined> {
  const full = same(presented, tokens.full);
  const report = tokens.report !== undefined && same(presented, tokens.report);
  const name = /^g\.([a-z0-9_-]{1,63})\.[0-9a-f]{64}$/.exec(presented)?.[1];
  const group = name === undefined ? undefined : await groupNamed(name);
  if (group !== undefined && same(presented, groupToken(tokens, group))) return { group: group.name };
  return full ? 'full' : report ? 'report' : undefined;
}

/** `g.<name>.<HMAC-SHA256 of the name and the time it was made>`, by the token that opens everything. */
export const groupToken = ({ full }: Tokens, { name, createdAt }: Born): string =>
  `g.${name}.${createHmac('sha256', full).update(`holdfast group ${name} ${createdAt}`).digest('hex')}`;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

function tokenIn(file: string): string {
  try {
    for (let round = 0; ; round++) {
      const found = read(file);
      if (found !== undefined && pattern.test(found)) {
        // A copy from a backup may have come with wider rights.
        chmodSync(file, 0o600);
        return found;
      }
      // What is no token opens nothing; half a file of a power cut, say.
      if (found !== undefined) rmSync(file, { force: true });
      create(file);
      if (round > 10) throw new Error('it keeps changing');
    }
  } catch (error) {
    throw explain(error, file);
  }
}

function olderToken(file: string): string | undefined {
  try {
    const found = read(file);
    if (found === undefined || !pattern.test(found)) return undefined;
    chmodSync(file, 0o600);
    return found;
  } catch (error) {
    throw explain(error, file);
  }
}

/** Linked into place when it is whole: of two processes one is faster, and both then read the same. */
function create(file: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
