import { expect, it } from 'vitest';
import { speakerIn, withoutQuotes } from './question.ts';

it('knows whose words a question is about', () => {
  for (const text of ['What did I say about retries?', 'my editor settings', "which tests I've skipped"])
    expect(speakerIn(text), text).toBe('user');
  for (const text of ['What did you suggest for my tests?', 'the library you recommended', 'as you had told me'])
    expect(speakerIn(text), text).toBe('assistant');
  for (const text of ['Where is the retry queue?', 'MY_CONSTANT', 'why do your tests fail when I run them'])
    expect(speakerIn(text), text).toBeUndefined();
});

it('does not take a request for a question about the past', () => {
  expect(speakerIn('Can you suggest a name for my branch?')).toBe('user');
  expect(speakerIn('Could you please recommend a linter?')).toBeUndefined();
  expect(speakerIn('Can you tell me which linter you recommended?')).toBe('assistant');
});

it('removes the quotes from a sentence, never from a query that is nothing else', () => {
  expect(withoutQuotes('who reads "War and Peace"?')).toBe('who reads  War and Peace ?');
  expect(withoutQuotes('"War and Peace"')).toBeUndefined();
  expect(withoutQuotes('who reads it')).toBeUndefined();
});
