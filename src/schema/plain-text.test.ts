import { expect, it } from 'vitest';
import { withoutControls } from './plain-text.ts';

it('removes colours, moves, titles and links that a terminal would obey, and keeps the words', () => {
  const shown = '\x1b[?2026h\x1b[1mContext\x1b[22m \x1b[38;2;136;136;136m66k\x1b[39m of 200k';
  expect(withoutControls(shown)).toBe('Context 66k of 200k');
  expect(withoutControls('\x1b]0;a title\x07text \x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\')).toBe('text link');
  expect(withoutControls('\x1bcone\r\ntwo\rthree\tfour\x00\x9b2J')).toBe('one\ntwo\nthree\tfour');
  // The same twice: a pattern that remembers its place would miss the second.
  for (let round = 0; round < 3; round++) expect(withoutControls('\x1b[31mred\x1b[0m')).toBe('red');
});

it('leaves plain text as it is, and stays fast where sequences have no end', () => {
  const plain = 'array[0] = "[38m"; // ünïcödé 灯塔\n\tnext';
  expect(withoutControls(plain)).toBe(plain);
  expect(withoutControls('\x1b]'.repeat(50_000))).toHaveLength(0);
});
