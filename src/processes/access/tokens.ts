// The secret of the data folder: `token` opens everything. A group's token is derived from it and stored nowhere. Hooks
// of older versions use `hook-token`, which can only report. It is no longer created; where it still exists, it works
// until `install` or `repair` replaces those hooks.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group } from '../../schema/group.ts';
import { explain, systemCode } from '../../system/errors.ts';

/** A group reaches only its own sessions. */
export type Access = 'full' | 'report' | { readonly group: string };

export interface Tokens {
  readonly full: string;
  /** Used by hooks that an older version installed. */
  readonly report?: string | undefined;
}

const pattern = /^[0-9a-f]{64}$/;

/** The tokens of a data folder. Creates `token` if it is missing; it stays the same until a person removes the file. */
export const openTokens = (home: string): Tokens => ({
  full: tokenIn(join(home, 'token')),
  report: olderToken(join(home, 'hook-token')),
});

/** Identifies a group: one that is created again under an old name is another group. */
export type Born = Pick<Group, 'name' | 'createdAt'>;

/** What a presented token opens. Takes constant time. */
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

/** `g.<name>.<HMAC-SHA256 of the name and the creation time>`, keyed with the full token. */
export const groupToken = ({ full }: Tokens, { name, createdAt }: Born): string =>
  `g.${name}.${createHmac('sha256', full).update(`holdfast group ${name} ${createdAt}`).digest('hex')}`;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

function tokenIn(file: string): string {
  try {
    for (let round = 0; ; round++) {
      const found = read(file);
      if (found !== undefined && pattern.test(found)) {
        // A file from a backup may have wider permissions.
        chmodSync(file, 0o600);
        return found;
      }
      // An invalid token opens nothing, for example a file that a power cut truncated.
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

/** Linked into place when complete: of two processes one is faster, and both then read the same. */
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
