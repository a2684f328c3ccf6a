import { expect, it } from 'vitest';
import { sentencesIn } from './sentences.ts';

it('a text of several sentences or lines has each of them, in order', () => {
  expect(sentencesIn('I want to learn pottery. By the way, my car was towed!\n- the second line of it')).toEqual([
    'I want to learn pottery.',
    'By the way, my car was towed!',
    '- the second line of it',
  ]);
});

it('a sentence that is too short joins the next one, at the end the one before', () => {
  expect(sentencesIn('Sure! Hm. The tests pass again now. The build does so too. Done?')).toEqual([
    'Sure! Hm. The tests pass again now.',
    'The build does so too. Done?',
  ]);
});

it('a single sentence, a few words or nothing have no sentences beside the whole', () => {
  for (const text of ['', '\n', 'The tests pass again now.', 'No. Not yet.', 'see src/auth.ts:42, v1.2.3'])
    expect(sentencesIn(text)).toEqual([]);
});

it('a long text has none: it would have dozens', () => {
  const sentence = 'This is one of very many sentences. ';
  expect(sentencesIn(sentence.repeat(27)).length).toBe(27);
  expect(sentencesIn(sentence.repeat(28))).toEqual([]);
});
