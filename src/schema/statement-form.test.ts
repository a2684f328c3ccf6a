import { describe, expect, it } from 'vitest';
import {
  commitText,
  coreOf,
  endingIn,
  endingKey,
  formIn,
  planText,
  remarkText,
  withoutSource,
  withSource,
} from './statement-form.ts';

describe('the form of a statement', () => {
  it.each([
    ['commit', commitText('Moor ships by size.')],
    ['plan', planText('Moor ships by size.')],
    ['remark', remarkText('Moor “all” ships', 'Moor ships by size.')],
  ] as const)('%s is found in its text, and taken off it', (form, text) => {
    expect(formIn(text)).toBe(form);
    expect(coreOf(text, form)).toBe('Moor ships by size.');
  });

  it('is absent in other texts, which stay whole', () => {
    const text = 'The commit was decided in a commit: no.';
    expect(formIn(text)).toBeUndefined();
    expect(coreOf(text, undefined)).toBe(text);
  });
});

describe('the ending of a statement', () => {
  it.each([
    { by: 'removal', of: 'TideCursor' },
    { by: 'amendment', of: 'Spool: large pushes' },
  ] as const)('is found in the key of an older one: $by', (ending) => {
    expect(endingIn(endingKey(ending))).toEqual(ending);
  });

  it.each(['change: cursor', 'removed: ', 'is removed: TideCursor'])('is absent in the key %j', (key) => {
    expect(endingIn(key)).toBeUndefined();
  });
});

it('a fact is compared without its source', () => {
  expect(withoutSource(withSource('A boat may moor twice.', 'pull request', 'Drop TideCursor'))).toBe(
    'A boat may moor twice.',
  );
  expect(withoutSource('A boat may moor twice.')).toBe('A boat may moor twice.');
});
