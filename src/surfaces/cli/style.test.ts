import { describe, expect, it } from 'vitest';
import { describe as describeProgress, progressBar } from './progress.ts';
import { bytes, clean, oneLine, styles, table } from './style.ts';

describe('text for a terminal', () => {
  it('loses control characters, but not line breaks', () => {
    expect(clean('a\x1b[31mred\x1b[0m\x07\x1b]0;title\x07b\r\n\tc\u202e')).toBe('aredb\n\tc');
  });

  it('fits on one line without cutting a character in half', () => {
    expect(oneLine('one\n two', 20)).toBe('one two');
    expect(oneLine('🙂🙂🙂🙂', 3)).toBe('🙂🙂…');
  });

  it('has colours only when asked for', () => {
    expect(styles(false).red('x')).toBe('x');
    expect(styles(true).red('x')).toBe('\x1b[31mx\x1b[39m');
  });

  it('lines columns up', () => {
    expect(
      table(
        [
          ['a', 'b'],
          ['long', 'c'],
        ],
        (cell) => cell,
      ),
    ).toBe('a     b\nlong  c');
  });

  it('names sizes', () => {
    expect([bytes(12), bytes(1500), bytes(25_000_000)]).toEqual(['12 B', '1.5 kB', '25 MB']);
  });
});

describe('progress', () => {
  it('shows files, size, speed and the time left', () => {
    expect(describeProgress({ files: 3, totalFiles: 10, bytes: 5e6, totalBytes: 2e7 }, 1000)).toBe(
      '3/10 files  5.0 MB of 20 MB  5.0 MB/s  3 s left',
    );
  });

  it('writes whole lines without a terminal, and not too many', () => {
    let written = '';
    let now = 0;
    const bar = progressBar({ write: (text) => (written += text) }, () => now);
    for (; now <= 11_000; now += 100) bar.update({ files: 1, totalFiles: 2, bytes: 1, totalBytes: 2 });
    bar.clear();
    expect(written.split('\n')).toHaveLength(3);
    expect(written).not.toContain('\x1b');
  });
});
