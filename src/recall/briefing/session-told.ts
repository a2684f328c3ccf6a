// What a briefing says about one session: its name, where it worked, what was asked and what came of it.

import { completedParts } from '../../distill/offline/completed.ts';
import { isHousekeeping, isLoose } from '../../distill/offline/title.ts';
import { cut, gist, inOneLine, joinSentences, sentencesOf } from '../../language/gist.ts';
import { isAnswer, type OpenEnd } from '../../language/open-ends.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { Session } from '../../schema/session.ts';
import type { TitleSource } from '../../schema/session-fact.ts';
import type { Summary } from '../../schema/summary.ts';
import { isWithin } from '../../store/projects/follow-links.ts';
import type { SessionEnding, SessionGlance } from '../../store/sessions/port.ts';

/** A session with its ending and what it left open. */
export interface Told {
  readonly glance: SessionGlance;
  readonly ending: SessionEnding;
  readonly open: readonly OpenEnd[];
  /** Its summary, if it was distilled. */
  readonly summary: Summary | undefined;
  /** Branch and pull requests. */
  readonly place: string;
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

/** Whether a title says what the work was about. */
export const tellsWork = ({ title }: SessionGlance): boolean => title.trim() !== '' && !isLoose(title);

/** A session's name, and the request if the name does not say it already. */
export function titleOf({ title, asked }: SessionGlance): { heading: string; asked: string } {
  const start = title.replace(/…$/, '').trim();
  if (start === '' || (asked.trim().startsWith(start) && title.length > 60))
    return { heading: gist(asked, 180) || cut(inOneLine(title), 180), asked: '' };
  const said = gist(readable(asked), 200);
  return { heading: cut(inOneLine(title), 120), asked: repeats(title, said) ? '' : said };
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
function saysNoMore(title: string, outcome: string): boolean {
  const [named, said] = [words(title), words(outcome)];
  return [...said].filter((word) => named.has(word)).length >= 0.8 * said.size;
}

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
export function endOf({ ending, open }: Told, max: number): string {
  const known = new Set(open.map(({ text }) => text));
  for (const answer of ending.entries.filter(isAnswer).reverse()) {
    const sentences = sentencesOf(answer.text).map(({ text }) => text);
    if (sentences.length === 0) continue;
    const rest = sentences.filter(
      (sentence) => !known.has(sentence) && !onTheWay.test(sentence) && !saysNothing.test(sentence),
    );
    if (rest.length > 0) return joinSentences(rest, max);
  }
  return '';
}

/** Plans and offers say nothing about how it ended. */
const onTheWay =
  /:$|\?$|^(?:now|let me|let's|next|good|great|perfect|i'll|i will|i need|i have a clear|here(?:'s| is)|want me|should i|would you|ready|done[.!]?$)\b/i;

/** That checks pass, that something is unaffected, or a row of a list of tools says nothing about the work. */
const saysNothing =
  /^(?:all |the |and )*(?:build|builds|tests?|lint\w*|types?|checks?|go vet|vet|everything)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|clean|green|ok)\W*$|\bunaffected\W*$|^[\w-]{2,20} - \S/i;

/** What a session came to. `text` is empty only if nothing is known. */
export interface Outcome {
  readonly from: 'commits' | 'summary' | 'last-words';
  readonly text: string;
}

/** The result of a session: its commits, else its summary's result, else its last words. */
export function outcomeOf(told: Told): Outcome {
  const { title } = told.glance;
  const { commits, done } = completedParts(told.summary?.completed ?? '');
  if (commits !== undefined) {
    const news = commits.messages.filter(
      (message) => !saysNoMore(title, message) && !isHousekeeping(message.replace(/[“”]/g, '')),
    );
    const more = / and \d+ more$/.exec(commits.list)?.[0] ?? '';
    const text = news.length === 0 ? 'Committed.' : `Committed: ${cut(news.join(', '), 260)}${more}`;
    return { from: 'commits', text };
  }
  const result = joinSentences(
    done.filter((text) => !saysNoMore(title, text)),
    220,
  );
  if (result !== '') return { from: 'summary', text: `Done: ${result}` };
  const end = endOf(told, 220);
  return { from: 'last-words', text: end === '' ? '' : `Ended: ${end}` };
}
