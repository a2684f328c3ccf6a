// Decides whether the person said what a model extracted. The model may have taken it from an agent's text or from tool output without saying so,
// so this compares each statement with the prompts.
import { isTellingWord } from '../language/stop-words.ts';
import type { Turn } from './material.ts';
import { typedText } from './offline/typed-text.ts';

/** The share of a statement's telling words that must occur in one prompt. */
const most = 0.6;
/** Characters read of one prompt. Text beyond this is most likely pasted, so the person did not write it. */
const longestPrompt = 20_000;

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,60}/gu) ?? []).filter(isTellingWord));

/** Returns a test that is true for a statement whose words occur in one typed prompt. */
export function saidByPerson(turns: readonly Turn[]): (text: string) => boolean {
  const prompts = turns.flatMap(({ request }) =>
    request === undefined ? [] : [wordsOf(typedText(request.text.slice(0, longestPrompt)))],
  );
  return (text) => {
    const words = [...wordsOf(text)];
    return (
      words.length > 0 &&
      prompts.some((prompt) => words.filter((word) => prompt.has(word)).length >= most * words.length)
    );
  };
}
