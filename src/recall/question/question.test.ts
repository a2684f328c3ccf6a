import { expect, it } from 'vitest';
import { looksLikeCommit, speakerIn, withoutQuotes } from './question.ts';

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

it('recognises the message of a commit', () => {
  for (const text of [
    'Add a retry to the sender of batches',
    "Don't drop the last batch",
    'fix(login): keep the session of a second tab',
    'store/search: read fewer rows\n\nA long text follows: why did it read so many?',
  ])
    expect(looksLikeCommit(text), text).toBe(true);
  for (const text of [
    'Why did we drop the retry queue?',
    'Where the token is refreshed',
    'Tell me what we decided',
    'The retry queue of the sender',
    'flaky login test',
    'Postgres',
    'I wanted the counters in the report',
    '',
  ])
    expect(looksLikeCommit(text), text).toBe(false);
});
