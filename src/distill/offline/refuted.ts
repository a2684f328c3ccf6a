// Whether what comes after a turn shows that its findings were wrong.

import { isAnswer } from '../../language/open-ends.ts';
import type { Turn } from '../material.ts';

/** Answers to which the person objects may be wrong. */
const objects =
  /^\W*(?:no|nope|wrong|actually|incorrect|that'?s (?:not|wrong)|not (?:really|quite|what)|hm+|but|why|are you sure|i (?:don'?t|do not) think|still|(?:it |that |this )?(?:doesn'?t|does not|didn'?t|did not|isn'?t|is not))\b|\bthe same (?:errors?|issues?|problems?|failures?|results?)\b|\bstill (?:fails?|failing|broken|getting|get|see|the same|not|doesn'?t|happens|happening)\b/i;

/** A line that reports an error, long enough to be that error and no other. */
const reports = /error|exception|fail|cannot|could not|unable|denied|not found|panic|fatal|\bE[A-Z]{4,}\b/i;
const shortest = 20;
const longest = 400;
const looked = 12_000;
const mostLines = 200;

/** The lines of a text that report errors, without what differs from run to run. */
const errorsIn = (text: string): string[] =>
  text
    .slice(0, looked)
    .split('\n', mostLines)
    .map((line) => line.trim().slice(0, longest))
    .filter((line) => line.length >= shortest && reports.test(line))
    .map((line) => line.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' '));

const failedOutputs = ({ toolUses }: Turn): string[] =>
  toolUses.flatMap(({ outcome, output }) => (outcome === 'error' ? [output ?? ''] : []));

/** A question that goes on from the answer. */
const asksOn = /^\W*(?:but|why|hm+|actually|are you sure|so)\b[^.!]*\?\s*$/i;
/** The agent grants an objection. */
const concedes =
  /^\W*(?:(?:ok(?:ay)?|ah+|oh|hm+|yes|no)\W+)?(?:you(?:['’]re| are| have|['’]ve) (?:absolutely |completely |totally |quite )?(?:right|correct|caught)|your (?:instinct|intuition|smell|objection|concern) is|good (?:catch|point|pushback)|fair\b|i was (?:wrong|sloppy|mistaken)|my (?:mistake|bad)|correction\b|i apologi[sz]e|sorry\b|i overstated|i misread|that was wrong)/i;

/** Whether the person objects in the next prompt, shows there an error that the turn was to explain, or asks a question after which the agent takes something back. */
export function isRefuted(turns: readonly Turn[], turn: Turn): boolean {
  const next = turns[turns.indexOf(turn) + 1];
  const said = next?.request?.text ?? '';
  if (said === '') return false;
  const asked = asksOn.test(said.slice(0, 300));
  if (asked && next?.entries.some((entry) => isAnswer(entry) && concedes.test(entry.text.slice(0, 120)))) return true;
  if (!asked && objects.test(said.slice(0, 300))) return true;
  const known = new Set([turn.request?.text ?? '', ...failedOutputs(turn)].flatMap(errorsIn));
  return known.size > 0 && errorsIn(said).some((error) => known.has(error));
}
