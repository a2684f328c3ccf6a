// The name of the system's time zone, found as ICU finds it but without loading ICU's tables of locales.
import { existsSync, realpathSync } from 'node:fs';
import { setOwnZone } from '../schema/own-zone.ts';

const zones = '/usr/share/zoneinfo/';
const utc = new Set(['UTC', 'UCT', 'Zulu', 'Universal', 'Etc/UTC', 'Etc/UCT', 'Etc/Zulu', 'Etc/Universal']);

let learned: { readonly tz: string | undefined } | undefined;

/** Once for each value of `TZ`: `Date` keeps to the zone that it found first, even if the link changes. */
export function learnOwnZone(tz: string | undefined): void {
  if (learned !== undefined && learned.tz === tz) return;
  learned = { tz };
  setOwnZone(ownTimeZone(tz));
}

/** Undefined if it cannot be read off `TZ` or the link /etc/localtime. */
export function ownTimeZone(
  tz: string | undefined,
  link: () => string = () => realpathSync('/etc/localtime'),
): string | undefined {
  const name = tz ?? linked(link);
  if (name === undefined) return undefined;
  if (utc.has(name)) return 'UTC';
  // Other names (EST, Etc/GMT+5, posix/…) have special meanings.
  return /^(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:\/[A-Za-z_-]+)+$/.test(name) &&
    existsSync(zones + name)
    ? name
    : undefined;
}

function linked(link: () => string): string | undefined {
  try {
    const target = link();
    const at = target.lastIndexOf('/zoneinfo/');
    return at < 0 ? undefined : target.slice(at + '/zoneinfo/'.length);
  } catch {
    // There is no such link.
    return undefined;
  }
}
