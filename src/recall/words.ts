// What counts as a word, for the query and the snippet alike: what FTS5's unicode61 tokenizer would produce.
import { spell } from '../store/segment.ts';

export const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

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
