import { describe, expect, it } from 'vitest';
import { joinPage, parseBody, parsePage } from './blocks.ts';

const texts = (page: string) => parsePage(page).map(({ text }) => text);

describe('a page in blocks', () => {
  it('has fields, headings, list items with their indented lines, paragraphs and fenced code', () => {
    const page =
      '---\ntitle: x\ntags:\n  - a\n  - b\n---\n\n# X\n\nOne\nline.\n\n- a\n  more of a\n\n  still a\n- b\n\n```sh\n# no heading\n\n- no item\n```\n\nEnd.\n';
    expect(texts(page)).toEqual([
      'title: x',
      'tags:\n  - a\n  - b',
      '# X',
      'One\nline.',
      '- a\n  more of a\n\n  still a',
      '- b',
      '```sh\n# no heading\n\n- no item\n```',
      'End.',
    ]);
  });

  it('becomes the same text again', () => {
    for (const page of [
      '---\na: 1\n---\n\n# X\n\n- a\n- b\n\nText\n',
      '# X\nclose\n- item\n- item\n\n```\ncode\n```\nafter code\n',
      'only text\n',
      '1. one\n2. two\n\n   more\n',
      '---\na: 1\n---\n',
    ])
      expect(joinPage(parsePage(page))).toBe(page);
  });

  it('treats an unclosed fence as text, so that it does not swallow the page', () => {
    expect(texts('```\n\n# Heading\n\n- a')).toEqual(['```', '# Heading', '- a']);
  });

  it('reads the line ends of every system, and a byte order mark', () => {
    expect(texts('\uFEFF---\r\na: 1\r\n---\r\n\r\n# X\r\n\r\n- a\r\n')).toEqual(['a: 1', '# X', '- a']);
  });

  it('does not mistake a line of dashes in the middle for frontmatter', () => {
    expect(texts('# X\n\n---\n\na: 1\n\n---\n')).toEqual(['# X', '---', 'a: 1', '---']);
    expect(texts('---\nnever closed')).toEqual(['---\nnever closed']);
    expect(texts('---\n---\nbody')).toEqual(['body']);
  });

  it('survives writing and reading with the same blocks, whatever the text', () => {
    const pieces = [
      '# h',
      '- a',
      '  b',
      '',
      '',
      '```',
      'text',
      '---',
      'k: v',
      '1. n',
      '    code',
      '~~~',
      '\t',
      '-',
      '#',
    ];
    let state = 1;
    const next = (n: number) => {
      state = (state * 48271) % 2147483647;
      return state % n;
    };
    for (let round = 0; round < 3000; round++) {
      const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join('\n');
      const once = joinPage(parsePage(text));
      expect(joinPage(parsePage(once)), JSON.stringify(text)).toBe(once);
      expect(
        parsePage(once).map((block) => block.text),
        JSON.stringify(text),
      ).toEqual(texts(text));
      expect(parseBody(text).every((block) => block.text !== '')).toBe(true);
    }
  });
});
