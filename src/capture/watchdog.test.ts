import { describe, expect, it } from 'vitest';
import { type Beat, watchdog } from './watchdog.ts';

/** How many looks it takes until the place is told; undefined where it never is. */
function looksUntilTold(place: (look: number) => Beat | undefined): number | undefined {
  let at = 0;
  const look = watchdog(() => place(at));
  for (; at < 500; at++) if (look() !== undefined) return at;
  return undefined;
}

describe('the watchdog', () => {
  it('tells of a line that does not end, after twenty looks', () => {
    expect(looksUntilTold(() => ({ source: 3, pos: 100 }))).toBe(20);
  });
  it('tells of a file whose lines all take too long', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look * 1000 }))).toBe(20);
  });
  it('is content with a large file that goes on, and with many small ones', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look * 100_000 }))).toBeUndefined();
    expect(looksUntilTold((look) => ({ source: Math.floor(look / 10), pos: 0 }))).toBeUndefined();
  });
  it('counts no time in which nothing is read', () => {
    expect(looksUntilTold((look) => (look % 15 === 0 ? undefined : { source: 3, pos: 100 }))).toBeUndefined();
  });
  it('begins again when a file is read again from the start', () => {
    expect(looksUntilTold((look) => ({ source: 3, pos: look < 15 ? 5000 : 0 }))).toBe(35);
  });
});
