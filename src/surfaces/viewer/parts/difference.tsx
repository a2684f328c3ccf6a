import { wordDifference } from '../word-difference.ts';

/** What changed between two texts, word by word, also for screen readers. */
export function Difference({ before, after }: { before: string; after: string }) {
  return (
    <p class="difference">
      {wordDifference(before, after).map((part, i) =>
        part.added ? (
          <ins key={i}>{part.value}</ins>
        ) : part.removed ? (
          <del key={i}>{part.value}</del>
        ) : (
          <span key={i}>{part.value}</span>
        ),
      )}
    </p>
  );
}
