// A prompt → the request in prose: without pasted logs and code, without greetings, with the verb first.

import { sentencesOf } from '../../language/gist.ts';
import { assent } from '../../language/open-ends.ts';
import { isEveryday, isTellingWord } from '../../language/stop-words.ts';
import { asTitle } from './heading.ts';
import { asksFor, weakVerbs, withoutPreamble } from './preamble.ts';
import { typedText } from './typed-text.ts';

const contentWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu) ?? []).filter(
    (word) => word.length > 2 && isTellingWord(word) && !/^\d+$/.test(word) && !polite.test(word),
  );

/** Words that say what a text is about. */
const tellingWords = (text: string): string[] => contentWords(text).filter((word) => !isEveryday(word));

/** The same, to compare texts: each word once, and `push` and `pushes` are the same. */
export const wordsOf = (text: string): string[] => [
  ...new Set(tellingWords(text.replace(/[():,/]/g, ' ')).map((word) => word.replace(/(?:ing|ed|es|s)$/, ''))),
];

const polite =
  /^(?:thanks?|please|sorry|wow|amazing|awesome|excellent|great|perfect|wtf|fuck\w*|shit\w*|stupid|idiot)$/;

/** Typed by the person, but not a request to the agent. */
const commandLine = /^\s*[/!]/;
const empty =
  /^\W*(?:continue|go on|go ahead|proceed|do (?:it|that|this|them|so)(?: all)?|try again|again|keep going|carry on|next|same|that works|it works|wow|yo|test|ping|sleep|exit|quit|clear|[a-d]|\d+|y|n|yes|no|ok(?:ay)?|sure|please)\W*$/i;
const praise =
  /^(?:(?:excellent|great|amazing|awesome|wonderful|good|nice|perfect|fantastic|brilliant|thanks?|thank you|wow)\b[^.?!\n]{0,30}[.!]?\s*)+$/i;

export const saysNothing = (text: string): boolean => {
  const plain = text.trim();
  return (
    plain === '' ||
    commandLine.test(plain) ||
    empty.test(plain) ||
    assent.test(plain) ||
    (plain.length <= 80 && praise.test(plain))
  );
};

export interface Asked {
  /** Whether a person who was not there would understand the title. */
  readonly sure: boolean;
  /** Whether the title names an action without its object: `fix the tests`. */
  readonly vague: boolean;
  /** Whether the title reads as a heading of its own: it names its object and is more than preparation or talk. */
  readonly sound: boolean;
  /** One line, with the verb first; empty if the prompt does not say what it is about. */
  readonly title: string;
  /** The sentences of the prompt, without pasted text. */
  readonly sentences: readonly string[];
}

/** The arguments of a slash command are the request. `ENT-221-state-machine` becomes a ticket and words. */
const slashed = /^\/[\w:.-]+[^\S\n]+(?=\S)([\s\S]{12,})$/;
const slug = /\b([A-Z]{2,6}-\d{1,6})-((?:[a-z0-9]+-){2,}[a-z0-9]+)\b/gi;

export function readRequest(given: string): Asked {
  const args = slashed.exec(given.trim())?.[1];
  const text = (args ?? given).replace(
    slug,
    (_, id: string, words: string) => `${id.toUpperCase()} ${words.replaceAll('-', ' ')}`,
  );
  if (saysNothing(text)) return { title: '', sure: false, vague: true, sound: false, sentences: [] };
  const sentences = sentencesOf(typedText(text)).flatMap((sentence) => inPieces(sentence.text));
  let best = { title: '', score: 0, place: 0 };
  for (const [i, sentence] of atEnds(sentences).entries()) {
    if (saysNothing(sentence)) continue;
    for (const title of candidates(sentence)) {
      const score = worth(title, sentence) - 0.5 * i;
      if (score > best.score) best = { title, score, place: i };
    }
  }
  const { title } = best;
  const score = best.score + 0.5 * best.place;
  const vague = isVague(title) || isUnnamed(title);
  return { title, sure: score >= 3.5, vague, sound: score >= leastSound && isSound(title), sentences };
}

const leastSound = 2;

/** Verbs that only prepare for the work, or talk about it. */
const prepares =
  /^(?:read|re-?read|look (?:at|into|through|again)|take (?:a|another) (?:quick )?look|have a look|see|check out|open|go through|familiari[sz]e|understand|explore|load|recall|remember|pick|hop|chat|talk|think)\b/i;
const talks =
  /^(?:i|it|its|this|that|these|those|there|here|you|he|she|they|we(?:['’](?:ve|re|ll))?|what about|how would that|my)\b(?![-/.])|^(?:you are|act as|your (?:task|role|job))\b|^(?:in|on|for|with|after|when|if|since|given)\b.{6,60} (?:it|we|i|you|there|they) (?:has|have|is|are|was|were|had)\b|…$/i;
/** Reports that something was delivered, or how, but not what. */
const delivered =
  /^(?:committed|pushed|merged|rebased|completed|done|created (?:a |the )?(?:commit|pr|pull request|branch))\b|^(?:fixed|solved|resolved|addressed) (?:by|with|via|in)\b|^\w+ed:|^(?:added|fixed|removed|updated) (?:proper |missing |unused |the |all )*(?:imports?|comments?|whitespace|formatting|typos?)\b/i;
/** A trace of tools, made up because nothing said what a turn was about. */
const trace =
  /^(?:Ran|Looked at|Searched for) `|^(?:Read|Changed) [\w.-]+\.\w+(?:,| and|$)|^(?:Worked with|Asked a subagent|Continued:) /;
/** Asks to deliver, whatever else it asks. */
const deliver =
  /^(?:commit|push|ship|rebase|stage)\b(?! (?:messages?|hooks?|graph|hash(?:es)?|history|log|tree|objects?|trailers?|notifications?|options?|ids?)\b)/i;
/** The label of a finding in a review that was pasted: `High: …`. */
const finding = /^[([]?(?:critical|high|medium|low|major|minor|nit|p[0-4]|blocker|severity)\b[^:\])]{0,12}[:\])]/i;
/** `this proposal` names something that only the conversation knows; `this repo` is known from the project. */
const pointsAt =
  /(?<!\bso )\b(?:this|these|those|(?:of|in|on|for|with|to) that) (?!repo|project|codebase|package|tool|app|module|library|machine|site|time|way|command|is\b|was\b|are\b|were\b|will\b|would\b|should\b|can\b|could\b|has\b|have\b)[a-z-]+(?! (?:[a-z-]+ )?(?:when|in|from|on|while|for|of|that|which)\b)|\bthe (?:gaps?|fix(?:es)?|changes?|claims?|suggestions?|options?|comments?|ones?|list|things?|points?|findings?) you\b|\b(?:how|why|if|whether|when) (?:this|that|it|they) (?:is|was|would|will|does|did|can|could|should|works?)\b/i;
export const isFinding = (title: string): boolean => finding.test(title);
const pronoun = /\b(?:it|its|them|those|these|they)\b/i;

/** Whether a title says what was done: it is no trace of tools, and at least one word would not fit any other work. */
export const saysWork = (title: string): boolean =>
  !trace.test(title) && (identifier.test(title) || namingWords(title).length > 0);

/** A number of an issue names no object. */
export const numbered = /(?:\b(?:issue|pr|pull request|ticket) )?#\d+/gi;

/** Whether a title says only that something was delivered. */
export const isDelivery = (title: string): boolean => delivered.test(title);

/** Whether a title reads as a heading of its own. A pronoun may refer to the beginning of the title. */
export const isSound = (title: string): boolean =>
  title.length >= 12 &&
  !isVague(title.replace(numbered, ' ')) &&
  !isUnnamed(title) &&
  ![prepares, talks, opener, deliver, delivered, finding, pointsAt, trace].some((flaw) => flaw.test(title)) &&
  (identifier.test(title) || !pronoun.test(title.slice(0, 16)));

/** People put the request before what they paste, or after it. */
const atEnds = (sentences: readonly string[]): readonly string[] =>
  sentences.length <= 8 ? sentences : [...sentences.slice(0, 5), ...sentences.slice(-2)];

/** Words that fit any work and so do not name its object. */
const ofAnyWork =
  /^(?:address|again|answers?|background|branch(?:es)?|bugbot|bot|ci|comments?|chat|claims?|commits?|committed|conflicts?|codebase|copilot|critical|current|cycle|descriptions?|dev|draft|explain|fail(?:ed|ures?)?|feedback|fixes|github|gaps?|implementation|improvements?|instructions?|investigate|issues?|items?|lint(?:er|ing|s)?|linters?|listed|local(?:ly)?|main|merge[ds]?|mentioned|missing|plan|pr|prs|phases?|pull|push(?:ed)?|recommended|rebase[ds]?|remaining|requests?|resolve[ds]?|review(?:s|er|ed)?|stage[ds]?|state|status|steps?|suggest(?:ed|ion|ions)|tasks?|tests?|title|unstaged|uncommitted|verify|warnings?|work)$/;

/** Whether a title names an action without its object. */
export const isVague = (title: string): boolean =>
  namingWords(title).length < (makes.test(title) ? 1 : 2) && !identifier.test(title);

const namingWords = (title: string): string[] => tellingWords(title).filter((word) => !ofAnyWork.test(word));

/** Verbs whose object is what the work is about, so that one word names it. */
const makes =
  /^(?:add|create|write|remove|delete|rename|support|enable|disable|migrate|convert|bump|upgrade|document)\b/i;

/** A name from the code, a file or a ticket: something that a person can search for. */
export const identifier =
  /`[^`]{3,}`|`-\w`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|\b[\w-]+\.(?:ts|tsx|js|jsx|mjs|py|go|rs|rb|java|kt|swift|c|cc|cpp|cs|php|sh|md|mdx|json|ya?ml|toml|css|scss|html|sql|lua|vue|svelte|xml|ini|tf|proto|ipynb|dart|zig)\b|\b[A-Z]{2,6}-\d+\b|(?:^|\s)--[a-z][\w-]+|#\d{2,}/;

/**
 * Also splits before a lower-case letter, since people who type in haste begin sentences with one. The lookahead for whitespace comes first:
 * otherwise each character of a long run would look back over the whole run.
 */
export const inPieces = (sentence: string): string[] =>
  sentence.split(
    /(?=\s)(?<=[\p{L}\p{N})"'`][?!]+|(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx))(?<=[\p{L}\p{N})"'`])\.)\s+(?=\p{Ll})/u,
  );

/** The sentence itself, and its later part if the request begins only there. */
function candidates(sentence: string): string[] {
  const plain = (sentence.slice(0, 1000).split(/(?<=\S{3}.{8,}?)\s\[?\d{1,2}:\d{2}:\d{2}/)[0] ?? '')
    .replace(/(?<=^|\s)["“](?=\S)([^"”]{25,})(?<=\S)["”](?=$|[\s.,;:!?)])/g, (_, words: string) =>
      words.length <= 70 ? words : ' ',
    )
    .replace(/\((?=[^)]{25})[^)]*\)/g, ' ');
  const late =
    /^.{18,400}?\b((?:i(?:'d| would)? (?:want|like|need) (?:you )?to|can (?:you|we)|could (?:you|we)|please|let's|we (?:need|have) to|we should|how (?:can|do|would|about)|why (?:is|are|does|do|would))\b.{12,})/i.exec(
      plain,
    )?.[1];
  const trouble =
    /^.{12,300}?(?:,| and| but)\s+((?:(?:now|the|all|some|many|a lot of|most|my|our)\s+)*[^,]{3,60}? (?:is|are|keeps?|still) (?:now )?(?:fail(?:s|ing)?|broken|not working|missing|crash(?:es|ing)?|wrong|very slow|hanging)\b.{0,40})$/i.exec(
      plain,
    )?.[1];
  return [plain, ...[late, trouble].flatMap((text) => text ?? [])].map((text) => asTitle(withoutPreamble(text)));
}

/** Words that refer to earlier text. */
export const anaphor =
  /\b(?:it|its|them|both|same|those|these|they)\b|\b(?:this|that)(?:\W*$|[.,;:]|\s+(?:is|was|one|way|too|again|up|out|in|on|to|as|for|with|please|now|and)\b)|\b(?:do|fix|try|address|handle|check|commit|merge|push|review|summari[sz]e|explain) (?:this|that)\b|\bthe (?:above|following|previous|other one|rest)\b/i;

const opensWithAnaphor =
  /^(?:\S+ ){1,2}(?:it|its|them|they|both|this|that|those|these)(?:\W*$| (?:is|was|with|to|in|on|from|by|as|for|into|and|so|instead|again|too|up|out)\b)/i;

/** Whether the object of a title is in the text before it: `Replace them with a link`. */
export const isUnnamed = (title: string): boolean => opensWithAnaphor.test(title) && !identifier.test(title);

const opener =
  /^(?:do|did|can|could) you (?:have|see|know|read|access|remember|understand)\b|^what(?:'s| is) the (?:output|status|difference)\b|^(?:are|is) there any(?:thing)?\b|^(?:you have|you can see)\b|^(?:here(?:'s| is)|i have|there (?:is|are))\b/i;

/** Says how to work rather than what to do. */
const constraint =
  /^(?:do not|don['’]t|never|always|only|make sure|ensure|keep|respect|remember|note|focus|return|report|be|feel free)\b/i;

type Points = readonly (readonly [RegExp, number])[];

const ofVerb: Points = [
  [weakVerbs, 1.8],
  [asksFor, 3],
  [/^[a-z]{3,}ing\b/i, 2],
];
const ofQuestion: Points = [
  [/\?\W*$|^(?:why|how|is|are|does|do)\b/i, 2],
  [/^(?:what|where|which|who)\b/i, 1],
];
const ofVagueness: Points = [
  [/^(?:if|(?:this|these|that|those) (?:is|are|was))\b/i, -2],
  [/^(?:it|this|that|these|those|they|there|he|she|you|i|we)\b/i, -1.2],
  [/\b(?:it|this|that|these|those|them)\W*$/i, -0.8],
];
const ofTalk: Points = [
  [opener, -2],
  [constraint, -1.5],
  [prepares, -1],
  [finding, -1],
];
const wants =
  /\b(?:fix|bugs?|errors?|fail\w*|broken|crash\w*|wrong|doesn'?t work|missing|need|should|want|instead of|rather than)\b/i;

/** The points of the first pattern that matches. */
const points = (all: Points, text: string): number => all.find(([pattern]) => pattern.test(text))?.[1] ?? 0;

function worth(title: string, sentence: string): number {
  const words = tellingWords(title);
  if (contentWords(title).length < 2) return 0;
  // `Fix the failing tests` at least names an action.
  if (words.length === 0) return asksFor.test(title) && !anaphor.test(title) ? 0.6 : 0;
  const named = identifier.test(title);
  const asking = /\?\W*$/.test(sentence) ? 2 : points(ofQuestion, title);
  const cutOff = title.endsWith('…') ? -0.5 : 0;
  const told = points(ofVerb, title) + points(ofVagueness, title) + points(ofTalk, title);
  const object = named ? 0.6 : anaphor.test(title) ? -2.5 : 0;
  return Math.min(words.length, 5) * 0.6 + told + asking + (wants.test(sentence) ? 1 : 0) + cutOff + object;
}
