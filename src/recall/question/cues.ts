// ④ What the wording of a question, an entry's text and its tools say about each other: the last features, for the best entries alone.

import { shell } from '../../agents/tools/shell-tools.ts';
import { modifies } from '../../language/files-touched.ts';
import type { UseAt } from '../../store/entries/port.ts';
import { at, type Features } from '../ranking/features.ts';

/** What a question seems to ask for. Several may be true. */
export interface Cues {
  readonly command: boolean;
  readonly error: boolean;
  readonly reason: boolean;
  readonly request: boolean;
  readonly place: boolean;
}

export function cuesOf(question: string): Cues {
  return {
    command:
      /\b(?:commands?|run|ran|running|invoke\w*|flags?|scripts?|cli|install\w*|how (?:did|do) (?:we|i|you)|how to)\b/i.test(
        question,
      ),
    error:
      /\b(?:errors?|fail\w*|broke\w*|crash\w*|refus\w*|complain\w*|wrong|bugs?|why (?:did|was|were)|exceptions?|missing|reject\w*|denied|stuck)\b/i.test(
        question,
      ),
    reason: /\b(?:why|reasons?|decid\w*|decision|choose|chose|rather|instead|prefer\w*)\b/i.test(question),
    request: /\b(?:I (?:ask|want|told|request|said|need)\w*|asked|wanted|my|me)\b/i.test(question),
    place:
      /\b(?:where|which (?:file|module|folder|place|class|function)|files?|modules?|folders?|place|located)\b/i.test(
        question,
      ),
  };
}

const reads = /^(?:read\w*|grep|glob|search\w*|view\w*|open\w*)$/i;
/** A longer text says more than what is about to happen. */
const longestAnnouncement = 300;
const announcement =
  /^(?:(?:now|next|ok(?:ay)?|good|great|perfect|excellent|first|i see|alright|right)[,.!:]? )*(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i need to|now i|next i|time to|checking|looking)\b/i;

/** True for a line such as `Let me check the tests`, which announces work and reports no result. */
export const announces = (text: string): boolean => {
  return text.length < longestAnnouncement && announcement.test(text);
};

/** Adds the features of an entry's text and tools. */
export function addCues(
  features: Features,
  cues: Cues,
  entry: { readonly text: string; readonly prompt: boolean; readonly uses: readonly UseAt[] },
): void {
  if (features[at.inTurn] !== 1) return;
  const { text, prompt, uses } = entry;
  const failed = uses.some(({ outcome }) => outcome === 'error');
  if (announces(text)) features[at.announces] = 1;
  if (failed) features[at.failed] = 1;
  if (cues.command && uses.some(({ tool }) => shell.test(tool))) features[at.commandAsked] = 1;
  if (cues.error && failed) features[at.errorAsked] = 1;
  if (cues.reason && !prompt && text.length > 200) features[at.reasonAsked] = 1;
  if (cues.request && prompt) features[at.requestAsked] = 1;
  if (cues.place && uses.some(({ tool }) => modifies.test(tool) || reads.test(tool))) features[at.placeAsked] = 1;
}
