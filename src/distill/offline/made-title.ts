// The title of a session from its commits and pull requests, weighed by how much of the work each one covers.
import { modifies } from '../../language/files-touched.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import {
  isHousekeeping,
  isOfDocuments,
  isOfTests,
  isProof,
  kindOfChange,
  plainTitle,
  tidiesUp,
  withScope,
} from './commit-title.ts';
import type { Reading } from './observe.ts';
import { isSound, wordsOf } from './request.ts';
import { takenBack } from './taken-back.ts';

interface Made {
  /** The first line of a commit, or the title of a pull request. */
  readonly message: string;
  readonly isRequest: boolean;
  readonly failed: boolean;
  /** The edits and commands since the previous commit. For a pull request, since the previous pull request. */
  readonly work: number;
  /** The turns about it: the one that made it, those that edited since the previous commit, and those whose request names its object. */
  readonly turns: ReadonlySet<number>;
}

export interface MadeTitle {
  /** A title that names most of the work; empty if there is none. */
  readonly sure: string;
  /** Says what was done if the requests do not. */
  readonly minor: string;
}

export function madeTitle(readings: readonly Reading[]): MadeTitle {
  const all = madeIn(readings);
  const made = all.filter(({ failed }) => !failed);
  const pool = candidatesIn(made);
  const group = mainGroup(pool);
  const best = largest(group);
  if (best === undefined) return { sure: lastBump(made), minor: minorIn(all, readings) };
  const title = planSubject(made, pool) || withScope(best.message);
  // A pull request contains the commits around it.
  const share = shareOf(best.isRequest ? made : group, readings);
  const isUnrelated = pool.length > 2 && workOf(group) < workOf(pool) / 2;
  if (share < (isAside(best) ? leastAside : least)) return { sure: '', minor: '' };
  return isUnrelated ? { sure: '', minor: title } : { sure: title, minor: title };
}

/** The share of a session's work that a commit must cover to name it. A commit beside the program must cover more. */
const least = 0.2;
const leastAside = 0.5;
/** An edit says more about the work than a command. */
const perCommand = 0.2;

const isEdit = ({ tool, outcome, files }: ToolUse): boolean =>
  modifies.test(tool) && outcome !== 'error' && files.length > 0;

/** All commits and pull requests that the person did not take back, in their order. */
function madeIn(readings: readonly Reading[]): Made[] {
  const made: Made[] = [];
  const uses = readings.flatMap(({ turn }, place) => turn.toolUses.map((use) => ({ use, place })));
  const asked = readings.map(({ turn }) => new Set(wordsOf(turn.request?.text.slice(0, 2000) ?? '')));
  const back = takenBack(readings);
  let from = 0;
  let committed = 0;
  for (const [place, { deeds }] of readings.entries())
    for (const { message: line, opened, outcome, entry } of deeds.commands) {
      const message = opened?.title ?? line;
      if (message === undefined || back.has(place)) continue;
      const until = Math.max(from, 1 + uses.findLastIndex((one) => one.place === place && one.use.entry === entry));
      const since = uses.slice(from, until);
      const work = since.reduce((sum, { use }) => sum + (isEdit(use) ? 1 : perCommand), 0);
      const isRequest = opened?.title !== undefined;
      const failed = outcome === 'failed';
      const words = wordsOf(message);
      const edited = since.filter(({ use }) => isEdit(use)).map((one) => one.place);
      const named = [...asked.keys()].filter((i) => words.filter((word) => asked[i]?.has(word)).length >= 2);
      const turns = new Set([place, ...edited, ...named]);
      made.push({ message, isRequest, failed, work: isRequest ? committed + work : work, turns });
      if (failed) continue;
      from = until;
      committed = isRequest ? 0 : committed + work;
    }
  return made;
}

const plans = /^(?:add|write|create|draft|commit) (?:the |an? )?(.+?) plan(?: ((?:for|of|to) .+))?$/i;

const plain = ({ message }: Made): string => message.replace(kindOfChange, '').trim();
/** Texts and tests stand beside the program. */
const isBeside = (made: Made): boolean =>
  isOfDocuments(made.message) || isOfTests(made.message) || plans.test(plain(made));
const isAside = (made: Made): boolean => isBeside(made) || isHousekeeping(made.message);

/** What may name the session: pull requests before commits, the program before documents. */
function candidatesIn(made: readonly Made[]): readonly Made[] {
  const telling = made.filter(({ message }) => !isHousekeeping(message) && !isProof(message));
  const program = telling.filter((one) => !isBeside(one));
  const all = program.length > 0 ? program : telling;
  const requests = all.filter(({ isRequest }) => isRequest);
  return requests.length > 0 ? requests : all;
}

/** The related candidates that cover the most work. */
function mainGroup(pool: readonly Made[]): readonly Made[] {
  const words = new Map(pool.map((one) => [one, new Set(wordsOf(one.message))]));
  const groups = pool.map((one) =>
    pool.filter((other) => other === one || [...(words.get(other) ?? [])].some((word) => words.get(one)?.has(word))),
  );
  return groups.reduce((a, b) => (workOf(b) > workOf(a) ? b : a), groups[0] ?? []);
}

const workOf = (made: readonly Made[]): number => made.reduce((sum, { work }) => sum + work, 0);

/** The first one, unless a later one covers clearly more: what follows a commit often only improves it. */
const largest = (made: readonly Made[]): Made | undefined =>
  made.reduce<Made | undefined>((a, b) => (a === undefined || b.work > clearly * a.work ? b : a), undefined);
const clearly = 1.5;

/** The share of the session's tool uses that belong to the turns about these commits. */
function shareOf(made: readonly Made[], readings: readonly Reading[]): number {
  const about = new Set(made.flatMap(({ turns }) => [...turns]));
  const weigh = (some: readonly Reading[]) => some.reduce((sum, { turn }) => sum + 1 + turn.toolUses.length, 0);
  return weigh(readings.filter((_, i) => about.has(i))) / weigh(readings);
}

/** The subject of a plan that was committed first and then carried out in several commits. */
function planSubject(made: readonly Made[], pool: readonly Made[]): string {
  const first = made.find((one) => !isHousekeeping(one.message));
  const [, what = '', about = ''] = first === undefined || pool.length < 3 ? [] : (plans.exec(plain(first)) ?? []);
  const subject = plainTitle(`${what} ${about}`.trim());
  return what !== '' && isSound(subject) ? subject : '';
}

/** Names its object, so that it says what a session was about if nothing else does. */
const bump = /^(?:bump|upgrade|update) \S*[\w/.-]{3,}\S* (?:from \S+ )?to \S+/i;

const lastBump = (made: readonly Made[]): string =>
  plainTitle(made.findLast((one) => bump.test(plain(one)))?.message ?? '');

/** A commit that tidies up the project, or one that a hook refused. */
function minorIn(made: readonly Made[], readings: readonly Reading[]): string {
  const found = made.find((one) => {
    const title = plainTitle(one.message);
    return isSound(title) && !tidiesUp.test(title) && !isProof(one.message) && shareOf([one], readings) >= leastAside;
  });
  return found === undefined ? '' : withScope(found.message);
}
