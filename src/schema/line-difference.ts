// Two texts → removed, added and kept lines, as in a patch. If the texts are too long or too different, all lines of
// both.
import { diffLines } from 'diff';
import type { Replaced } from './deed.ts';

export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '…';
  readonly text: string;
}

/** The time grows with the product of lines and changes. */
const longest = 200_000;
const mostChanges = 1500;
/** Kept lines on each side of a change. */
const context = 3;

export function lineDifference({ before, after }: Replaced): DiffLine[] {
  const parts =
    before.length + after.length > longest ? undefined : diffLines(before, after, { maxEditLength: mostChanges });
  const whole = parts ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines = whole.flatMap(({ value, added, removed }): DiffLine[] =>
    linesOf(value).map((text) => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
  return near(lines);
}

/** What one edit of a file changed: its parts in order, with a gap between them. */
export const differenceOf = (changes: readonly Replaced[]): DiffLine[] =>
  changes.flatMap((change, i): DiffLine[] => [
    ...(i === 0 ? [] : [{ sign: '…' as const, text: '' }]),
    ...lineDifference(change),
  ]);

/** `+3 −1`, as people count changes. */
export function sizeOf(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  const count = (sign: DiffLine['sign']) => lines.filter((line) => line.sign === sign).length;
  return { added: count('+'), removed: count('-') };
}

/** The end of the last line does not start a new line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Long runs of kept lines become a gap. */
function near(lines: readonly DiffLine[]): DiffLine[] {
  const shown = new Uint8Array(lines.length);
  for (const [i, { sign }] of lines.entries())
    if (sign !== ' ') shown.fill(1, Math.max(0, i - context), Math.min(lines.length, i + context + 1));
  const kept: DiffLine[] = [];
  for (const [i, line] of lines.entries())
    if (shown[i] === 1) kept.push(line);
    else if (kept.at(-1)?.sign !== '…') kept.push({ sign: '…', text: '' });
  return kept;
}
