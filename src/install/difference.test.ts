import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './difference.ts';

const numbered = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i}`).join('\n');

describe('a diff of a settings file', () => {
  it('shows the changed lines with three lines around them', () => {
    const before = `${numbered(9, 'line')}\n`;
    expect(unifiedDiff(before, before.replace('line 5', 'lamp'), '/home/a/settings.json')).toBe(
      [
        '--- /home/a/settings.json',
        '+++ /home/a/settings.json',
        '@@ -3,7 +3,7 @@',
        ' line 2',
        ' line 3',
        ' line 4',
        '-line 5',
        '+lamp',
        ' line 6',
        ' line 7',
        ' line 8',
      ].join('\n'),
    );
  });

  it('names no file that did not exist before, or no longer exists after', () => {
    expect(unifiedDiff(undefined, '{}\n', 'a.json')).toBe('--- /dev/null\n+++ a.json\n@@ -0,0 +1,1 @@\n+{}');
    expect(unifiedDiff('{}\n', undefined, 'a.json')).toBe('--- a.json\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-{}');
  });

  it('is empty for equal texts, and ignores how lines end', () => {
    expect(unifiedDiff('a\n', 'a\n', 'a.json')).toBe('');
    expect(unifiedDiff('a\r\nb', 'a\nb\nc\n', 'a.json')).toBe('--- a.json\n+++ a.json\n@@ -1,2 +1,3 @@\n a\n b\n+c');
  });

  it('replaces all lines of files that have too little in common', () => {
    const diff = unifiedDiff(numbered(5000, 'old'), numbered(4000, 'new'), 'a.json').split('\n');
    expect(diff[2]).toBe('@@ -1,5000 +1,4000 @@');
    expect(diff).toHaveLength(3 + 9000);
  });
});
