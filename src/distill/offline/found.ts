// What an agent learned from errors: the reasons that it gives, and what a compaction lists.

import { inOneLine } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { Turn } from '../material.ts';
import { namesIn, statesDemand } from './claim.ts';
import type { Insight } from './reasons.ts';
import { isRefuted } from './refuted.ts';
import { capital, ended } from './say.ts';
import { entrySentences } from './sentences.ts';
import { type Item, itemsOf, named } from './written.ts';

const longestCure = 420;

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
