// Enough of an id to find it again, at a fraction of its tokens.
import { inOneLine } from '../../language/gist.ts';

const least = 8;
/**
 * Versions 4 and 8: random digits, so that the first eight distinguish a million ids. Other ids may begin with anything.
 */
const random = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-/i;

/** Version 7: the first twelve digits are the millisecond of creation. */
const timed = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/i;
const wholeTime = 13;

/** Shortens the given ids so that they stay distinct. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const distinct = new Set(ids);
  let length = least;
  while (length < 36 && new Set([...distinct].map((id) => id.slice(0, length))).size < distinct.size) length++;
  return (id) => {
    if (random.test(id)) return inOneLine(id.slice(0, length));
    return inOneLine(timed.test(id) ? id.slice(0, Math.max(wholeTime, length)) : id);
  };
}
