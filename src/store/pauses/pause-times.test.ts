import { describe, expect, it } from 'vitest';
import { coveredBy } from './pause-times.ts';
import type { Pause } from './port.ts';

const hour = 3_600_000;
const year = 365 * 24 * hour;
const now = 1_800_000_000_000;
const boot = 'one';

const holds = (pauses: readonly Pause[], at: number): boolean =>
  pauses.some(({ from, until }) => from <= at && (until === undefined || at < until));

describe('a running pause', () => {
  it('covers everything from its start on while the clock is right', () => {
    const covered = coveredBy({ from: now - hour, began: { boot, ms: 0 } }, { at: now, running: { boot, ms: hour } });
    expect(covered).toEqual([{ from: now - hour, until: undefined }]);
  });

  it('covers new entries after the clock was set back by a year', () => {
    const begun = { from: now + year, began: { boot, ms: 5000 } };
    const covered = coveredBy(begun, { at: now, running: { boot, ms: 5000 + hour } });
    // Before the correction and after it, but not before the pause.
    for (const at of [now + year + 1000, now - hour + 60_000, now, now + hour]) expect(holds(covered, at)).toBe(true);
    expect(holds(covered, now - 2 * hour)).toBe(false);
  });

  it('covers new entries after the clock was set forward by ten years, but not the years between', () => {
    const begun = { from: now - 10 * year, began: { boot, ms: 5000 } };
    const covered = coveredBy(begun, { at: now, running: { boot, ms: 5000 + hour } });
    for (const at of [now - 10 * year + 60_000, now - hour + 60_000, now]) expect(holds(covered, at)).toBe(true);
    for (const at of [now - 9 * year, now - year]) expect(holds(covered, at)).toBe(false);
  });

  it('covers everything after the newest entry at its start if the machine restarted and the clock was set back', () => {
    const begun = { from: now + year, began: { boot, ms: 5000 }, seen: now - 5 * hour };
    for (const running of [undefined, { boot: 'another', ms: hour }, { boot, ms: 10 }]) {
      const covered = coveredBy(begun, { at: now, running });
      expect(holds(covered, now - 4 * hour)).toBe(true);
      expect(holds(covered, now - 6 * hour)).toBe(false);
    }
  });
});
