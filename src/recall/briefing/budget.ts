// How much fits: takes whole items, the most important first, until characters or tokens run out.
import { estimateTokens } from '../../language/tokens.ts';

export interface Claim {
  /** Items of a section stand together under its heading, in the order given. */
  readonly section: string;
  /** Smaller ranks get space first. */
  readonly rank: number;
  readonly text: string;
}

export interface Room {
  readonly characters: number;
  readonly tokens: number;
}

/** The claims that fit, in the order given. After one that does not fit, none of its section is taken: no holes. */
export function allot<T extends Claim>(claims: readonly T[], room: Room, headingOf: (section: string) => string): T[] {
  let { characters, tokens } = room;
  const taken = new Set<T>();
  const begun = new Set<string>();
  const full = new Set<string>();
  const byRank = claims.map((claim, i) => ({ claim, i })).sort((a, b) => a.claim.rank - b.claim.rank || a.i - b.i);
  for (const { claim } of byRank) {
    if (full.has(claim.section)) continue;
    const text = `${begun.has(claim.section) ? '' : headingOf(claim.section)}${claim.text}\n`;
    const cost = estimateTokens(text);
    if (text.length > characters || cost > tokens) {
      full.add(claim.section);
      continue;
    }
    characters -= text.length;
    tokens -= cost;
    begun.add(claim.section);
    taken.add(claim);
  }
  return claims.filter((claim) => taken.has(claim));
}
