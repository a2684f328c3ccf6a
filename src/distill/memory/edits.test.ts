import { expect, it } from 'vitest';
import type { Edit } from '../../store/pages/port.ts';
import { joinPage, parsePage } from './blocks.ts';
import { applyEdits, noticeEdits } from './edits.ts';
import type { TargetBlock } from './page.ts';

/** Blocks as the librarian writes them. `k:a` is the target of a line that begins with an a. */
const derived = (...lines: string[]): TargetBlock[] =>
  parsePage(lines.join('\n\n')).map((block) => ({ ...block, target: `k:${block.text.replace(/\W+/g, '')[0]}` }));

/** Lets a person change the page's text. Returns all edits so far, including the new ones. */
function person(blocks: readonly TargetBlock[], edits: readonly Edit[], change: (text: string) => string) {
  const before = applyEdits(blocks, edits);
  const file = parsePage(change(joinPage(before)));
  const noticed = noticeEdits({ before, whole: true, file, derived: blocks, edits, at: edits.length });
  return [...edits, ...noticed.edits];
}
const page = (blocks: readonly TargetBlock[], edits: readonly Edit[]) =>
  applyEdits(blocks, edits)
    .map(({ text }) => text)
    .join(' | ');

it('lines that a person adds after the same line at different times stay in the order they saw', () => {
  const blocks = derived('# T', '- apple', '- bear');
  let edits = person(blocks, [], (text) => text.replace('- apple\n', '- apple\n\nfirst\n'));
  edits = person(blocks, edits, (text) => text.replace('- apple\n', '- apple\n\nsecond\n'));
  edits = person(blocks, edits, (text) => text.replace('first\n', 'first\n\nthird\n'));
  expect(page(blocks, edits)).toBe('# T | - apple | second | first | third | - bear');
  edits = person(blocks, edits, (text) => text.replace('first\n\n', ''));
  expect(page(blocks, edits)).toBe('# T | - apple | second | third | - bear');
  expect(page(derived('# T', '- zebra', '- apple', '- bear', '- cow'), edits)).toBe(
    '# T | - zebra | - apple | second | third | - bear | - cow',
  );
});

it('an added line whose anchor is gone stays in its section, or else goes to the end', () => {
  const blocks = derived('# T', '- apple', '## Section', '- bear', '## Other', '- cow');
  let edits = person(blocks, [], (text) => text.replace('- bear\n', '- bear\n\nmine\n'));
  edits = person(blocks, edits, (text) => text.replace('- apple\n', '- apple\n\nat the top\n'));
  expect(page(derived('# T', '- apple', '## Section', '## Other', '- cow'), edits)).toBe(
    '# T | - apple | at the top | ## Section | mine | ## Other | - cow',
  );
  expect(page(derived('# T'), edits)).toContain('mine');
  expect(page([], edits).split(' | ').sort()).toEqual(['at the top', 'mine']);
});

it('a line that the person moved stays in its new place', () => {
  const blocks = derived('# T', '- apple', '- bear', '- cow');
  const edits = person(blocks, [], () => '# T\n\n- bear\n- cow\n- apple\n');
  expect(page(blocks, edits)).toBe('# T | - bear | - cow | - apple');
});

it('a line with a few changed words, or with the same key, counts as the same line', () => {
  const blocks = derived('- **apple:** is red and round', '- **bear:** sleeps', '- **cow:** eats');
  const edits = person(blocks, [], () => '- **apple:** is green and round\n- **bear:** other words entirely\n');
  expect(edits.map(({ kind, target }) => [kind, target])).toEqual([
    ['remove', 'k:c'],
    ['change', 'k:a'],
    ['change', 'k:b'],
  ]);
});
