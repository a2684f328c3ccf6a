// Passwords and tokens in addresses: `https://user:password@host`, `redis://:password@host`, `https://TOKEN@github.com`.
import { isPlaceholder } from './placeholder.ts';
import type { Span } from './span.ts';

/** From `://` on: the user name, and a password of any characters that people use. `isPassword` below rules out the exceptions. */
const userAndPassword =
  /:\/\/([^\s/:@"'`<>(){}\\,;]{0,200}):((?:[^\s/":<>\\]|:(?!\/\/)){1,1000})@([\w[][\w.[\]-]{0,254})/y;
/** The same with slashes in the password. It ends at the next `@`. */
const withSlashes = /:\/\/([^\s/:@"'`<>(){}\\,;]{0,200}):((?:[^\s@":<>\\]|:(?!\/\/)){1,1000})@([\w[][\w.[\]-]{0,254})/y;
/** A token in place of a user name. */
const tokenAsUser = /:\/\/(?=[A-Za-z_-]{0,60}\d)((?=[\w-]{0,200}[A-Za-z])[\w-]{16,255})@[\w-]{1,60}\./y;

/** The same with a word for the password, or none: `https://TOKEN:x-oauth-basic@github.com`. */
const tokenBeforeWord =
  /:\/\/(?=[A-Za-z_-]{0,60}\d)((?=[\w-]{0,200}[A-Za-z])[\w-]{16,255}):(?:x-oauth-basic|x-oauth|)@[\w-]{1,60}\./y;

/** The secret in the address whose `://` is at `at`. The span covers the password alone. */
export function findInAddress(text: string, at: number): Span | undefined {
  const before = tokenIn(tokenBeforeWord, text, at);
  if (before !== undefined) return before;
  for (const shape of [userAndPassword, withSlashes]) {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (found === null) continue;
    const [whole, user = '', password = '', host = ''] = found;
    if (isPassword(password, host)) {
      const from = at + 4 + user.length;
      return { from, to: at + lengthTo(whole, host), name: 'password' };
    }
  }
  return tokenIn(tokenAsUser, text, at);
}

function tokenIn(shape: RegExp, text: string, at: number): Span | undefined {
  shape.lastIndex = at;
  const token = shape.exec(text)?.[1];
  return token === undefined ? undefined : { from: at + 3, to: at + 3 + token.length, name: 'token' };
}

const lengthTo = (whole: string, host: string): number => whole.length - host.length - 1;

function isPassword(password: string, host: string): boolean {
  // A port and a path, as in `http://localhost:3000/@vite/client`; another address; the digest of a container image.
  if (/^\d{1,5}(?:[/?#]|$)/.test(password) || password.includes('://') || host === 'sha256') return false;
  // Code that builds an address: a quotation mark next to something other than a letter or digit.
  if (/(?:^|\W)['`]|['`](?:\W|$)/.test(password) || /[(){}[\]]/.test(password.slice(0, 1))) return false;
  if (password.includes('/') && !/[.:\]\w]/.test(host)) return false;
  return !isPlaceholder(password) && !/^(?:pass|password|passwd|pwd|pw|PASSWORD|PASS)$/.test(password);
}
