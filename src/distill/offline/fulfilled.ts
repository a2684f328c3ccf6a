// What the person wanted to be so for good, in the words in which the agent told at the end how it is now.

import { cut, inOneLine, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { withWish } from '../../schema/statement-form.ts';
import type { Turn } from '../material.ts';
import { describes, isPast, namesIn } from './claim.ts';
import { withoutLead } from './lead.ts';
import type { Reading } from './observe.ts';
import { planOf } from './plan.ts';
import { asksFor } from './preamble.ts';
import { isRefuted } from './refuted.ts';
import { inPieces, wordsOf } from './request.ts';
import { capital, ended } from './say.ts';
import { answerSentences } from './sentences.ts';
import { takenBack } from './taken-back.ts';
import { typedText } from './typed-text.ts';
import { keyOf } from './wishes.ts';

/** Longer prompts are pasted for the most part, and so are the later sentences of a prompt. */
const longestPrompt = 700;
const mostSentences = 8;
const mostOfSession = 4;

/** How something is to be. Only a norm, a contrast or the end of something lasts longer than one deed. */
const wants =
  /\b(?:should|must|want|let['’]?s|instead of|rather than|no longer|any ?more|don['’]?t (?:need|use)|do not (?:need|use)|ensure|make sure|needs? to|by default|as default|default .{2,20} (?:to|is)|(?:can|could|to)(?: we)? remove|rename|call (?:it|ours|them)|switch to|no need)\b|^(?:please |also |and )*(?:remove|rename|use|mention|keep|replace|always|never|only)\b/i;
/** A doubt, or how something was. */
const doubts = /\b(?:not sure|wonder|otherwise|would|why|whether|was|were|ran|had|did)\b/i;
/** About the work, its delivery and its tools. */
const ofTheWork =
  /\b(?:commit\w*|push\w*|merg\w+|rebas\w+|prs?|pull requests?|branch(?:es)?|worktrees?|review\w*|tests?|tested|testing|coverage|spawn\w*|workers?|sub-?agents?|agents? to|changelog|screenshots?|issues?|beads?|tickets?|todos?|plan|continue|explain|lint\w*|format\w*|typos?|chat|talk|discuss|again|first|now|question|comments?)\b/i;
/** How something looks or is worded. The next look replaces it. */
const ofLooks =
  /\b(?:colou?r\w*|tones?|palettes?|icons?|logos?|badges?|buttons?|headers?|footers?|sentences?|wording|labels?|titles?|margins?|padding|spacing|fonts?|widths?|heights?|pixels?|px|modals?|banners?|bold|layout|styl\w+|aligned?|centered|left|right|top|bottom)\b/i;

/** The agent speaks of itself, of the listener or of its work instead of how things are. */
const narrates =
  /^(?:to|fixed|need|kept|renamed?|updated tests|it|a (?:great|good|better))\b|\b(?:i|i'll|me|my|we|we'll|let's|you|your|needs? to|verified|verification|pass(?:es|ed)?|green|commit\w*|pushed|branch|pr|pull request|tests?|lint\w*|line \d|lines \d|\d+ files?|typecheck)\b|\?|[:…]$|→|https?:/i;
const speaker =
  /^(?:(?:i|we)(?:['’]ve| have)? (?:also |now |just |successfully )*)?(?:(?:updated|changed|adjusted|adapted|kept|made) (?:it|this|that|them)\b[^:]{0,40}: |(?:added|included) (?:a |the )?notes? that )|^(?:i|we)(?:['’]ve| have)? (?:also |now |just |successfully )*(?=\w+ed\b|kept\b|made\b|set\b|put\b)/i;
const faulty =
  /^(?:ensure|root cause|keep)\b|\b(?:current implementation|limitation|can lead to|exited|fail(?:s|ed|ing)?|crash\w*|issue|problem|bug)\b/i;
const pointsBack = /^(?:this|that|these|those|it|its|they|their|them|both|here|there|kept|same)\b/i;

/** Where something stands in a file moves with each change. */
const position = / \((?:at )?lines? \d+(?:[-–]\d+)?\)|(?<=\.\w{1,5}):\d+(?:-\d+)?(?=`|\b)/gi;
const plain = (text: string): string => inOneLine(text.replaceAll('’', "'").replace(position, ''));

const fewestShared = 3;
const leastShare = 0.4;
const leastNamed = 0.25;

/** Sentences of the last answer that repeat a wish of the prompt, if nothing says that the person was not content. */
export function fulfilledIn(turns: readonly Turn[], readings: readonly Reading[]): KeyedStatement[] {
  const undone = takenBack(readings);
  const found = new Map<string, KeyedStatement>();
  for (const [i, reading] of readings.entries()) {
    const { turn, deeds } = reading;
    if (deeds.modified.length === 0 || undone.has(i) || isRefuted(turns, turn) || planOf(turn) !== undefined) continue;
    const wishes = wishesIn(turn);
    if (wishes.length === 0) continue;
    const told = answerSentences(reading)
      .map(({ text }) => withoutLead(withoutLead(plain(text)).text.replace(speaker, '')).text)
      .filter((text) => /^\S+(?: \S+){6}/.test(text) && text.length <= 330 && isTold(text));
    for (const wish of wishes) {
      const best = closest(wish, told);
      if (best === undefined) continue;
      const text = withWish(ended(capital(best)), cut(wish, 200));
      found.set(keyOf(wish), { key: cut(`wish: ${keyOf(wish)}`, 80), text, saidBy: 'agent' });
    }
  }
  return [...found.values()].slice(-mostOfSession);
}

/** What was done, or how it is from then on. */
const done =
  /^(?:\S+(?: \S+)?: |`[^`]+` (?:[—–-] )?)?(?!need|fail|inde)[a-z]{3,}ed\b|^(?:made|set|split|wrote)\b|\b(?:now|no longer|by default|defaults to)\b|\b(?:has|have) been \w+ed\b/i;

/** Neither an order, nor how it was, what is wrong, or what would be good. */
const isTold = (text: string): boolean =>
  (done.test(text) || describes(text)) &&
  !/\b(?:should|could|would|documented|documentation|notes?|practice|solution)\b/i.test(text) &&
  !narrates.test(text) &&
  !pointsBack.test(text) &&
  !asksFor.test(text) &&
  !faulty.test(text) &&
  (!isPast(text.replace(/^\w+ed\b/, '')) || /\bno longer\b/i.test(text));

function wishesIn({ request }: Turn): string[] {
  const text = request?.text ?? '';
  if (text === '' || text.length > longestPrompt || request?.form !== undefined) return [];
  return sentencesOf(typedText(text))
    .slice(0, mostSentences)
    .flatMap((sentence) => inPieces(sentence.text))
    .filter(
      (piece) =>
        piece.length >= 20 &&
        piece.length <= 300 &&
        wants.test(piece) &&
        !/[?:]$|\.\.$/.test(piece) &&
        !/^(?:description|expected|actual|steps)\b/i.test(piece) &&
        !doubts.test(piece) &&
        !ofTheWork.test(piece) &&
        !ofLooks.test(piece),
    );
}

/** The sentence that shares the most words with the wish, and a name or enough of them. */
function closest(wish: string, told: readonly string[]): string | undefined {
  const wanted = new Set(wordsOf(wish));
  const names = namesIn(wish);
  let best: { readonly text: string; readonly shared: number } | undefined;
  for (const text of told) {
    const words = wordsOf(text);
    const repeated = words.filter((word) => wanted.has(word)).length;
    const named = repeated > 0 ? names.filter((name) => text.includes(name)).length : 0;
    const shared = repeated + named;
    if (shared < (named > 0 ? 2 : fewestShared) || shared < (named > 0 ? leastNamed : leastShare) * wanted.size)
      continue;
    if (namesIn(text).length === 0 && shared < leastShare * words.length) continue;
    if (best === undefined || shared > best.shared) best = { text, shared };
  }
  return best?.text;
}
