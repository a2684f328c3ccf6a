import { describe, expect, it } from 'vitest';
import { type Completed, completedParts, completedText } from './completed.ts';

const nothing: Completed = { done: [], modified: [], commits: [], opened: [], released: [], passed: [] };

describe('the text of what a session completed', () => {
  it('gives back its commits, and the sentences about the work alone', () => {
    const text = completedText({
      ...{ done: ['Fixed the summer hours.'], modified: ['table.ts'], commits: ['fix: hours', 'docs: hours. At last'] },
      ...{ opened: ['Opened PR #7.'], released: ['npm publish'], passed: ['npm test'] },
    });
    const { commits, done } = completedParts(text);
    expect(commits).toEqual({
      list: '“fix: hours” and “docs: hours. At last”',
      messages: ['“fix: hours”', '“docs: hours. At last”'],
    });
    expect(done[0]).toBe('Fixed the summer hours.');
    expect(done.join(' ')).not.toMatch(/Modified|Ran|npm test/);
  });

  it('counts the commits that it does not name', () => {
    const many = completedText({ ...nothing, commits: ['a', 'b', 'c', 'd', 'e', 'f'] });
    expect(many).toBe('Committed: “a”, “b”, “c”, “d” and 2 more.');
    expect(completedParts(many).commits?.messages).toEqual(['“a”', '“b”', '“c”', '“d”']);
    expect(completedParts(many).commits?.list).toBe('“a”, “b”, “c”, “d” and 2 more');
  });

  it('has no commits if a model wrote of them in other words, or if there is no text', () => {
    expect(completedParts('The fix was committed.')).toEqual({ commits: undefined, done: ['The fix was committed.'] });
    expect(completedParts('')).toEqual({ commits: undefined, done: [] });
    expect(completedText(nothing)).toBe('');
  });
});
