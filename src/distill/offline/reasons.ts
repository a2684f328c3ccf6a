// Finds the sentence of a description that gives the reason: the first one that states a cause or a limit and names something.

import { type Sentence, sentencesOf } from '../../language/gist.ts';
import { isDated, isDeed, isWhole, namesIn, namesSubject, withPoint } from './claim.ts';
import { isContract } from './contracts.ts';
import { isOutside } from './outside.ts';
import { capital, ended } from './say.ts';

export interface Insight {
  readonly text: string;
  readonly at: string;
  readonly about: string;
}

/** Sections about the checking of a change, not about its reason. */
const asideHeading =
  /\b(?:tests?|testing|test plan|verif\w+|validat\w+|checklist|how to review|screenshots?|follow-?ups?|out of scope|notes? for|files?|alternatives?)\b/i;
/** About tests, reviews and the text itself. */
const aside =
  /\b(?:tests?|tested|coverage|fixtures?|lint\w*|review(?:er|ers|ed|s)?|nits?|typos?|refactor\w*|no (?:behaviou?r|functional) changes?|unchanged|unaffected|co-authored|signed-off|generated with|clos(?:es|ed) #|for now|first cut|temporar\w+)\b|@v?\d+\.\d|\bTest[A-Z]\w+|_test\.|\.test\./i;
/** Names something early that only the text before it explains. */
const pointsBack =
  /^(?:\S+\s+){0,4}?(?:this|that(?= [A-Z])|these|those|it|its|they|their|them|both|such|same|another|former|latter)\b(?!-)|^(?:but )?(?:the (?:first|second|third|last|next|other)|that|others?|each|one|two|three|he|she|you|i|and|so|also|then|however|still|yet|on top|in addition|additionally)\b(?!-)|\b(?:previous|earlier|above|below|following|this) (?:commit|change|fix|pr|code|approach|version|section)\b|\b(?:handled|described|mentioned|noted|shown|listed|defined|explained) (?:above|below)\b|(?<=[\w`)] )(?<!\b(?:that|if|when|where|since|because|so|and|but|as|while|until|unless|or|whether|is|are|then|than) )there\b(?!['’-])/i;
/** After a title that names the trouble, `this` is the trouble. */
const happens = /^(?:this|it) (?:\w+ ){0,2}\w+ because\b/i;
/** `Secondary: …` belongs to a list. */
const label = /^(?!root cause)[A-Z][\w ]{0,24}: /i;
/** Not within a word such as `read-only`. */
const cause =
  /(?<![\w-])(?:because|since|so|otherwise|which (?:means|makes|meant|made)|means|meant|cannot|can't|could not|couldn't|never|only|must|unless|but|instead of|rather than|to prevent|to avoid|not|without|until|requires?|no longer|caused)(?![\w-])|n't\b/i;

/** A reason by its form alone, wherever it stands. */
const outright =
  /\bfails?\b.{0,80}\bwhen\b|\brel(?:ies|y|ying) on\b.{0,80}\b(?:fails?|breaks?|loses?)\b|\bas (?:the )?\S+(?: \S+)? (?:requires?|demands?|expects?)\b|\b(?:is|are|was|were) replaced (?:by|with)\b|\bno longer\b|\bgoing forward\b|\bbelongs? (?:in|on|under)\b/i;

/** Reasons stand at the beginning of a description. What follows tells of details and tests, unless it states a reason outright. */
const looked = 5;
const longest = 330;

/** The reason, as a whole sentence, with the next one if there is room. Undefined if the text states none. */
export function reasonIn(body: string): string | undefined {
  const sentences = sentencesOf(body).filter(({ heading }) => !asideHeading.test(heading));
  const early = sentences.slice(0, looked).findIndex(isReason);
  const first = early < 0 ? sentences.findIndex(isOutright) : early;
  if (first < 0) return undefined;
  const whole = (sentences[first] as Sentence).text;
  const rest = whole.replace(/^(?:but|previously|currently),? (?=\S)/i, '');
  const text = rest === whole ? whole : capital(rest);
  const next = sentences[first + 1];
  const both = next === undefined || !isReason(next) ? undefined : `${ended(text)} ${next.text}`;
  if (both !== undefined && both.length <= longest) return ended(both);
  return ended(next === undefined ? text : withPoint(ended(text), next.text));
}

/** What else a description says that holds from then on: what is replaced or over, and what a variable of the environment does. */
export function settledIn(body: string, told: string, withContracts: boolean): string[] {
  return sentencesOf(body).flatMap((sentence, i, all) => {
    const { text, heading } = sentence;
    if (asideHeading.test(heading) || before.test(heading) || told.includes(text.slice(0, 60))) return [];
    const states =
      isOutright(sentence) || setsUp(sentence) || prevents(sentence) || (withContracts && isContract(sentence));
    if (checked.test(text) || !states) return [];
    const whole = withPoint(ended(text), all[i + 1]?.text ?? '');
    // That a function no longer does something says little without what it does instead.
    return isOver.test(text) && whole === ended(text) && !isBuiltUpon.test(text) ? [] : [whole];
  });
}

const isOver = /\bno longer\b/i;
/** Flags, variables and settings are what people use. */
const isBuiltUpon = /(?:^|\s|`)--[a-z]|[A-Z\d]+_[A-Z]|\b(?:command|flag|option|setting)s?\b/;

const before = /\b(?:problem|issue|bug|background|context|before|motivation|root cause|why)\b/i;
const checked = /^(?:kept|confirmed|verified|tested|checked|reviewed|fail(?:s|ed)|pass(?:es|ed))\b/i;
/** What a step between two things of the code keeps from happening. */
const prevents = (sentence: Sentence): boolean =>
  /\bto (?:prevent|avoid) .{20,}$/i.test(sentence.text) && namesIn(sentence.text).length > 1 && isReason(sentence);
/** The name of a variable of the environment. */
const variable = /(?<![\w$.{-])[A-Z][A-Z\d]*_[A-Z\d_]*[A-Z\d](?![\w(])/;
const isSet =
  /\b(?:env|environment|set|sets|unset|export|enabled?|disabled?|gated|configur\w+|raises?|lowers?|overrides?|defaults?)\b|[A-Z]=/;
const setsUp = (sentence: Sentence): boolean =>
  variable.test(sentence.text) &&
  isSet.test(sentence.text) &&
  isWhole(ended(sentence.text), 6) &&
  isUnderstood(sentence);

const isReason = (sentence: Sentence): boolean =>
  isWhole(ended(sentence.text)) &&
  cause.test(sentence.text) &&
  namesIn(sentence.text).length > 0 &&
  standsAlone(sentence);

const isOutright = (sentence: Sentence): boolean =>
  isWhole(ended(sentence.text), 6) &&
  outright.test(sentence.text) &&
  (namesIn(sentence.text).length > 0 || isOutside(sentence.text)) &&
  standsAlone(sentence);

const standsAlone = (sentence: Sentence): boolean =>
  isUnderstood(sentence) && (!isDeed(sentence.text) || givesReason(sentence.text));

const isUnderstood = ({ text }: Sentence): boolean =>
  (happens.test(text) || !pointsBack.test(text)) &&
  (!/^(?:the|our|an?)\s/i.test(text) || namesSubject(text)) &&
  !label.test(text) &&
  !aside.test(text) &&
  !isDated(text);

/** `Drop the alias, since every command binds it` tells of the change, and why. */
const givesReason = (text: string): boolean => because.test(text) || (purpose.test(text) && namesIn(text).length > 1);
const because = /,? (?:because|since) (?!this\b|that\b|it\b|they\b)\S+ .{12,}$/i;
/** What a step between two things of the code is for. */
const purpose =
  /\bto (?:prevent|avoid) .{20,}$|,? so (?:that )?(?!this\b|that\b|it\b|they\b)\S+ (?=.{12,}$).*\b(?:only|never|always|cannot|can't|must|stays?|keeps?|regardless|whatever)(?![\w-])/i;

/** Whether a title says that something is mended. What follows is then the cause rather than a decision. */
export const mends = (title: string): boolean => /^(?:[\w/.-]+: )?(?:hot|bug ?)?fix(?:e[sd])?\b/i.test(title);

/** The text below headings that match, without the headings. */
export function sectionsOf(text: string, heading: RegExp): string {
  let within = false;
  return text
    .split('\n')
    .filter((line) => {
      const title = /^#{1,4}\s+(.+)$/.exec(line)?.[1];
      if (title !== undefined) within = heading.test(title);
      return within && title === undefined;
    })
    .join('\n');
}
