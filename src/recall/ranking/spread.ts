// ④ Keeps a session with very many hits from filling the list.

/** The first `most` hits of each session, and those beyond. Both keep their order. */
export function spread<T>(
  hits: readonly T[],
  most: number,
  sessionOf: (hit: T) => unknown,
): { readonly first: readonly T[]; readonly beyond: readonly T[] } {
  if (most === Number.POSITIVE_INFINITY) return { first: hits, beyond: [] };
  const counts = new Map<unknown, number>();
  const [first, beyond]: [T[], T[]] = [[], []];
  for (const hit of hits) {
    const session = sessionOf(hit);
    const count = (counts.get(session) ?? 0) + 1;
    counts.set(session, count);
    (count > most ? beyond : first).push(hit);
  }
  return { first, beyond };
}
