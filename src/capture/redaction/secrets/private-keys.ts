// Private keys between their markers, including encrypted keys, PGP blocks, and keys whose end was cut off. A marker without a key stays.
import type { Span } from './span.ts';

const keyMarker =
  /----[- ](BEGIN|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1|OpenVPN tls-crypt-v2 (?:server|client) key)[- ]----/g;
/**
 * What stands between two lines of a key: newlines, also written as `\n`; numbers and marks of a listing; a string that code continues on
 * the next line; the name of a file or a service.
 */
const gap = String.raw`(?:(?:[^A-Za-z+/=]|\\[nr]|["'] ?[+.] ?){0,24}|\r?\n[^\n]{1,80}[:|\]][ \t]?)`;
/** The body of a key without its end. */
const keyBody = new RegExp(`(?:${gap}[A-Za-z0-9+/=]{16,}){0,400}(?:${gap}[A-Za-z0-9+/=]{1,15}(?![\\w.]))?`, 'y');
const shortestBody = 40;
const longestBody = 20_000;
const puttyKey = new RegExp(
  `Private-Lines: \\d{1,3}(?:${gap}[A-Za-z0-9+/=]{16,64}){1,60}(?:${gap}Private-MAC: [0-9a-f]{40,64})?`,
  'g',
);

export const mayHoldPrivateKey = (text: string): boolean =>
  /PRIVATE KEY|Private-Lines|OpenVPN (?:Static|tls-crypt)/.test(text);

/** Linear: one pass over the markers. */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let begin: { at: number; body: number } | undefined;
  const take = (from: number, to: number) => spans.push({ from, to, name: 'private key' });
  const takeUnfinished = ({ at, body }: { at: number; body: number }) => {
    keyBody.lastIndex = body;
    const length = keyBody.exec(text)?.[0].length ?? 0;
    if (length >= shortestBody) take(at, body + length);
  };
  for (const marker of text.matchAll(keyMarker)) {
    const end = marker.index + marker[0].length;
    if (marker[1] === 'BEGIN') {
      if (begin !== undefined) takeUnfinished(begin);
      begin = { at: marker.index, body: end };
    } else if (begin !== undefined) {
      const length = marker.index - begin.body;
      if (length > longestBody) takeUnfinished(begin);
      else if (length >= shortestBody) take(begin.at, end);
      begin = undefined;
    }
  }
  if (begin !== undefined) takeUnfinished(begin);
  if (text.includes('Private-Lines: '))
    for (const key of text.matchAll(puttyKey)) take(key.index, key.index + key[0].length);
  return spans;
}
