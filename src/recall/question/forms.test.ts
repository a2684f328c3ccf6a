import { expect, it } from 'vitest';
import { formsOf } from './forms.ts';
import { parseKeywords } from './keywords.ts';

const spelled = (query: string) =>
  formsOf(parseKeywords(query)).map((forms) =>
    forms.map(({ words, prefix }) => `${words.join(' ')}${prefix ? '*' : ''}`),
  );

it('lists each term with the parts of its name', () => {
  expect(spelled('retries useAuthStore')).toEqual([['retries'], ['useauthstore', 'use auth store']]);
});

it('lists each term with the beginning of its word', () => {
  expect(spelled('ошибка сервера')).toEqual([
    ['ошибка', 'ошибк*'],
    ['сервера', 'сервер*'],
  ]);
});

it('has no terms for a query without words', () => {
  expect(spelled('…')).toEqual([]);
});
