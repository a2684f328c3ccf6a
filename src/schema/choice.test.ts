import { expect, it } from 'vitest';
import { choiceIn, choicesInReply, choiceText, replyText } from './choice.ts';

it('the statement of a choice gives back question and answer', () => {
  const choice = { question: 'Where is “it” kept?', answer: 'In the result.' };
  expect(choiceIn(choiceText(choice))).toEqual(choice);
});

it('a statement that tells something else is no choice', () => {
  expect(choiceIn('The person chose pnpm.')).toBeUndefined();
});

it('a reply gives back its questions and answers, also with paragraphs, and leaves out an answer without its question', () => {
  const choices = [
    { question: 'Which harbour?', answer: 'The northern one.\n\nIt is deeper.' },
    { question: 'Which boat?', answer: 'Moor' },
  ];
  expect(choicesInReply(replyText(choices))).toEqual(choices);
  expect(choicesInReply(replyText([{ answer: 'Moor' }, ...choices]))).toEqual(choices);
});
