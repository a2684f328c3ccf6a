// What counts as a word, for the query and the snippet alike: what FTS5's unicode61 tokenizer would produce.

import { cut } from '../../language/gist.ts';
import { spell } from '../../store/search/segment.ts';
import { HoldfastError } from '../../system/errors.ts';

/** Only the beginning of a longer query is used: more text adds nothing to the choice of words, and must not cost time. */
export const longestQuery = 10_000;

export const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

export const hasWord = (text: string): boolean => /[\p{L}\p{N}\p{Co}]/u.test(text);

/** No index contains pictures, but a model may know what they mean. */
export const isSearchable = (query: string): boolean =>
  hasWord(query) || /[\p{Extended_Pictographic}\p{RI}]/u.test(query);

/** By meaning, everything is more or less like `***`. */
export function refuseUnsearchable(query: string): void {
  if (isSearchable(query)) return;
  throw new HoldfastError('BAD_INPUT', `There is nothing to search for in ${JSON.stringify(cut(query, 40))}`, {
    hint: 'Give a word, a number or a name, such as: flaky login test',
  });
}

/** Lower case without diacritics, as the index folds it. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  for (let i = 0; i < lower.length; i++)
    if (lower.charCodeAt(i) > 127)
      return spell(lower)
        .normalize('NFD')
        .replace(/\p{M}+/gu, '')
        .normalize('NFC');
  return lower;
}
