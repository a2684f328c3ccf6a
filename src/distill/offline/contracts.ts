// Finds sentences of a description that say how something behaves from then on: what is required, refused, implied or kept, and when.

import type { Sentence } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import { isDated, isDeed, isPast, isWhole, namesIn, namesSubject } from './claim.ts';
import { capital, ended } from './say.ts';

/** How things are, with a limit or a condition that an agent could break. */
const binds =
  /\bno longer\b|(?<![\w-])(?:stays?|remains?|continues? to|still|now|also|always|never|only)\b.{0,40}?\b(?:requires?|implies|impl(?:y|ies)|rejects?|refuses?|accepts?|allows?|fails?|fatal|errors?|escalates?|downgrades?|warns?|blocks?|blocked|wins?|overrides?|applies|apply|runs?|enabled?|disabled|strict|opt-in|orthogonal|independent|compatible|decoupled|emits?|reads?|writes?|skips?|skipped|ignores?|ignored|excludes?|excluded|hidden|kept|sent|resolves?|falls? back|works?)\b|\bmutually exclusive\b|\b(?:overrides?|wins over|takes? precedence|implies|opts? (?:back )?in(?:to)?|opts? out|(?:is|are) (?:always |never |only )?(?:excluded|ignored|rejected|refused|skipped|blocked|hidden|required|kept|gated|capped|limited|independent|immutable|opt-in|off|on|optional|mandatory|case-sensitive|read-only)|errors? out|falls? back to|leaves? .{3,40} (?:alone|untouched|in place|on disk)|by default|defaults? to|preserves?|(?:must|cannot|can't|may|can) (?:not |only |never |be )?\w+)\b|(?<![\w-])(?:(?:only|never|even) (?:when|if|for|in|on|with|under|after|before|once)|not (?:when|if|unless|before|after|once))\b|\bunless\b|\b(?:keeps?|stays?|remains?) (?:the |its |an? )?\S+|\b(?:does not|doesn't|do not|don't|is not|isn't|are not|aren't|won't) \w+/i;

/** `Without --trust, …`, `Only X …`, `Rather than A, B`: the limit comes first. */
const opensWithLimit = /^(?:without|only|unless|rather than|instead of)\s/i;

/** How it was, what may be, the work and its checks. */
const aside =
  /\b(?:tests?|tested|testing|asserts?|asserted|assertions?|pins?|pinned|coverage|covers?|fixtures?|lint\w*|gofmt|review(?:er|ers|ed|s)?|nits?|typos?|refactor\w*|dedup\w*|docstrings?|comments?|doc|docs|readme|wording|(?:call sites?|callers? today)|no (?:behaviou?r|functional) changes?|(?:behaviou?r|name|semantics|shape) (?:is |are )?unchanged|co-authored|signed-off|generated with|clos(?:es|ed)|follow-?ups?|tracked separately|for now|first cut|temporar\w+|until now|today|currently|v1 limitation|would|could|might|may have|should have|probably|likely|hopefully|self-justif\w+|cryptic|silently|accidentally|mistakenly|wrongly|regress\w*|this (?:commit|pr|change|branch|patch))\b|#\d|\bthe (?:bug|problem|issue|fix|fixes|fault|test|tests)\b/i;

const ofTests = /\bTest[A-Z]\w+|_test\.|\.test\./;

/** The reader does not know the text before it. Late in a sentence, `those` stands for what it named itself. */
const pointsBack =
  /^.{0,45}\b(?:this|these|those|them|(?<=\S )(?<!\b(?:that|if|when|where|since|because|while|until|unless) )there)\b(?!['’-])|\b(?:former|latter|above|below|here|both halves|the same (?:bug|problem|issue|reason)|that (?:check|case|step|flag|option|path|mode|rule|behaviou?r))\b|^the two\b|^(?:\S+\s+){0,2}?(?:it|its|they|their)\b|^(?:\S+\s+){0,4}?(?:that(?= [a-z]+s?\b.{0,30}\b(?:is|are)\b)|such|same|another|others?|each|one|both|he|she)\b(?!-)|^(?:also|then|and|but|so|however|still|yet|now|once)\b|\b(?:we|our|i|you|your)\b/i;

/** A verb without its subject: `Falls back to …`, `Works with …`. */
const lacksSubject =
  /^(?:[A-Z][a-z]{2,}(?:es|ts|ks|ds|ps|ns|ls|rs|ys|ws|ms)|Off|On|Same|Covered|Scoped|Applied|Computed|Motivated|Verified|Confirmed|Discussed|Hidden|Added|Removed|Fixed|Updated|Changed|Moved|Renamed|Net|Note)\s(?:to|at|for|from|on|in|by|into|with|against|back|over|under|through|out|as|when|if|via|any|all|every|each|only|without|--|`|[a-z]+\b)/;
const isPlural =
  /^[A-Z][a-z]+s (?:are|is|have|has|can|cannot|must|may|do|does|stay|keep|remain|need|get|never|always|only|now|still|that|which|whose|with|without|of)\b/;
/** `Encapsulate LockStore's wiring`: an order about a name. */
const orders = /^[A-Z][a-z]+ (?:[A-Z][a-z]+[A-Z]\w*|\w+\(\))/;
/** What only grew or was taken apart says how the code is made. */
const ofShape =
  /^\S+(?: \S+){0,4} (?:grows?|gains?|gets?|takes?|returns?|wraps?|is kept as|is now (?:a|an|the))\b|\b(?:helper|wrapper|boilerplate|footgun)s?\b|\b(?:gains|grows) /i;

/** Marks of items and labels at the beginning: `LockMode: …`, `2) …`. */
const label = /^(?!https?:)[^\s`:]+(?: [^\s:]+){0,3}:\s/;

/** Flags, modes and the like are what people use, so a sentence about them needs no name of the code. */
const builtUpon =
  /\b(?:flags?|options?|modes?|(?:sub)?commands?|settings?|endpoints?|environment|variables?|requests?|users?|callers?)\b/i;
const strong =
  /\b(?:wins? over|overrides?|mutually exclusive|takes? precedence|opts? (?:back )?in|opt-in|fatal|no longer|requires?|implies|by default|unless|gated|blocked|rejected|refused)\b|\b(?:at most|max(?:imum)?|up to|limit(?:ed)? (?:to|of)) \d/i;

/** Sections about the past, about checks and about what is left out. */
const asideHeading =
  /\b(?:problems?|issues?|bugs?|background|context|before|motivation|root cause|why|tests?|testing|test plan|verif\w+|validat\w+|checklist|how to review|screenshots?|follow-?ups?|out of scope|files?|alternatives?|disclosure|not in)\b/i;

/** A commit that only arranges the code in another way. Its sentences tell of that. */
const arranges =
  /^(?:[\w/.-]+(?:\([^)]*\))?!?: )?(?:simplify|clean|dedup\w*|tidy|refactor|extract|inline|polish|trim|share|fold|collapse|(?:remove|drop|delete) (?:now-)?(?:unused|dead))\b|\b(?:clean ?up|post-review)\b/i;
export const isArrangement = (title: string): boolean => arranges.test(title);

/** Whether a sentence says how something behaves, with a limit or a condition, and can be read below the title of its commit. */
export function isContract({ text, heading }: Sentence): boolean {
  const plain = text.replace(/`[^`]*`/g, '`x`').replace(/"[^"]*"/g, '"x"');
  if (asideHeading.test(heading) || !isWhole(ended(text), 6) || isDated(text)) return false;
  if (aside.test(plain) || ofTests.test(text) || pointsBack.test(plain) || label.test(plain) || ofShape.test(plain))
    return false;
  const opens = opensWithLimit.test(text);
  if (namesIn(text).length === 0 && !(strong.test(plain) && (opens || builtUpon.test(plain)))) return false;
  return (opens || hasSubject(text)) && holds(text, plain) && (opens || binds.test(plain));
}

const hasSubject = (text: string): boolean =>
  !isDeed(text) &&
  !orders.test(text) &&
  (!lacksSubject.test(text) || isPlural.test(text)) &&
  (!/^(?:the|an?|our)\s/i.test(text) || namesSubject(text) || builtUpon.test(text.slice(0, 40)));

/** `Rather than A, B was made` tells what is there now. */
const holds = (text: string, plain: string): boolean => !isPast(plain) || /^(?:rather than|instead of)\s/i.test(text);

const gives =
  /\b(?:because|since|so|previous(?:ly)?|never|always|only|which|without|instead|rather than|not|no|oversold|conflict\w*|duplicat\w*|match(?:es)?|\d+)\b|n't\b/i;
const looked = 3;
const longest = 420;

/** Why a title that decides something was decided, from the first sentences below it. How it was before belongs to it. */
export function whyIn(sentences: readonly Sentence[], title: string): string | undefined {
  const early = sentences.slice(0, looked);
  const first = early.findIndex((sentence) => isWhy(sentence, title));
  if (first < 0) return undefined;
  const text = ended(spoken((early[first] as Sentence).text));
  const next = sentences[first + 1];
  const both = next === undefined ? '' : `${text} ${ended(next.text)}`;
  return next !== undefined && isWhy(next, title) && both.length <= longest ? both : text;
}

const spoken = (text: string): string => capital(text.replace(/^(?:but|previously|currently),? (?=\S)/i, ''));
const sectionsAside =
  /\b(?:tests?|testing|verif\w+|validat\w+|checklist|screenshots?|follow-?ups?|out of scope|files?)\b/i;
const ofChecks =
  /\b(?:tests?|tested|coverage|review(?:er|ed|s)?|lint\w*|co-authored|signed-off|assisted-by|generated with)\b/i;

const isWhy = ({ text, heading }: Sentence, title: string): boolean =>
  !sectionsAside.test(heading) &&
  isWhole(ended(text)) &&
  !/^(?:issue|pr|per|ticket|on top|in addition|additionally|besides)\b/i.test(spoken(text)) &&
  gives.test(text) &&
  !isDeed(spoken(text)) &&
  !ofChecks.test(text) &&
  !ofTests.test(text) &&
  !pointsBack.test(spoken(text).replace(/`[^`]*`/g, '`x`')) &&
  (namesIn(text).length > 0 || shares(text, title));

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{3,}/gu) ?? [];
const shares = (text: string, title: string): boolean => {
  const words = new Set(wordsOf(title).filter(isTellingWord));
  return wordsOf(text).some((word) => words.has(word));
};

const leads = /^(?:[\w/.-]+(?:\([^)]*\))?!?: )?([a-z]+)\b/i;
const fewestShared = 3;

/** Whether a later commit does the same thing again in another way, so that only its own description holds. */
export function redoes(later: string, earlier: string): boolean {
  if (leads.exec(later)?.[1]?.toLowerCase() !== leads.exec(earlier)?.[1]?.toLowerCase()) return false;
  const [one, other] = [new Set(wordsOf(later)), new Set(wordsOf(earlier))];
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared >= fewestShared && shared * 2 >= Math.min(one.size, other.size);
}
