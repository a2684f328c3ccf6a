import { expect, it } from 'vitest';
import { choiceIn, choiceText } from './choice.ts';

it('the statement of a choice gives back question and answer', () => {
  const choice = { question: 'Where is “it” kept?', answer: 'In the result.' };
  expect(choiceIn(choiceText(choice))).toEqual(choice);
});

it('a statement that tells something else is no choice', () => {
  expect(choiceIn('The person chose pnpm.')).toBeUndefined();
});
