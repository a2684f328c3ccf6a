import { expect, it } from 'vitest';
import { choiceIn, choiceText } from './choices.ts';

it.each(['', 'state file: '])('a statement of a choice after “%s” gives back question and answer', (key) => {
  const statement = key + choiceText({ question: 'Where is “it” kept?', answer: 'In the result.' });
  const parts = choiceIn(statement);
  expect(parts?.question).toBe('Where is “it” kept?');
  expect(parts?.after).toContain('In the result.');
  expect(`${parts?.before}${parts?.question}${parts?.after}`).toBe(statement);
});

it('a statement that tells something else is no choice', () => {
  expect(choiceIn('The person chose pnpm.')).toBeUndefined();
});
