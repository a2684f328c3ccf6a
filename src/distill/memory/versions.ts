// ③ What was said under one target, and what of it holds. A function of the rows.
import { originalKey } from '../../store/hub/port.ts';
import type { Statement } from '../../store/memory/port.ts';
import { keyOf, plain } from './names.ts';

/** All that was said under one target, in the order of time, and what holds. */
export interface Versions {
  readonly target: string;
  readonly all: readonly Statement[];
  /** Of kind `retired` where nothing holds any more. */
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
 * The person's words stand above an agent's and what was counted from commands, and what somebody asked to remember above what a
 * conversation said; of two that weigh the same, the later one holds. Commands are counted over sessions: the last run never wins alone.
 * A note counts once another session has said the same; a target with unproven notes alone has no versions.
 */
export function versionsOf(
  statements: readonly Statement[],
  merged: ReadonlyMap<string, string> = new Map(),
): Versions[] {
  return [...byTarget(statements, merged)].flatMap(([target, list]) => {
    const all = list.sort(compare);
    const counting = all.flatMap((each) =>
      each.kind !== 'note' ? [each] : isProven(each, all) ? [{ ...each, kind: 'keyed' as const }] : [],
    );
    const current = counting.length === 0 ? undefined : holding(counting);
    return current === undefined ? [] : [{ target, all, current }];
  });
}

/** Notes that no other session has said, the latest of each target. */
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
  // A command that sessions go on running after it was retired is in use again.
  return mostRun(highest.filter((each) => isCounted(each) && compare(each, said) > 0)) ?? said;
}

const isProven = (note: Statement, all: readonly Statement[]): boolean =>
  all.some((each) => each.session !== note.session && each.kind !== 'retired' && saysTheSame(each.text, note.text));

/** The share of telling words that two texts under one key have in common when they say the same. */
const alike = 0.5;
const denials = /\b(?:no|not|never|without|cannot)\b|n[’']t\b/giu;

/** Texts with other numbers, or of which one denies, do not say the same. */
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

/** Seen in fewer sessions, a command may have been a try. */
const leastSessions = 3;

const isCounted = ({ kind, saidBy, source }: Statement): boolean =>
  kind === 'keyed' && saidBy === 'runs' && source === 'conversation';

/** The command that most sessions ran, of two the one that was run last; undefined where too few ran any. */
function mostRun(runs: readonly Statement[]): Statement | undefined {
  const sessions = new Map<string, Set<string>>();
  for (const { text, session } of runs) sessions.set(text, (sessions.get(text) ?? new Set()).add(session));
  const most = Math.max(...[...sessions.values()].map(({ size }) => size));
  return most < leastSessions ? undefined : runs.findLast(({ text }) => sessions.get(text)?.size === most);
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
