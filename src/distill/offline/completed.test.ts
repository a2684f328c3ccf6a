import { describe, expect, it } from 'vitest';
import { partsOfCompleted } from '../../schema/completed-text.ts';
import { type Completed, completedText } from './completed.ts';

const nothing: Completed = { done: [], modified: [], commits: [], opened: [], released: [], passed: [] };

describe('the text of what a session completed', () => {
  it('counts the commits that it does not name', () => {
    const many = completedText({ ...nothing, commits: ['a', 'b', 'c', 'd', 'e', 'f'] });
    expect(many).toBe('Committed: “a”, “b”, “c”, “d” and 2 more.');
    expect(partsOfCompleted(many)).toEqual({ outcome: '', commits: ['a', 'b', 'c', 'd'] });
    expect(completedText(nothing)).toBe('');
  });

  it('of an older version has the outcome and the commits in it', () => {
    const text = completedText({
      ...{ done: ['Fixed the summer hours.'], modified: ['table.ts', 'a.ts'] },
      ...{ commits: ['fix: hours', 'docs: hours. At last'], opened: ['Opened PR #7.'], released: ['npm publish'] },
      passed: ['npm test'],
    });
    expect(partsOfCompleted(text)).toEqual({
      outcome: 'Fixed the summer hours. Opened PR #7.',
      commits: ['fix: hours', 'docs: hours. At last'],
    });
  });

  it.each(['The fix was committed.', 'Modified the table. Ran it.', ''])('of a model is the outcome: %j', (text) =>
    expect(partsOfCompleted(text)).toEqual({ outcome: text, commits: [] }),
  );
});
