// What a briefing says about one session: its name, where it worked, what was asked and what came of it.

import { isHousekeeping, isOfDocuments, plainTitle } from '../../distill/offline/commit-title.ts';
import { isLoose } from '../../distill/offline/title.ts';
import { cut, gist, inOneLine, joinSentences, sentencesOf } from '../../language/gist.ts';
import { isAnswer, type OpenEnd } from '../../language/open-ends.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { Session } from '../../schema/session.ts';
import type { TitleSource } from '../../schema/session-fact.ts';
import type { Summary } from '../../schema/summary.ts';
import { isWithin } from '../../store/projects/follow-links.ts';
import type { SessionEnding, SessionGlance } from '../../store/sessions/port.ts';
import { isMinor, isTalk, isTrivial, namesWork, repeatsCommit, repeatsTitle, tellsOutcome } from './worth-telling.ts';

/** A session with its ending and what it left open. */
export interface Told {
  readonly glance: SessionGlance;
  readonly ending: SessionEnding;
  readonly open: readonly OpenEnd[];
  /** Its summary, if it was distilled. */
  readonly summary: Summary | undefined;
  /** Branch and pull requests. */
  readonly place: string;
  /** Whether its name stays, whatever it says: a person gave it, or no summary has a better one. */
  readonly isNamed: boolean;
}

/**
 * The session under the title of its summary, unless that says less. The agent named it after the first prompt; the summary knows the
 * commits. A name by a person stays.
 */
export const named = (
  glance: SessionGlance,
  by: TitleSource | undefined,
  summary: Summary | undefined,
): SessionGlance =>
  by === 'person' || summary === undefined || summary.title === '' || isLoose(summary.title)
    ? glance
    : { ...glance, title: summary.title };

/**
 * The session, named by its main commit if its title does not say what the work was about, or is minor. Without such a commit the title
 * stays, as everywhere else: a sentence of the answer is a worse name, and is told as the outcome.
 */
export function withHeadline(told: Told): Told {
  const names = namesWork(told.glance.title);
  if (told.isNamed || (names && !isMinor(told.glance.title))) return told;
  const titles = telling(told.summary?.commits ?? [])
    .map(plainTitle)
    .filter(namesWork);
  const headline = titles.find((title) => !isMinor(title)) ?? (names ? undefined : titles[0]);
  return headline === undefined ? told : { ...told, glance: { ...told.glance, title: firstClause(headline) } };
}

/** A session whose title stands elsewhere in the briefing, named by the first of its commits that does not. Else it keeps its title. */
export function renamed(told: Told, isTold: (text: string) => boolean): Told {
  const titles = telling(told.summary?.commits ?? []).map(plainTitle);
  const news = titles.find((title) => namesWork(title) && !isMinor(title) && !isTold(title));
  return news === undefined ? told : { ...told, glance: { ...told.glance, title: firstClause(news) } };
}

const longestHeadline = 200;

/** Up to the first semicolon outside of code, if that says enough. */
function firstClause(sentence: string): string {
  const [first = ''] = sentence.split(/;\s(?=(?:[^`]|`[^`]*`)*$)/);
  return (first.length < 30 ? sentence : first).replace(/\.$/, '');
}

const sentencesIn = (text: string): string[] => sentencesOf(text).map((sentence) => sentence.text);

/** A session's name, and the request if the name does not say it already. */
export function titleOf({ title, asked }: SessionGlance): { heading: string; asked: string } {
  const start = title.replace(/…$/, '').trim();
  if (start === '' || (asked.trim().startsWith(start) && title.length > 60))
    return { heading: gist(asked, 180) || cut(inOneLine(title), 180), asked: '' };
  const said = gist(readable(asked), 200);
  return { heading: cut(inOneLine(title), longestHeadline), asked: repeats(title, said) ? '' : said };
}

/** A plan is named by its title; pasted text is left out. */
const readable = (asked: string): string =>
  /^\s*(?:❯|\$|➜|>)\s|\b(?:WARN|ERROR)\b.*=|^\s*(?:can|could) you (?:check|look at|take a look at|review) (?:out )?@?\S+\W*$/.test(
    asked,
  ) || /^\s*implement (?:the|this) (?:following )?plan\b/i.test(asked)
    ? ''
    : asked;

const words = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter(isTellingWord));

/** Whether nearly every telling word of an outcome stands in the title already. */
export function saysNoMore(title: string, outcome: string): boolean {
  const [named, said] = [words(title), words(outcome)];
  return [...said].filter((word) => named.has(word)).length >= 0.8 * said.size;
}

/** Whether the first sentence of a fact tells what the title of a session says. */
export const tellsTitle = (fact: string, title: string): boolean =>
  words(title).size >= 3 && saysNoMore(sentencesIn(fact)[0] ?? fact, title);

/** Whether a request says no more than the title. */
function repeats(title: string, asked: string): boolean {
  const [named, said] = [words(title), words(asked)];
  const shared = [...named].filter((word) => said.has(word)).length;
  return asked === '' || shared >= 0.6 * named.size || said.size < 4;
}

/** `branch fix-lock, PR #12, in ../tide-2`: where a session worked, unless that is the project's main line. */
export function placeOf(session: Session | undefined, project: string): string {
  if (session === undefined) return '';
  const { branch = '', links = [], cwd } = session;
  const numbers = [...new Set(links.flatMap((link) => /\/(?:pull|merge_requests)\/(\d+)/.exec(link)?.[1] ?? []))].slice(
    0,
    3,
  );
  const tree =
    cwd === '' || isWithin(cwd, project)
      ? /\/(?:\.worktrees|worktrees)\/([^/]+)/.exec(cwd)?.[1]
      : cwd.split('/').at(-1);
  return [
    /^(?:main|master|trunk|develop|HEAD)?$/.test(branch) ? '' : `branch ${inOneLine(branch)}`,
    numbers.map((number) => `PR #${number}`).join(', '),
    tree === undefined ? '' : `worktree ${inOneLine(tree)}`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** The agent's last words, without the sentences that are listed as open. */
function lastWords({ ending, open }: Told): string[] {
  const known = new Set(open.map(({ text }) => text));
  for (const answer of ending.entries.filter(isAnswer).reverse()) {
    const sentences = sentencesOf(answer.text).map(({ text }) => text);
    const rest = sentences.filter((sentence) => !known.has(sentence) && !isTalk(sentence));
    if (rest.length > 0) return rest;
  }
  return [];
}

export const endOf = (told: Told, max: number): string => joinSentences(lastWords(told), max);

/** The last words if they begin with what came of the work, beyond the title. Otherwise they only explain it further. */
function outcomesIn(told: Told): string[] {
  const isNews = (sentence: string) => tellsOutcome(sentence) && !repeatsTitle(told.glance.title, sentence);
  const [first = '', ...rest] = lastWords(told);
  return isNews(first) ? [first, ...rest.filter(isNews)] : [];
}

const conventional = /^[a-z]+(?:\([^)]*\))?!?: (?=\S)/;
/** Commits of tests say little about where the work stands. */
const ofLittleWeight =
  /^(?:(?:tests?|style|chore|ci)(?:\([^)]*\))?!?: |(?:test|cover|pin)s?\b)|\bafter (?:\w+ )?review$|\b(?:update|bump)\b.*\bsubmodule\b|^(?:[\w/.-]+(?:\([^)]*\))?!?: )?(?:(?:address|apply|incorporate|resolve|follow up on|respond to)\b.*\b(?:reviews?|feedback|comments|nits?|notes|findings|suggestions|copilot|bugbot|coderabbit)\b|(?:drop|remove|delete|trim|prune) (?:the )?(?:now[- ]|no[- ]longer[- ])?(?:unused|dead|redundant|obsolete|stale|leftover|duplicate|superfluous|unneeded)\b|trim\b|dedup\w*|tidy\b|polish\b|reword\b|(?:fix|tweak|adjust) (?:the )?(?:\w+ )?(?:wording|comments?|typos?|docstrings?|log messages?)\b)|\b(?:post-review|cleanup)\b/i;

/** As many whole titles as fit, and how many more there are. */
function listWithin(titles: readonly string[], most: number): string {
  const [first = '', ...rest] = titles.map((title) => `“${title}”`);
  let out = first;
  for (const [i, item] of rest.entries()) {
    if (out.length + item.length + 2 > most) return `${out} and ${rest.length - i} more`;
    out += `, ${item}`;
  }
  return out;
}

/** What a session came to. `text` is empty if nothing is known, or nothing beyond the title. */
export interface Outcome {
  readonly from: 'commits' | 'summary' | 'last-words';
  readonly text: string;
}

/** The result of a session: its commits, else its summary's result, else its last words. What the briefing tells elsewhere is left out. */
export function outcomeOf(told: Told, isTold: (text: string) => boolean = () => false): Outcome {
  const { title } = told.glance;
  const { commits = [], outcome = '' } = told.summary ?? {};
  if (commits.length > 0) {
    const news: string[] = [];
    for (const message of telling(commits)) {
      const plain = message.replace(conventional, '');
      const isRepeated = repeatsTitle(title, plain) || news.some((text) => repeatsCommit(text, plain));
      if (!isRepeated && !isTold(plain)) news.push(message);
    }
    // If there is no news, the title says what the only commit did.
    return { from: 'commits', text: news.length === 0 ? '' : `Committed: ${listWithin(news, 260)}` };
  }
  const done = sentencesIn(outcome);
  const result = joinSentences(
    done.filter((text) => tellsOutcome(text) && !isTrivial(text) && !repeatsTitle(title, text)),
    220,
  );
  if (result !== '') return { from: 'summary', text: `Done: ${result}` };
  // Where the summary repeats the title, the last words only explain it.
  const end = done.length > 0 ? '' : joinSentences(outcomesIn(told), 220);
  return { from: 'last-words', text: end === '' ? '' : `Ended: ${end}` };
}

/** The titles of commits that do more than tidy up, without quotes. */
const telling = (titles: readonly string[]): string[] =>
  titles
    .map((title) => title.replace(/[“”]/g, ''))
    .filter((title) => !ofLittleWeight.test(title) && !isOfDocuments(title) && !isHousekeeping(title));
