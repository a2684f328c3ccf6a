// How long ago, in four columns: for lists.

const units = [
  [365 * 24 * 3600, 'y'],
  [30 * 24 * 3600, 'mo'],
  [7 * 24 * 3600, 'w'],
  [24 * 3600, 'd'],
  [3600, 'h'],
  [60, 'm'],
] as const;

export function ageOf(moment: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(moment)) / 1000);
  const unit = units.find(([length]) => seconds >= length);
  return unit === undefined ? '0m' : `${Math.floor(seconds / unit[0])}${unit[1]}`;
}
