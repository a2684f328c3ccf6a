// ③ Rows → the versions of each target, and the one that holds. A pure function.
import { runsTask } from '../../agents/tools/usual-commands.ts';
import { cut } from '../../language/gist.ts';
import { askedFor } from '../../schema/statement-form.ts';
import { originalKey } from '../../store/hub/port.ts';
import type { Statement } from '../../store/memory/port.ts';
import { endingsIn } from './endings.ts';
import { keyOf, plain } from './names.ts';
import { restated } from './restated.ts';

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
 * code retires what agents said about it before, an amended commit what was said about its first form, and a sentence that something is no
 * longer so what was said about the same names. What another line says as well stands on the page once.
 */
export function versionsOf(
  statements: readonly Statement[],
  merged: ReadonlyMap<string, string> = new Map(),
): Versions[] {
  const endingOf = endingsIn([...statements].sort(compare));
  const holdingNow = [...byTarget(statements, merged)].flatMap(([target, list]): Versions[] => {
    const all = list.sort(compare);
    const counting = all.flatMap((each) =>
      each.kind !== 'note' ? [each] : isProven(each, all) ? [{ ...each, kind: 'keyed' as const }] : [],
    );
    const current = counting.length === 0 ? undefined : holding(counting);
    if (current === undefined) return [];
    const ending = endingOf(current);
    if (ending === undefined) return [{ target, all, current }];
    const end: Statement = { ...ending, target, kind: 'retired', why: ending.why || ending.text };
    return [{ target, all: [...all, end].sort(compare), current: end }];
  });
  const repeated = restated(holdingNow.map(({ target, current }) => ({ ...current, target })));
  if (repeated.size === 0) return holdingNow;
  return holdingNow.map((each) => {
    const other = repeated.get(each.target);
    return other === undefined ? each : restatedBy(each, other);
  });
}

/** The line leaves the page, and comes back when the other one does not hold any more. */
function restatedBy({ target, all, current }: Versions, { text }: Statement): Versions {
  const why = `Another line says it too: “${cut(text, 120)}”`;
  const end: Statement = { ...current, target, kind: 'retired', order: current.order + 0.5, why };
  return { target, all: [...all, end], current: end };
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

/** A command that fewer sessions ran may have been an experiment. A task is made by the project itself, so two sessions do. */
const leastSessions = 3;
const leastOfTask = 2;

const isCounted = ({ kind, saidBy, source }: Statement): boolean =>
  kind === 'keyed' && saidBy === 'runs' && source === 'conversation';

/**
 * The command that most sessions ran; if two are equal, the one that ran last. A task of the project wins over a bare tool that ran more
 * often. If too few sessions ran any: the one that a person asked for and whose success the agent told.
 */
function mostRun(runs: readonly Statement[]): Statement | undefined {
  const tasks = runs.filter(({ text }) => runsTask(/`([^`]+)`/.exec(text)?.[1] ?? ''));
  const often = mostOften(runs, leastSessions) ?? mostOften(tasks, leastOfTask);
  if (often !== undefined) return mostOften(tasks, 1) ?? often;
  return mostOften(
    runs.filter(({ why }) => why === askedFor),
    1,
  );
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
