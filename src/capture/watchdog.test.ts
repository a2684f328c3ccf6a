import { describe, expect, it } from 'vitest';
import { type Beat, watchdog } from './watchdog.ts';

/** How many calls it takes until the watchdog reports; undefined if it never does. */
function looksUntilTold(place: (look: number) => Beat | undefined): number | undefined {
  let at = 0;
  const look = watchdog(() => place(at));
  for (; at < 500; at++) if (look() !== undefined) return at;
  return undefined;
}

describe('the watchdog', () => {
  it('reports a line that does not end, after twenty looks', () => {
    expect(looksUntilTold(() => ({ source: 3, pos: 100 }))).toBe(20);
  });
  it('reports a file whose lines all take too long', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look * 1000 }))).toBe(20);
  });
  it('accepts a large file that makes progress, and many small ones', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look * 100_000 }))).toBeUndefined();
    expect(looksUntilTold((look) => ({ source: Math.floor(look / 10), pos: 0 }))).toBeUndefined();
  });
  it('counts no time while nothing is read', () => {
    expect(looksUntilTold((look) => (look % 15 === 0 ? undefined : { source: 3, pos: 100 }))).toBeUndefined();
  });
  it('starts again when a file is read again from the start', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look < 15 ? 5000 : 0 }))).toBe(35);
  });
});
