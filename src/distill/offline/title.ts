// The title of a session, from the strongest source: a name by the person, the agent's own title if it names the work, a plan, a pull
// request, a commit, then the request.
import { cut, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { SessionMaterial, Turn } from '../material.ts';
import { achieved } from './answer.ts';
import type { Command } from './deeds.ts';
import type { Reading } from './observe.ts';
import { planOf } from './plan.ts';
import { asTitle, isUnnamed, isVague, saysNothing } from './request.ts';
import { capital, fileName } from './say.ts';

const longestTitle = 110;

export type Titled = Pick<SessionMaterial, 'turns' | 'titleSource' | 'branches'> & { readonly title?: string };

export function sessionTitle(session: Titled, readings: readonly Reading[]): string {
  const { turns } = session;
  const own = ownTitle(session);
  const plan = planTitle(turns.slice(0, 1 + firstTelling(turns)));
  const made = requested(readings) || committed(readings);
  const strong =
    (session.titleSource === 'person' || !isLoose(own) ? own : '') ||
    (isCorrected(turns) ? made || plan : plan || made);
  return cut(strong || own || planTitle(turns) || weakTitle(session, readings), longestTitle);
}

/** Verbs of a title that was given before the work and says only how it began. */
const inquiry =
  /^(?:review|check|look|understand|explore|investigate|analy[sz]e|examine|explain|discuss|debug|diagnose|continue|read|verify|inspect|assess|evaluate|find out|figure out|help|ask|question)\w*\b/i;

/** Whether a title says how the work began, or names an action without its object. A number of an issue names no object. */
export const isLoose = (title: string): boolean =>
  inquiry.test(title) || isVague(title.replace(/(?:\b(?:issue|pr|pull request|ticket) )?#\d+/gi, ' '));

const corrects =
  /\b(?:should(?:n'?t| not)|instead|rather|not (?:what|that|there|like)|wrong|i meant|actually|focus only)\b/i;

/** Whether the person corrected or took back a plan. Then the heading of the plan may name what was not built. */
function isCorrected(turns: readonly Turn[]): boolean {
  const at = turns.findIndex((turn) => planOf(turn)?.title !== undefined);
  const later = at < 0 ? [] : turns.slice(at + 1);
  return later.some(({ request }) => request !== undefined && request.text.length < 600 && corrects.test(request.text));
}

/** Titles that say nothing. */
const unnamed = /^(?:new (?:session|chat|conversation)|untitled|session|conversation|claude code|hello|hi)\W*$/i;

const ownTitle = ({ title = '', titleSource }: Titled): string =>
  titleSource === undefined || unnamed.test(title.trim()) || saysNothing(title) ? '' : title.trim();

const firstTelling = (turns: readonly Turn[]): number =>
  Math.max(
    0,
    turns.findIndex(({ request }) => request !== undefined && !saysNothing(request.text)),
  );

const planTitle = (turns: readonly Turn[]): string => {
  for (const turn of turns) {
    const title = planOf(turn)?.title;
    if (title !== undefined) return title;
  }
  return '';
};

const commandsOf = (readings: readonly Reading[]): Command[] => readings.flatMap(({ deeds }) => deeds.commands);

const requested = (readings: readonly Reading[]): string =>
  commandsOf(readings).flatMap(({ opened, outcome }) =>
    outcome !== 'failed' && opened?.title !== undefined && !isHousekeeping(opened.title)
      ? [plainTitle(opened.title)]
      : [],
  )[0] ?? '';

const documents = /^docs?\b|^(?:\w+ ){0,2}(?:documentation|docs|readme|changelog)\b|^(?:\w+ ){0,2}[A-Z]{4,}\.md\b/i;
/** Kinds of commits that change what a program does. */
const changesProgram = /^(?:feat|fix|perf|refactor)\b\S*:/i;
/** Names its object, so that it says what a session was about if nothing else does. */
const bump = /^(?:bump|upgrade|update) \S*[\w/.-]{3,}\S* (?:from \S+ )?to \S+/i;

/** The first telling commit, if possible one that changes the program. A new version counts only if it is all that was done. */
function committed(readings: readonly Reading[]): string {
  const all = commandsOf(readings).flatMap(({ message, outcome }) =>
    outcome !== 'failed' && message !== undefined ? [message] : [],
  );
  const telling = all.filter((message) => !isHousekeeping(message));
  const best =
    telling.find((message, i) => (i === 0 || changesProgram.test(message)) && !documents.test(message)) ??
    telling.find((message) => !documents.test(message)) ??
    telling[0];
  return plainTitle(best ?? all.findLast((message) => bump.test(message.replace(kindOfChange, ''))) ?? '');
}

const kindOfChange = /^(\w+)(?:\([^)]*\))?!?:\s+/;
const housekeeping =
  /^(?:merge\b|wip\b|tmp\b|temp\b|bump\b|release\b|v?\d+\.\d+|revert\b|checkpoint\b|save\b|changes\b|updates?\W*$|(?:update|add|tweak) (?:the )?(?:changelog|readme|deps|dependenc\w+|docs?|comments?|tests?|snapshots?|lock ?file)\W*$|(?:fix|address|apply|resolve|handle)\w* (?:the )?(?:\w+ ){0,2}(?:lint\w*|review|feedback|comments?|typos?|format\w*|ci|conflicts?|bugbot|copilot|cursor|nits?|imports?|merge|tests?|build|warnings?|suggestions?|findings)\b.{0,20}$|(?:re)?format|gofmt|lint\b|typos?\b|clean ?up\b|cleanup\b|minor\b|small\b|more\b|initial commit|first commit|remove (?:now-?)?(?:unused|stale|obsolete)\b|remove (?:\w+ )?(?:comment|import)s?\b|nolint\b|go mod tidy)/i;

/** A commit that only tidies up does not say what a session was about. */
export const isHousekeeping = (message: string): boolean => {
  const plain = message.replace(kindOfChange, '').trim();
  return (
    plain.split(/\s+/).length < 2 ||
    housekeeping.test(plain) ||
    /^(?:chore|style|ci|build|gofmt|fmt|lint)(?:\(|:)/.test(message)
  );
};

/** `fix(parser): nested arrays` → `Fix nested arrays`. Other kinds of changes are dropped: the words after them say enough. */
export function plainTitle(message: string): string {
  const [mark = '', kind = ''] = kindOfChange.exec(message) ?? [];
  const plain = message
    .slice(mark.length)
    .replace(/\s*\(#\d+\)$/, '')
    .replace(/\.$/, '')
    .trim();
  const isFix = /^(?:fix|bugfix|hotfix)$/i.test(kind) && !/^(?:[a-z]+(?:e|s|ed|ing)?\s)/.test(plain);
  return capital(isFix && /^[a-z]/.test(plain) ? `fix ${plain}` : plain);
}

/** The request. If that is vague, the agent's own summary of it, or the request with branch or file. */
function weakTitle(session: Titled, readings: readonly Reading[]): string {
  const main = mainTurn(readings);
  if (main.asked.sure && !main.asked.vague) return main.title;
  const told = compactedRequest(session.turns) || (isUnnamed(main.title) ? reported(main) : '');
  if (told !== '') return told;
  const about = branchWords(session.branches ?? []);
  const lower = main.title.toLowerCase();
  const isNew =
    main.title === main.asked.title && about !== '' && !about.split(' ').every((word) => lower.includes(word));
  const [file] = readings.flatMap(({ deeds }) => deeds.modified).map(fileName);
  const names = file !== undefined && main.title === main.asked.title && !main.title.includes(file) ? ` (${file})` : '';
  if (!main.asked.vague) return main.title;
  if (isNew) return `${cut(main.title, 70)} — ${cut(about, 50)}${names.length < 24 ? names : ''}`;
  return `${cut(main.title, 84)}${names.length < 26 ? names : ''}`;
}

/** What the agent says that it did, if that names something. */
function reported({ answer }: Reading): string {
  const title = asTitle(achieved(answer));
  return isVague(title) || isUnnamed(title) ? '' : title;
}

const everyBranch = /^(?:main|master|develop|development|dev|trunk|head|staging|production|release|next)$/i;

/** `soph/fix-lock-timeout` → `fix lock timeout`. */
export function branchWords(branches: readonly string[]): string {
  const branch = branches.find((name) => !everyBranch.test(name) && !/^(?:worktree|agent)-[0-9a-f]{6,}/.test(name));
  const last = branch?.split('/').at(-1) ?? '';
  const words = last
    .replace(/^(?:[a-z]{2,6}-?\d+|\d+)[-_]/i, '')
    .split(/[-_.]+/)
    .filter((word) => word !== '' && !/^[0-9a-f]{7,}$|^\d+$/.test(word));
  return words.length < 2 ? '' : words.join(' ');
}

/** The most telling turn: the first one that names its object. A later one counts only if the first is vague. */
export function mainTurn(readings: readonly Reading[]): Reading {
  const weights = readings.map(({ asked, clear, deeds, turn, title }, i) => {
    const told = asked.sure && !asked.vague ? 4 : clear ? 2.5 : 0;
    const vague = saysNothing(turn.request?.text ?? '') ? 2 : /^(?:i|it|this|that|you|there)\b/i.test(title) ? 1.5 : 0;
    const question = /\?$/.test(title) ? 0.7 : 0;
    const prepares = readings.length > 1 && /^\/init\b/.test(turn.request?.text ?? '') ? 5 : 0;
    const reply = turn.request?.form === 'choice' || turn.request?.form === 'verdict' ? 3 : 0;
    const work = 0.6 * Math.log2(1 + turn.toolUses.length) + (deeds.modified.length > 0 ? 0.8 : 0);
    return told - vague - question - reply - prepares + work - 0.8 * Math.min(i, 8);
  });
  return readings[weights.indexOf(Math.max(...weights))] as Reading;
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
  return capital(cut(clause.replace(/[.:]+$/, ''), longestTitle));
}
