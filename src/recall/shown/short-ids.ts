// Enough of an id to find it again, at a fraction of its tokens.
import { inOneLine } from '../../language/gist.ts';

const least = 8;
/** Versions 4 and 8: digits without an order, so that the first eight tell a million apart. Others begin with the time, or as they please. */
const random = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-/i;

/** Shortens the given ids so that they stay apart. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const distinct = new Set(ids);
  let length = least;
  while (length < 36 && new Set([...distinct].map((id) => id.slice(0, length))).size < distinct.size) length++;
  return (id) => inOneLine(random.test(id) ? id.slice(0, length) : id);
}
