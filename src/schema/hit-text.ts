// What the command line and the viewer say about hits.
import type { Hit } from './hit.ts';

/** Kinds that are derived from entries. */
export const derivedKinds = ['observation', 'summary', 'memory'] as const;
export type DerivedKind = (typeof derivedKinds)[number];

export const isDerived = (kind: string): kind is DerivedKind => (derivedKinds as readonly string[]).includes(kind);

/** Whether a hit contains words of the query, rather than only being similar. */
export const hasWords = ({ why = [], snippet, touched }: Pick<Hit, 'why' | 'snippet' | 'touched'>): boolean =>
  snippet.includes('«') || touched !== undefined || why.some((one) => /^(?:words: |has )/.test(one));

export const onlySimilar = 'Nothing has these words. Similar in meaning:';
