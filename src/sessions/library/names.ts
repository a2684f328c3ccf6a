// Session ids are file names. Checks ids, and turns names into ids.
import { randomBytes } from 'node:crypto';

export type SessionErrorCode = 'BAD_ID' | 'BAD_NAME' | 'NAME_TAKEN' | 'BAD_MESSAGES' | 'BAD_OPTION';

/** What the caller did wrong, and what to do instead. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly code: SessionErrorCode;
  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const longest = 64;
const reserved = /^(index|metadata|last_session|con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?$/i;

/** Accepts or refuses an id. Never changes it. */
export function checkId(id: unknown): string {
  const problem = problemOf(id);
  if (problem === undefined) return id as string;
  throw new SessionError('BAD_ID', `${JSON.stringify(id) ?? String(id)} cannot be a session id: ${problem}`);
}

export const canBeId = (id: string): boolean => problemOf(id) === undefined;

function problemOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'it must be a text';
  if (id === '') return 'it is empty';
  if (id.includes('..')) return 'it must not contain ".."';
  if (!/^[a-zA-Z0-9_.-]+$/.test(id)) return 'only letters, digits, "_", "." and "-" are allowed';
  if (id.length > 255 - '.json.tmp.0000000000000-00000000'.length) return 'it is too long';
  if (reserved.test(id)) return 'this name is reserved';
  return undefined;
}

/** Turns a name into an id: lower case, other characters as dashes, no repeated dots. Sanitises first, then checks. */
export function idOfName(name: unknown): string {
  if (typeof name !== 'string') throw new SessionError('BAD_NAME', 'The name of a session must be a text');
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/-+/g, '-')
    .replace(/\.+/g, '.')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '');
  const problem = /[a-z0-9_]/.test(id) ? problemOf(id) : 'it has no letter a–z, no digit and no "_"';
  if (problem === undefined) return id;
  throw new SessionError('BAD_NAME', `${JSON.stringify(name)} cannot name a session: ${problem}`);
}

/** `2025-01-04-14-32-15-001-k3f9x2ab`, in UTC. */
export function newId(now: Date): string {
  const random = Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
  return `${now.toISOString().slice(0, -1).replace(/[T:.]/g, '-')}-${random}`;
}
