// The title of a session that has no name, plan, pull request or telling commit: from its requests, and from what the agent looked up,
// proposed and reported.
import { cut, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { SessionMaterial, Turn } from '../material.ts';
import { achieved } from './answer.ts';
import { asTitle, shortened } from './heading.ts';
import type { Reading } from './observe.ts';
import { proposedTitle } from './plan.ts';
import { asksFor } from './preamble.ts';
import { isFinding, isSound, saysNothing } from './request.ts';
import { capital, fileName } from './say.ts';
import { aboutNumber, aboutShown } from './subject.ts';
import { takenBack } from './taken-back.ts';
import { typedText } from './typed-text.ts';

const longest = 110;

export type Weak = Pick<SessionMaterial, 'turns' | 'branches'>;

/** The first source that gives a sound title, else the request with what it is about. */
export function weakTitle({ turns, branches = [] }: Weak, readings: readonly Reading[], minor: string): string {
  const main = mainTurn(readings);
  const request = main.asked.title;
  const [first] = readings;
  const shown = readings.flatMap(({ deeds }) => deeds.shown);
  const opening = first === undefined || minor !== '' ? '' : aboutNumber(first, shown);
  if (opening !== '') return opening;
  const outcome = minor === '' && (isSymptom(request) || asksAbout(request)) ? outcomeOf(main, readings) : '';
  if (outcome !== '') return outcome;
  if (main.asked.sound && main.title === request && (minor === '' || (asksFor.test(request) && !isQuestion(request))))
    return request;
  return (
    compactedRequest(turns) ||
    proposed(turns) ||
    aboutShown(main, shown) ||
    minor ||
    (isSound(main.title) && (main.asked.sound || main.title !== request) ? main.title : '') ||
    onBranch(main, branchWords(branches)) ||
    reported(main, readings) ||
    withFile(main, readings)
  );
}

const proposed = (turns: readonly Turn[]): string => {
  for (const turn of turns) {
    const title = proposedTitle(turn);
    if (title !== undefined) return title;
  }
  return '';
};

/** What the agent says that it did, in the most telling turn or in the one with the most work. */
function reported(main: Reading, readings: readonly Reading[]): string {
  const byWork = [...readings].sort((a, b) => b.deeds.modified.length - a.deeds.modified.length);
  for (const reading of [main, ...byWork.slice(0, 3)]) {
    const title = reportedIn(reading);
    if (title !== '') return title;
  }
  return '';
}

/** What came of a symptom or a question: in its own turn if that changed files, else in the session if most of its turns did. */
function outcomeOf(main: Reading, readings: readonly Reading[]): string {
  if (main.deeds.modified.length > 0) return reportedIn(main);
  const changed = readings.filter(({ deeds }) => deeds.modified.length > 0).length;
  return changed * 2 > readings.length ? reported(main, readings) : '';
}

function reportedIn({ answer }: Reading): string {
  // How it was mended says more than that it was.
  const title = asTitle(achieved(answer).replace(/^(?:fixed|solved|resolved)(?: (?:it|this))? by (?=\w+ing\b)/i, ''));
  return isSound(title) ? title : '';
}

/** The request with the words of the branch; only those if the request was pasted. */
function onBranch({ asked: { title } }: Reading, about: string): string {
  const lower = title.toLowerCase();
  if (about === '' || about.split(' ').every((word) => lower.includes(word))) return '';
  if (title === '' || isFinding(title)) return about.includes(' ') ? capital(about) : '';
  return `${shortened(title, 70)} — ${cut(about, 50)}`;
}

/** The request with a file that it names or that the agent changed. */
function withFile({ asked, title, turn }: Reading, readings: readonly Reading[]): string {
  if (title !== asked.title) return title;
  const named = typedText(turn.request?.text ?? '').match(fileShape)?.[0];
  const file = named ?? readings.flatMap(({ deeds }) => deeds.modified).map(fileName)[0];
  const names = file === undefined || title.includes(file) || file.length > 40 ? '' : ` (${file})`;
  return `${shortened(title, longest - names.length)}${names}`;
}

const fileShape =
  /\b[\w-]+\.(?:ts|tsx|js|jsx|mjs|py|go|rs|rb|java|kt|swift|c|cc|cpp|cs|php|sh|md|mdx|json|ya?ml|toml|css|html|sql)\b/;

const everyBranch =
  /^(?:main|master|develop|development|dev|trunk|head|staging|production|release|next|feature-branch|new-branch|my-branch|test|changes|update|wip|gh-pages)$/i;
const saysNoMore =
  /^(?:feature|feat|fix|fixes|bug|bugfix|branch|changes|update|updates|test|tests|new|wip|patch|work)$/i;

/** `soph/fix-lock-timeout` → `fix lock timeout`. */
export function branchWords(branches: readonly string[]): string {
  const branch = branches.find(
    (name) => !everyBranch.test(name) && !/^(?:worktree|agent)-(?:agent-)?[0-9a-f]{6,}/.test(name),
  );
  const last = branch?.split('/').at(-1) ?? '';
  const words = last
    .replace(/^(?:[a-z]{2,6}-?\d+|\d+)[-_]/i, '')
    .split(/[-_.]+/)
    .filter((word) => word !== '' && !/^[0-9a-f]{7,}$|^\d+$/.test(word));
  const telling = words.filter((word) => !saysNoMore.test(word));
  return telling.length === 0 || (words.length < 2 && last.length < 7) ? '' : words.join(' ');
}

/** Only moves branches and files about, before or after the work. */
const tidies =
  /^(?:switch|check ?out|(?:delete|clean up|prune|create) (?:[\w-]+ ){0,4}(?:branch(?:es)?|worktrees?)|pull|fetch|rebase|commit|push|stash|merge (?:main|master|origin|the (?:pr|branch)|it|this))\b/i;

const isQuestion = (title: string): boolean =>
  /\?$|, (?:is|are|was|does|did|do|can|should|could|would) (?:it|this|that|we|they|there|you|i)\b|^(?:why|how|what|where|which|when|who|is|are|does|do|did|can|could|should|would)\b/i.test(
    title,
  );

const asksAbout = (title: string): boolean => isQuestion(title) || /^(?:explain|describe)\b/i.test(title);

/** What went wrong, without what to do about it. */
const isSymptom = (title: string): boolean =>
  !asksFor.test(title) &&
  /^(?:weird|strange|odd|mysterious|cannot|can['’]t)\b|\b(?:shows? me|does(?:n['’]?t| not)|do(?:n['’]?t| not)|is(?:n['’]?t| not)|are(?:n['’]?t| not)|was(?:n['’]?t| not)|won['’]?t|issues?|errors?|bugs?|problems?|fail(?:s|ed|ing)?|broken|missing|wrong|crash(?:es|ed)?|no longer)\b/i.test(
    title,
  );

/** The most telling turn: the first one that names its object. A later one counts only if the first is vague. */
export function mainTurn(readings: readonly Reading[]): Reading {
  const back = takenBack(readings);
  const weights = readings.map(
    (reading, i) => promise(reading) + work(reading) - reserve(reading, i, readings.length) - (back.has(i) ? 4 : 0),
  );
  return readings[weights.indexOf(Math.max(...weights))] as Reading;
}

const promise = ({ asked, clear, title }: Reading): number =>
  (asked.sure && !asked.vague ? 4 : clear ? 2.5 : 0) + (asked.sound && title === asked.title ? 1.5 : 0);

const work = ({ turn, deeds }: Reading): number =>
  0.6 * Math.log2(1 + turn.toolUses.length) + (deeds.modified.length > 0 ? 0.8 : 0);

/** Says who the agent is and how it works. What to do follows in later prompts. */
const givesRole = /^\s*(?:you are|act as|you['’]re) (?:now )?(?:an?|the|my|our)\b/i;

/** What speaks against a turn: it says nothing, asks aside, answers, or only prepares and tidies up around other turns. */
function reserve({ turn: { request }, title }: Reading, i: number, turns: number): number {
  const text = request?.text ?? '';
  const vague = saysNothing(text) ? 2 : /^(?:i|it|this|that|you|there)\b/i.test(title) ? 1.5 : 0;
  const question = isQuestion(title) ? (i === 0 ? 0.7 : 2) : 0;
  const beside = turns === 1 ? 0 : /^\/init\b/.test(text) ? 5 : tidies.test(title) ? 6 : 0;
  const role = turns > 1 && givesRole.test(text) ? 4 : 0;
  const reply = request?.form === 'choice' || request?.form === 'verdict' ? 3 : 0;
  return vague + question + beside + role + reply + 0.9 * Math.min(i, 8);
}

/** The request according to the agent's own summary at a compaction. */
function compactedRequest(turns: readonly Turn[]): string {
  const text = turns
    .flatMap(({ entries }) => entries)
    .find((entry) => entry.form === 'compaction' && !isAnswer(entry))?.text;
  const after = /Primary Request and Intent:?\**\s*\n([\s\S]{20,1500})/.exec(text ?? '')?.[1];
  const [first] = after === undefined ? [] : sentencesOf(after);
  const asked =
    /^(?:(?:the )?user(?:'s)? (?:has |had |initially |first |originally |then )*(?:asked|requested|wanted|wants|instructed|provided)(?: me| claude| the assistant)?(?: to| that| for)?|(?:primary|main|initial) (?:request|goal|task)(?: was| is)?(?: to)?:?)\s+(.{12,})$/i.exec(
      first?.text ?? '',
    )?.[1];
  if (asked === undefined) return '';
  const clause = asked.split(/(?<=.{30})(?:, (?:which|including|where|and|so)|;|:\s| - )/)[0] ?? asked;
  return capital(cut(clause.replace(/[.:]+$/, ''), longest));
}
