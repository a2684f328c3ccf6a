// ③ Rows → the versions of each target, and the one that holds. A pure function.
import { runsTask } from '../../agents/tools/usual-commands.ts';
import { amendedIn, coreOf, removedIn } from '../../schema/statement-form.ts';
import { originalKey } from '../../store/hub/port.ts';
import type { Statement } from '../../store/memory/port.ts';
import { keyOf, plain } from './names.ts';

/** All statements of one target in chronological order, and the one that holds. */
export interface Versions {
  readonly target: string;
  readonly all: readonly Statement[];
  /** Of kind `retired` if no statement holds any more. */
  readonly current: Statement;
}

export const compare = (a: Statement, b: Statement): number =>
  a.at - b.at ||
  order(originalKey(a.file), originalKey(b.file)) ||
  a.pos - b.pos ||
  a.order - b.order ||
  order(a.text, b.text);

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Which statement holds: the person's words outrank an agent's words and counted commands. A request to remember outranks a
 * conversation. Among equals, the later statement holds. Commands are counted over sessions, so a single run never wins. A note counts
 * once another session has said the same. A target that has only unproven notes has no versions. A commit that removed something from the
 * code retires what agents said about it before, and an amended commit what was said about its first form.
 */
export function versionsOf(
  statements: readonly Statement[],
  merged: ReadonlyMap<string, string> = new Map(),
): Versions[] {
  const endings = statements.filter(isEnding).sort(compare);
  return [...byTarget(statements, merged)].flatMap(([target, list]) => {
    const all = list.sort(compare);
    const counting = all.flatMap((each) =>
      each.kind !== 'note' ? [each] : isProven(each, all) ? [{ ...each, kind: 'keyed' as const }] : [],
    );
    const current = counting.length === 0 ? undefined : holding(counting);
    if (current === undefined) return [];
    const ending = endings.find(
      (one) => compare(one, current) > 0 && (isAbout(current, one) || isAmended(current, one)),
    );
    if (ending === undefined) return [{ target, all, current }];
    const end: Statement = { ...ending, target };
    return [{ target, all: [...all, end].sort(compare), current: end }];
  });
}

const isEnding = ({ kind, key }: Statement): boolean =>
  kind === 'retired' && (removedIn(key) !== undefined || amendedIn(key) !== undefined);

/** A commit of an earlier conversation of the session, about the same things as the title that it got by amending. */
function isAmended({ kind, key, text, session, file, pos }: Statement, by: Statement): boolean {
  const title = amendedIn(by.key);
  if (title === undefined || kind !== 'keyed' || !key.startsWith('change: ') || session !== by.session) return false;
  const words = wordsOf(text);
  const isEarlier = file !== by.file || pos !== by.pos;
  return isEarlier && [...wordsOf(title)].filter((word) => words.has(word)).length >= 2;
}

/** Older versions named the commit that a statement comes from. It may be the one that removed the name. */
const sourceOfFact = / \(From the (?:commit|pull request) “[^”]*”\.\)$/;
/** A decision that itself takes something away still holds when its name is gone. */
const takesAway = /^(?:replace|swap|split|rename|move|switch|migrate|stop|disable|reject|refuse|forbid|disallow) /;

/** Only an agent's words about the code end with the name. The person's words stay. */
function isAbout({ kind, text, form, saidBy, source }: Statement, removal: Statement): boolean {
  const name = removedIn(removal.key);
  if (name === undefined || kind !== 'keyed' || saidBy !== 'agent' || source !== 'conversation') return false;
  if (form === 'commit' && takesAway.test(coreOf(text, form))) return false;
  const told = text.replace(sourceOfFact, '');
  for (let at = told.indexOf(name); at >= 0; at = told.indexOf(name, at + 1)) {
    const before = /[\p{L}\p{N}_-]*$/u.exec(told.slice(0, at))?.[0] ?? '';
    // `NewTideCursor` and `ErrTideCursorClosed` go with `TideCursor`. `TideCursorPool` may stay.
    if (/^(?:Err|New|With|new|with|make|create)$/.test(before)) return true;
    if (before === '' && !/[\p{L}\p{N}_-]/u.test(told[at + name.length] ?? '')) return true;
  }
  return false;
}

/** The latest note of each target that no other session has confirmed. */
export function unprovenNotes(
  statements: readonly Statement[],
  merged: ReadonlyMap<string, string> = new Map(),
): Statement[] {
  return [...byTarget(statements, merged).values()].flatMap((list) => {
    const last = list.sort(compare).at(-1);
    return last?.kind === 'note' && !isProven(last, list) ? [last] : [];
  });
}

function byTarget(statements: readonly Statement[], merged: ReadonlyMap<string, string>): Map<string, Statement[]> {
  const found = new Map<string, Statement[]>();
  for (const statement of statements) {
    const target = mergedInto(statement.target, merged);
    const list = found.get(target);
    if (list) list.push(statement);
    else found.set(target, [statement]);
  }
  return found;
}

function holding(all: readonly Statement[]): Statement | undefined {
  const most = Math.max(...all.map(weight));
  const highest = all.filter((each) => weight(each) === most);
  const said = highest.findLast((each) => !isCounted(each));
  if (said === undefined) return mostRun(highest);
  if (said.kind !== 'retired') return said;
  // If enough sessions still run a command after it was retired, it is in use again.
  return mostRun(highest.filter((each) => isCounted(each) && compare(each, said) > 0)) ?? said;
}

const isProven = (note: Statement, all: readonly Statement[]): boolean =>
  all.some((each) => each.session !== note.session && each.kind !== 'retired' && saysTheSame(each.text, note.text));

/** The share of telling words that two texts under one key must have in common to say the same. */
const alike = 0.5;
const denials = /\b(?:no|not|never|without|cannot)\b|n[’']t\b/giu;

/** Texts do not say the same if their numbers differ, or if only one of them is negated. */
function saysTheSame(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const numbers = (words: ReadonlySet<string>) => [...words].filter((word) => /\d/.test(word));
  const isNumbered = numbers(one).length > 0 && numbers(other).length > 0;
  if (isNumbered && !numbers(one).some((word) => other.has(word))) return false;
  if ((a.match(denials)?.length ?? 0) % 2 !== (b.match(denials)?.length ?? 0) % 2) return false;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared > 0 && shared >= alike * Math.min(one.size, other.size) && shared >= Math.max(one.size, other.size) / 3;
}

const wordsOf = (text: string): Set<string> => new Set(keyOf(text).split(' '));

/** A command that fewer sessions ran may have been an experiment. */
const leastSessions = 3;

const isCounted = ({ kind, saidBy, source }: Statement): boolean =>
  kind === 'keyed' && saidBy === 'runs' && source === 'conversation';

/**
 * The command that most sessions ran; if two are equal, the one that ran last. A task of the project wins over a bare tool that ran more
 * often. Undefined if too few sessions ran any.
 */
function mostRun(runs: readonly Statement[]): Statement | undefined {
  const tasks = runs.filter(({ text }) => runsTask(/`([^`]+)`/.exec(text)?.[1] ?? ''));
  const often = mostOften(runs, leastSessions);
  return often === undefined ? undefined : (mostOften(tasks, 1) ?? often);
}

function mostOften(runs: readonly Statement[], least: number): Statement | undefined {
  const sessions = new Map<string, Set<string>>();
  for (const { text, session } of runs) sessions.set(text, (sessions.get(text) ?? new Set()).add(session));
  const most = Math.max(0, ...[...sessions.values()].map(({ size }) => size));
  return most < least ? undefined : runs.findLast(({ text }) => sessions.get(text)?.size === most);
}

const weight = ({ saidBy, source }: Statement): number =>
  (saidBy === 'person' ? 2 : 0) + (source === 'conversation' ? 0 : 1);

export function mergedInto(target: string, merged: ReadonlyMap<string, string>): string {
  let at = target;
  for (let steps = 0; steps < 100; steps++) {
    const next = merged.get(at);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}
