// The terms of a query, each with its other spellings: an entry that has any of them contains the term.
import type { KeywordQuery, KeywordTerm } from '../../store/search/port.ts';

export function formsOf({ terms, variants = [] }: KeywordQuery): (readonly KeywordTerm[])[] {
  return terms.map((term) => [term, ...variants.filter((variant) => isFormOf(variant, term))]);
}

/** The beginning of its word, or the parts of its name. */
function isFormOf({ words, prefix }: KeywordTerm, term: KeywordTerm): boolean {
  const whole = term.words.join('');
  const spelled = words.join('');
  return spelled === whole || (prefix && words.length === 1 && term.words.length === 1 && whole.startsWith(spelled));
}
