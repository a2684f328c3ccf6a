// ④ A question → its cosines with what is stored, by the available model.
import type { Searched } from '../../embedding/embedder.ts';
import { explain } from '../../system/errors.ts';
import { type Question, weighted } from '../question/question.ts';
import type { MeaningSearch, MeaningState } from '../vectors/index.ts';

export interface Comparison<T> {
  readonly cosines?: T;
  readonly vector?: Int8Array;
  readonly note?: string | undefined;
}

/** The result of `scan` for the question's vector. If that fails, keywords must do, and the note says so. */
export async function compare<T>(
  { search: vectors, note }: Pick<MeaningState, 'search' | 'note'>,
  question: Question,
  rarity: readonly number[],
  scan: (vectors: MeaningSearch, query: Int8Array) => Promise<T>,
  among: Searched = 'conversations',
): Promise<Comparison<T>> {
  if (vectors === undefined) return { note };
  try {
    const vector = await vectors.embed(question.text, weighted(question, rarity), among);
    return vector === undefined ? { note } : { cosines: await scan(vectors, vector), vector, note };
  } catch (error) {
    return { note: `Found by words alone: ${explain(error, 'the embedder').message}` };
  }
}
