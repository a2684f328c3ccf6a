// ④ A second pass over the best hits, with their texts: complete names count more, repetitions count less.
import type { Features } from './ranking/features.ts';
import type { Ranked } from './ranking/rank.ts';

export interface Candidate<T> extends Ranked {
  readonly found: T;
  readonly text: string;
  /** Names and paths of the query that its text contains as typed. */
  readonly whole: readonly string[];
  /** Of an entry: the features that made its score. */
  readonly features?: Features | undefined;
}

const wholeBoost = 0.3;
/** The same for a score that is a sum of weighted features: about as much as one of them. */
const wholePoints = 0.5;
/** From this cosine on, two texts begin to say the same. */
const alike = 0.9;
/** How much of its score a repetition loses: the same words, and the same meaning where it is a text's or a tool use's. */
const lostBySameWords = 0.5;
const lostByMeaning = { text: 0.5, use: 0.15 } as const;
/** Further down, repetitions do not matter. */
const mostCompared = 50;
const mostNames = 8;

/**
 * Names, paths, codes and versions of a query (`useAuthStore`, `src/auth/jwt.ts:42`, `ERR_MODULE_NOT_FOUND`), without the punctuation
 * around them.
 */
export function namesIn(query: string): string[] {
  const tokens = query.slice(0, 2000).match(/[\p{L}\p{N}_$@#/~.][^\s"“”'’,;()<>]*/gu) ?? [];
  const names = tokens
    .map((token) => token.replace(/[.:!?…]+$/u, ''))
    .filter(
      (token) =>
        /[\p{L}\p{N}][_./\\:@#-][\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u.test(token) ||
        /^[$@#/~.]\S*[\p{L}\p{N}]/u.test(token),
    );
  return [...new Set(names)].slice(0, mostNames);
}

/** Best first, at most `limit`. `similarity` compares two places. */
export function refine<T>(
  ranked: readonly (Ranked & { readonly features?: Features | undefined })[],
  options: {
    /** The item at each place. */
    readonly read: ReadonlyMap<number, T>;
    readonly textOf: (found: T) => string;
    /** What must be equal in a repetition. Empty: nothing repeats it word for word. Absent: the text. */
    readonly saidBy?: ((found: T) => string) | undefined;
    /** True if scores are sums of weighted features. */
    readonly isSum?: boolean | undefined;
    readonly names: readonly string[];
    readonly similarity?: ((a: number, b: number) => number) | undefined;
    /** True if the text is only a part of the hit, as an entry of its session: two hits that share it say more than that. */
    readonly isPart?: boolean | undefined;
    readonly limit: number;
  },
): Candidate<T>[] {
  const { read, textOf, saidBy = textOf, isSum = false, names, similarity, isPart = false, limit } = options;
  const left = ranked.flatMap((one): Candidate<T>[] => {
    const found = read.get(one.place);
    if (found === undefined) return [];
    const text = textOf(found);
    const whole = names.filter((name) => hasWhole(text, name));
    const share = names.length === 0 ? 0 : whole.length / names.length;
    const score = isSum ? one.score + wholePoints * share : one.score * (1 + wholeBoost * share);
    return [{ ...one, score, found, text, whole }];
  });
  // Stable: equal scores stay in the order of the ranking.
  left.sort((a, b) => b.score - a.score);
  if (isPart) return left.slice(0, limit);
  const chosen: Candidate<T>[] = [];
  const scores = left.map(({ score }) => score);
  // Two edits of one function are near to each other, and not the same work.
  const byMeaning = isSum ? lostByMeaning.use : lostByMeaning.text;
  /** With how many of the chosen each was compared. Only the best of the rest must be, because comparing never raises a score. */
  const compared = left.map(() => 0);
  while (chosen.length < limit && left.length > 0) {
    let best = 0;
    if (chosen.length < mostCompared)
      for (let i = 1; i < left.length; i++) if ((scores[i] as number) > (scores[best] as number)) best = i;
    const one = left[best] as Candidate<T>;
    const said = saidBy(one.found);
    const others = chosen.slice(compared[best], mostCompared - 1);
    compared[best] = chosen.length;
    for (const other of others) {
      const near = ((similarity?.(one.place, other.place) ?? 0) - alike) / (1 - alike);
      const lost = said !== '' && saidBy(other.found) === said ? lostBySameWords : byMeaning * near;
      if (lost > 0) scores[best] = Math.min(scores[best] as number, one.score * (1 - lost));
    }
    if (others.length > 0 && chosen.length < mostCompared) continue;
    chosen.push({ ...one, score: scores[best] as number });
    for (const list of [left, scores, compared]) list.splice(best, 1);
  }
  return chosen;
}

function hasWhole(text: string, name: string): boolean {
  const [inText, wanted] = [text.toLowerCase(), name.toLowerCase()];
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_]/u.test(char);
  for (let at = inText.indexOf(wanted); at >= 0; at = inText.indexOf(wanted, at + 1))
    if (!isWord(inText[at - 1]) && !isWord(inText[at + wanted.length])) return true;
  return false;
}
