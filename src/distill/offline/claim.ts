// Judges by its form whether a sentence says how something works, and can be read alone months later.

import { asksFor } from './preamble.ts';
import { identifier } from './request.ts';

const everyName = new RegExp(identifier.source, 'g');

/** Code, files and flags that a text names, each once. Numbers of issues and versions name nothing. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    (text.match(everyName) ?? [])
      .map((name) => name.replaceAll('`', '').trim())
      .filter((name) => !/^#?v?\d[\d.]*/.test(name)),
  ),
];

/** Words that set a limit, a condition or a reason. */
const limits =
  /\b(?:only|never|always|must|cannot|can't|not|n't|no|without|unless|until|because|since|so|instead of|rather than|even (?:if|when|though)|regardless|requires?|needs?|otherwise|whenever|at most|at least|by default|by design)\b|n't\b/gi;

/** The subject is the speaker, the listener, or something in earlier text. */
const pointsBack =
  /^(?:\S+\s+){0,2}?(?:this|that|these|those|it|its|they|their|them|he|she|i|we|you|there|here|both|such|same|another|others?|former|latter|first|second|third|one|two|three|each|also|then|and|but|or|so|still|yes|no,|now)\b(?!-)|\b(?:i|i'm|i've|i'd|i'll|me|my|you|your|you're|let's|we'll|above|below|following|earlier|previous(?:ly)?|aforementioned)\b/i;

/** Tense and adverbs of a moment: it was so, or is so only now. */
const passing =
  /\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't|been|used to|no longer|now|currently|today|yet|already|still|before|after that|just|recently|will|won't|would|wouldn't|might|may have|could|should|likely|probably|perhaps|maybe|seems?|appears?|presumably|first cut|for now|temporar\w+|latest|newest|most recent)\b/i;
/** A past tense right after the subject. After `is`, a preposition or a conjunction it is a participle. */
const pastVerb =
  /^(?:\S+\s+){1,4}?(?<!\b(?:is|are|be|being|get|gets|the|a|an|as|of|with|by|on|when|if|not|and|or|every|any|all|no|never|only|has|have)\s)(?:\w{3,}ed|wrote|built|said|made|came|went|took|kept|ran|threw|gave|found|broke|left|sent|got|lost)(?!\S)(?! (?:on|by|from|via|with|in|against|at|to|as|under|for)\b)/i;

/** Whether a sentence tells how it was. */
export const isPast = (text: string): boolean =>
  /\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't|previously|used to|until now)\b/i.test(text) ||
  pastVerb.test(text.replace(/`[^`]*`/g, '`x`'));

const version = String.raw`\bv?\d+\.\d+(?:\.\d+)?\b`;
const dated = new RegExp(
  String.raw`\b(?:latest|newest|current|most recent)\b.{0,40}?${version}|^\W*(?:(?:the |actual )*(?:root cause|issue|problem|reason|cause)\b[^.]{0,12}?(?::|—|–|\bis that|\bwas that)\W*)?(?:the )?(?:versions? |releases? |tags? )?${'`?'}${version}`,
  'i',
);

/** Whether a sentence is about one version, which the next one replaces. */
export const isDated = (text: string): boolean => dated.test(text);

/** The work itself rather than its subject. */
const ofTheWork =
  /\b(?:tests?|tested|coverage|fixtures?|asserts?|assertions?|lint(?:er|ing)?|review(?:er|ers|ed|s)?|refactor\w*|commits?|pr|prs|pull requests?|diffs?|patch(?:es)?|branch(?:es)?|session|(?:this|the) (?:change|fix|bug|issue|problem|task|plan|work|update|approach|implementation)|the new (?:\w+ )?(?:notes?|sections?|docs?|texts?|paragraphs?|examples?|files?|helpers?)|unchanged|unaffected|untouched|verified|confirmed|passed|passes|green)\b|\bTest[A-Z]\w+|_test\.|\.test\.|\.spec\./i;

/** A clause may stand before the subject. */
const opens = /^(?:when|if|unless|without|because|since|while|for|on|in|with|under)\s/i;
const determined = /^(?:the|an?|our|all|every|no|only|any)\s/i;
const adverb =
  /^(?:if|what|using|[A-Z][a-z]+ed|\w+ly|instead|however|therefore|thus|hence|otherwise|plus|net|note|per|not|yes|no|done|where|how|why|whether)\b/i;

/** A complete sentence of ordinary length, without code, addresses and marks of cutting. */
export const isWhole = (text: string, fewestWords = 8): boolean =>
  text.length >= 45 &&
  text.length <= 330 &&
  /[.)`]$/.test(text) &&
  /^[\p{L}`]/u.test(text) &&
  text.split(' ').length >= fewestWords &&
  (text.match(/\(/g) ?? []).length === (text.match(/\)/g) ?? []).length &&
  (text.match(/`/g) ?? []).length % 2 === 0 &&
  !/https?:|→|=>|->|…|\?|characters left out|[{}|]/.test(text);

/** Words that may stand before an article or a name without being a verb. */
const opensClause =
  /^(?:a|about|above|across|after|against|all|although|among|an|any|around|as|at|because|before|behind|below|beside|between|beyond|both|but|by|despite|due|during|each|either|even|every|everything|except|for|from|given|how|if|in|inside|instead|into|like|many|more|most|neither|no|none|nor|not|of|on|once|only|or|our|out|outside|over|per|rather|regardless|several|since|so|some|such|than|that|the|their|these|this|those|though|through|to|today|two|under|unless|unlike|until|unto|upon|via|we|what|when|whenever|where|wherever|whether|which|while|who|why|with|within|without|yet)$/i;

/** `Vercel `tide` does not …`: the code belongs to the name. */
const namedSubject = /^[A-Z][\w-]+ `[^`]+`\S* (?:is|are|does|has|can|cannot|never|only|always)\b/;

/** An order, or a verb that tells of the change itself: `Adds a flag`, `Wrap the reader`. A name at the beginning is a subject. */
export function isDeed(text: string): boolean {
  if (/^[A-Z][a-z]+\/[a-z]+ /.test(text)) return true;
  const [first = '', second = ''] = text.split(' ', 2);
  if (!/^[A-Z]?[a-z]+$/.test(first)) return false;
  if (/^(?:do|don|keep|let|no|yes)$/i.test(first)) return true;
  if (
    [first, first.replace(/s$/, ''), first.replace(/es$/, ''), first.replace(/e?d$/, '')].some((word) =>
      asksFor.test(word),
    )
  )
    return true;
  return (
    /^[A-Z]/.test(first) &&
    !namedSubject.test(text) &&
    !opensClause.test(first) &&
    !/(?:ing|ly)$/.test(first) &&
    (/^(?:the|an?|that|this|these|those|its|their|each|every|all|both)$/.test(second) ||
      /^`|^[a-z]+[A-Z]|^\w+_\w/.test(second))
  );
}

const verbAfterSubject =
  /\b(?:is|are|was|were|has|have|had|does|do|did|can|could|must|may|will|requires?|needs?|isn't|aren't|doesn't|don't|can't|cannot|never|only|also|now)\b/i;

/** `The fetch of harbour.go …` names its subject, `The response …` needs the text before it. */
export function namesSubject(text: string): boolean {
  if (!determined.test(text) && !opens.test(text)) return true;
  if (/^(?:when|while)\s/i.test(text)) return namesIn(text.split(', ', 1)[0] ?? '').length > 0;
  if (opens.test(text)) return namesIn(text.slice(0, 90)).length > 0;
  const end = text.slice(4).search(verbAfterSubject);
  return namesIn(text.slice(0, end < 0 ? 60 : Math.min(60, end + 4))).length > 0;
}

const dash = / [—–] /;

/** The words before a dash form a label instead of a clause. */
function isLabelled(plain: string): boolean {
  const at = plain.search(dash);
  const before = plain.slice(0, at).replace(/\([^)]*\)/g, '');
  return at >= 0 && before.length < 70 && !verbAfterSubject.test(before) && !before.match(limits);
}

/**
 * How much a sentence says about how something works: its names and the limits and reasons that it states. Zero if it
 * depends on other text, tells of a moment or of the work, or is cut.
 */
export function weighClaim(text: string): number {
  if (!isWhole(text) || isDeed(text) || isDated(text) || adverb.test(text)) return 0;
  const plain = withoutQuotes(text);
  if (pointsBack.test(plain) || passing.test(plain) || pastVerb.test(plain) || ofTheWork.test(text)) return 0;
  const names = namesIn(text);
  const cues = plain.match(limits) ?? [];
  if (names.length === 0 || cues.length === 0) return 0;
  if (!namesSubject(text) || isLabelled(plain)) return 0;
  return Math.min(names.length, 3) + Math.min(cues.length, 3);
}

/** What took the place of what, what is over, and where things go. It says how things are from then on. */
const settled =
  /\b(?:(?:was|were|is|are|(?:has|have) been) (?:now )?(?:replaced|superseded) (?:by|with)|is no longer|are no longer|no longer (?:needs?|uses?|supports?|requires?|accepts?|reads?|exists?)|going forward|belongs? (?:in|on|under)|go(?:es)? (?:only )?(?:in|on|under|to)(?= `))(?![\w-])/i;

/** Whether a sentence says what holds from then on, names it, and can be read alone. */
export function statesChange(text: string): boolean {
  const plain = withoutQuotes(text);
  const rest = plain.replace(settled, 'is');
  return rest !== plain && isNamedFact(text, rest);
}

/** What something outside of the work demands or does, whatever one does about it. */
const demands =
  /\b(?:enforces?|requires?|needs?|expects?|demands?|uses?|rejects?|refuses?|accepts?|allows?|forbids?|ignores?|strips?|caps?|limits?|defaults? to|treats?|only|never|always|must|cannot|can't|(?:is|are) not|does(?:n't| not)|do(?:n't| not))(?![\w-])/i;

/** Whether a clause says what something demands or does, names it, and can be read alone. */
export const statesDemand = (text: string): boolean => {
  const plain = withoutQuotes(text);
  return demands.test(plain) && isNamedFact(text, plain);
};

const withoutQuotes = (text: string): string => text.replace(/`[^`]*`/g, '`x`').replace(/"[^"]*"/g, '"x"');

/** `plain` is the text without what is quoted in it. */
const isNamedFact = (text: string, plain: string): boolean =>
  isWhole(text, 6) &&
  namesIn(text).length > 0 &&
  namesSubject(text) &&
  !isDeed(text) &&
  !isDated(text) &&
  !adverb.test(text) &&
  !pointsBack.test(plain) &&
  !passing.test(plain) &&
  !pastVerb.test(plain) &&
  !ofTheWork.test(text);

/** What follows from the sentence before it, or what to do about it. */
const follows =
  /^(?:so|thus|hence|therefore|otherwise|consequently|as a result|if|that (?!said)[a-z]+(?:ed|s)|this (?:means|makes|breaks|causes|forces|hides|lets|avoids|keeps)|use|set|pass|call|run|prefer|always|never|instead,?) \S|\btherefore\b/i;
const concludes = /^(?:so|thus|hence|therefore|otherwise|consequently|as a result)\b/i;
/** The speaker, the listener, the work of the moment, or a doubt. */
const ofMoment =
  /\b(?:i|i'm|i've|i'll|i'd|me|my|we|we'll|our|you|your|let's|yes|now|next|then|want|would|could|might|may|maybe|probably|likely|should|fixed|pushed|committed|(?:this|the) (?:pr|branch|commit|fix|change)|review|verified|later|below|above)\b|\?|[:→…]/i;
/** After `X no longer does Y`: what it does instead. */
const instead = /^it [a-z]+s\b/i;
const longestPair = 420;

/** A sentence with the next one, if that gives its point: what follows from it, or what to do about it. */
export const withPoint = (text: string, next: string): string =>
  text.length + next.length < longestPair &&
  (follows.test(next) || (/\bno longer\b/i.test(text) && instead.test(next))) &&
  isWhole(next, 5) &&
  (namesIn(next).length > 0 || concludes.test(next) || instead.test(next)) &&
  !ofMoment.test(withoutQuotes(next))
    ? `${text} ${next}`
    : text;
