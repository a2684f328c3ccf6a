// Two texts → a unified diff for a person to read before anything is written.

const context = 3;

export function unifiedDiff(before: string | undefined, after: string | undefined, file: string): string {
  if (before === after) return '';
  const lines = compare(linesOf(before), linesOf(after));
  const name = (text: string | undefined) => (text === undefined ? '/dev/null' : file);
  return [`--- ${name(before)}`, `+++ ${name(after)}`, ...hunks(lines)].join('\n');
}

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const linesOf = (text: string | undefined): string[] =>
  text === undefined || text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);

/**
 * Above this product of lengths, the comparison would take too much time and memory: then all lines count as replaced.
 */
const exact = 4_000_000;

/** The longest common subsequence, after removing the equal beginning and end. */
function compare(a: readonly string[], b: readonly string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const same = (text: string): Line => ({ sign: ' ', text });
  const around = (middle: readonly Line[]) => [
    ...a.slice(0, head).map(same),
    ...middle,
    ...a.slice(a.length - tail).map(same),
  ];
  if (left.length * right.length > exact)
    return around([
      ...left.map((text): Line => ({ sign: '-', text })),
      ...right.map((text): Line => ({ sign: '+', text })),
    ]);
  const best = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      (best[i] as Uint32Array)[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const middle: Line[] = [];
  for (let [i, j] = [0, 0]; i < left.length || j < right.length; ) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      middle.push({ sign: ' ', text: left[i++] as string });
      j++;
    } else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1)))
      middle.push({ sign: '-', text: left[i++] as string });
    else middle.push({ sign: '+', text: right[j++] as string });
  }
  return around(middle);
}

function hunks(lines: readonly Line[]): string[] {
  const near = (i: number) => lines.slice(Math.max(0, i - context), i + context + 1).some((line) => line.sign !== ' ');
  const out: string[] = [];
  let [left, right] = [1, 1];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && near(end)) end++;
    const hunk = lines.slice(i, end);
    const count = (other: '+' | '-') => hunk.filter((line) => line.sign !== other).length;
    if (hunk.length > 0) out.push(`@@ -${left},${count('+')} +${right},${count('-')} @@`);
    for (const { sign, text } of hunk) out.push(sign + text);
    left += count('+');
    right += count('-');
    for (i = end; i < lines.length && !near(i); i++) {
      left++;
      right++;
    }
  }
  return out;
}
