// Whether the person said what a model took from a conversation. A model may take it from an agent's text or from the output of a tool, and says nothing
// about that; the prompts do.
import { isTellingWord } from '../language/stop-words.ts';
import type { Turn } from './material.ts';
import { typedText } from './offline/request.ts';

/** The share of its telling words that must stand in one prompt. */
const most = 0.6;
/** Of one prompt: more of it is pasted, and pasted text is not the person's. */
const longestPrompt = 20_000;

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,60}/gu) ?? []).filter(isTellingWord));

/** True for a statement whose words stand in something that the person typed. */
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
