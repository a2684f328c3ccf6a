// What an agent found out and wrote down for the person: how things work, in its last answers, and what went wrong, in a compaction.

import { inOneLine } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { Turn } from '../material.ts';
import { namesIn, statesChange, statesDemand, weighClaim, withPoint } from './claim.ts';
import type { Reading } from './observe.ts';
import { outsideIn } from './outside.ts';
import type { Insight } from './reasons.ts';
import { isRefuted } from './refuted.ts';
import { capital, ended } from './say.ts';
import { answerSentences, entrySentences } from './sentences.ts';
import { type Item, itemsOf, named } from './written.ts';

const mostClaims = 3;
const leastWeight = 4;
const longestCure = 420;
/** Sections that tell of the work, or of what could be done. */
const ofTheWork =
  /\?|\b(?:skipp\w+|recommend\w*|suggest\w*|chang(?:es?|ed)|files?|summary|verdict|fix(?:es|ed)?|issues?|missing|next|options?|to-?dos?|tests?|verif\w+|validat\w+|review\w*|nits?|minor|concerns?|trade-?offs?|plan|proposal|steps?|commit\w*|might|i|i'd)\b/i;
/** A line of a file moves, and a label belongs to a list, unless it names something of the code. */
const position = /:\d{2,}|\blines? \d/;
const label = /^.{0,25} [—–-] |^[^.]{1,60}: |\bwe\b/i;
const nameBefore = /^`[^`]{3,40}`: (?=\S)/;
const isLoose = (text: string): boolean =>
  position.test(text) || label.test(text.replace(nameBefore, '').replace(/`[^`]*`/g, 'x'));

/** A sentence may also begin with code in lower case. */
const beforeCode = (text: string): string[] => text.split(/(?<=[\w)`]\.)(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.) +(?=`)/);

/** The speaker announces what counts. */
const summed =
  /^(?:(?:the|in|a) )?(?:one-sentence version|short(?: answer| version)?|tl;?dr|bottom line|key (?:point|insight))\s*(?::|—)\s+/i;
/** `(push.go:238)`, also after a name: where it stands today. */
const reference = / \(`?[\w./-]+:\d+(?:-\d+)?`?\)|, `?[\w./-]+:\d+(?:-\d+)?`?(?=\))/g;

const told = (whole: string, heading: string) => {
  // What follows the colon is a list or code, which shows the change.
  const text = whole
    .replaceAll('’', "'")
    .replace(/^But (?=\S)/, '')
    .replace(reference, '')
    .replace(/:$/, '.');
  return { text: capital(text.replace(summed, '')), isSummed: summed.test(text), heading };
};

function weightOf(text: string): number {
  if (statesChange(text)) return leastWeight;
  return namesIn(text).length + outsideIn(text.replace(/`[^`]*`/g, 'x')).length > 1 ? weighClaim(text) : 0;
}

/**
 * Sentences of last answers that say how something works, with at least two names, or what holds from then on. The person did not object to
 * them, and they still hold at the end.
 */
export function claimsIn(
  turns: readonly Turn[],
  readings: readonly Reading[],
  holds: (claim: Insight) => boolean,
): Insight[] {
  const found = readings.flatMap((reading) => {
    const { turn, answer } = reading;
    if (isRefuted(turns, turn) || !/`[^`\n]{3,}`/.test(answer)) return [];
    return answerSentences(reading)
      .flatMap(({ text, heading }) => beforeCode(text).map((one) => told(one, heading)))
      .map((one, i, all) => ({ ...one, next: all[i + 1]?.heading === one.heading ? (all[i + 1]?.text ?? '') : '' }))
      .filter(
        ({ text, isSummed, heading }) => /\.$/.test(text) && !isLoose(text) && (isSummed || !ofTheWork.test(heading)),
      )
      .map(({ text, isSummed, next }) => ({
        text: withPoint(text, isLoose(next) ? '' : next),
        ...{ weight: weightOf(text) + (isSummed ? 1 : 0), at: turn.endedAt, about: '' },
      }))
      .filter(({ weight }) => weight >= leastWeight);
  });
  const best = new Set<Insight>();
  for (const one of [...found].sort((a, b) => b.weight - a.weight)) {
    if (best.size === mostClaims) break;
    if (holds(one)) best.add(one);
  }
  return found.filter((one) => best.has(one));
}

const mostLessons = 2;
/** What went wrong stands before the reason. */
const trouble =
  /\b(?:reject\w*|refus\w*|fail\w*|errors?|block\w*|den(?:y|ies|ied)|skip\w*|ignor\w*|crash\w*|stuck|hang\w*|empty|missing|stale|wrong|0 ?%|zero|cannot|can't|could not|couldn't|did not|didn't|does not|doesn't|isn't|wasn't|won't|not (?:found|work\w*|available))(?![\w-])/i;
const reasoned = /^(.{8,240}?)[,;:]? because (?:the )?(?:(?:current|existing|local|actual|latest) )?(\S.{20,})$/i;

/**
 * What the agent learned by overcoming an error, from any text of a turn: the reason that it gives, if that names what something demands.
 * The demand holds whatever became of the error.
 */
export function lessonsIn(turns: readonly Turn[], holds: (claim: Insight) => boolean): Insight[] {
  const found = turns.flatMap((turn) =>
    turn.toolUses.length === 0 || isRefuted(turns, turn)
      ? []
      : turn.entries
          .filter((entry) => isAnswer(entry) && entry.text.includes(' because '))
          .flatMap((entry) => entrySentences(entry).flatMap((sentence) => lessonIn(sentence.text, entry.at))),
  );
  return found.filter((one) => holds(one)).slice(-mostLessons);
}

function lessonIn(sentence: string, at: string): Insight[] {
  const [, before = '', reason = ''] = reasoned.exec(sentence) ?? [];
  const clause = reason.split(/; |, (?:so|and (?:i|we|it|the))\b| [—–] |(?<=[`\w)])\. /, 1)[0] ?? '';
  const text = capital(ended(clause.trim()));
  return trouble.test(before) && statesDemand(text) ? [{ text, at, about: '' }] : [];
}

const troubles =
  /^(?:errors?(?: and fixes)?|errors? (?:encountered|resolved)|problems? (?:and solutions?|solved)|gotchas|pitfalls)$/i;
/** Mistakes of the moment that a tool reports, not traits of the project. */
const slips =
  /\b(?:lint\w*|format\w*|unused|typos?|imports?|syntax|indent\w*|type(?:script)? errors?|compil\w+|undefined|not found|merge conflicts?|interrupted|string not found|stale|current|review)\b/i;
const solved = /\b(?:fixed|fix|solved|resolved|solution|switched|changed|replaced|used|use|added|removed|now)\b/i;

/** Errors that a compaction lists with their cause and cure, each on a line or with lines of its own below. */
export function curesIn(turns: readonly Turn[]): Insight[] {
  return turns.flatMap(({ entries }) =>
    entries
      .filter(({ form }) => form === 'compaction')
      .flatMap(({ text, at }) =>
        withParts(itemsOf(text).filter(({ heading }) => troubles.test(heading))).flatMap((item) => {
          const cure = cureOf(item);
          return cure === undefined ? [] : [{ text: cure, at, about: '' }];
        }),
      ),
  );
}

function cureOf(item: string): string | undefined {
  const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
  const said = inOneLine(`${bracket} ${rest}`.replaceAll('**', ''));
  if (name === undefined || slips.test(`${name} ${bracket}`) || said.length > longestCure) return undefined;
  return solved.test(said) && namesIn(said).length > 1
    ? `${inOneLine(name.replaceAll('`', ''))}: ${ended(said)}`
    : undefined;
}

/** The texts of the outermost items, each with the items below it as sentences. */
function withParts(items: readonly Item[]): string[] {
  const outermost = Math.min(...items.map(({ indent }) => indent));
  const found: string[] = [];
  for (const { indent, text } of items)
    if (indent === outermost || found.length === 0) found.push(text);
    else found.push(`${found.pop()} ${ended(text.replace(/^["“]|["”]$/g, ''))}`);
  return found;
}
