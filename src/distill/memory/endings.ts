// Which earlier statements of a page a later one ends: the name is gone, the commit was amended, or something is no longer so.
import { coreOf, withoutSource } from '../../schema/statement-form.ts';
import type { Statement } from '../../store/memory/port.ts';
import { namesIn } from '../offline/claim.ts';
import { keyOf } from './names.ts';

/** `sorted` is in chronological order. The result is the first statement that ends the given one, if any. */
export function endingsIn(sorted: readonly Statement[]): (current: Statement) => Statement | undefined {
  const endings = sorted.flatMap((by, place) => {
    const ends = endedBy(by);
    return ends === undefined ? [] : [{ by, place, ends }];
  });
  if (endings.length === 0) return () => undefined;
  const places = new Map(sorted.map((statement, place) => [statement, place]));
  return (current) => {
    // Only an agent's words end so. The person's words stay.
    if (current.kind !== 'keyed' || current.saidBy !== 'agent' || current.source !== 'conversation') return undefined;
    // A note that has become a fact is a copy of its row, so take the row with its place in time.
    const at = places.get(current) ?? sorted.findIndex((one) => isSame(one, current));
    return endings.find(({ place, by, ends }) => place > at && by.target !== current.target && ends(current))?.by;
  };
}

const isSame = (a: Statement, b: Statement): boolean =>
  a.target === b.target && a.at === b.at && a.file === b.file && a.pos === b.pos && a.order === b.order;

function endedBy(by: Statement): ((current: Statement) => boolean) | undefined {
  if (by.kind === 'retired') {
    const { ends } = by;
    if (ends?.by === 'removal') return (current) => isAbout(current, ends.of);
    return ends === undefined ? undefined : (current) => isAmended(current, by, ends.of);
  }
  const names = overIn(by);
  return names.length < 2 ? undefined : ({ text }) => !isOver.test(text) && names.every((name) => hasName(text, name));
}

/** A commit of an earlier conversation of the session, about the same things as the title that it got by amending. */
function isAmended({ form, text, session, file, pos }: Statement, by: Statement, title: string): boolean {
  if (form !== 'commit' || session !== by.session) return false;
  const words = wordsOf(text);
  const isEarlier = file !== by.file || pos !== by.pos;
  return isEarlier && [...wordsOf(title)].filter((word) => words.has(word)).length >= 2;
}

const wordsOf = (text: string): Set<string> => new Set(keyOf(text).split(' '));

/** A decision that itself takes something away still holds when its name is gone. */
const takesAway = /^(?:replace|swap|split|rename|move|switch|migrate|stop|disable|reject|refuse|forbid|disallow) /;

/** The commit that a statement comes from may be the one that removed the name, so its title does not count. */
const isAbout = ({ text, form }: Statement, name: string): boolean =>
  !(form === 'commit' && takesAway.test(coreOf(text, form))) && hasName(withoutSource(text), name);

const isOver = /\bno longer\b/i;

/** The names in the sentence in which an agent says that something is over: `--moor no longer locks TideStore`. */
function overIn({ kind, saidBy, text }: Statement): readonly string[] {
  if (kind !== 'keyed' || saidBy !== 'agent' || !isOver.test(text)) return [];
  const sentences = withoutSource(text).split(/(?<=[.!?]) +(?=[\p{Lu}`])/u);
  return namesIn(sentences.find((one) => isOver.test(one)) ?? '');
}

function hasName(told: string, name: string): boolean {
  for (let at = told.indexOf(name); at >= 0; at = told.indexOf(name, at + 1)) {
    const before = /[\p{L}\p{N}_-]*$/u.exec(told.slice(0, at))?.[0] ?? '';
    // `NewTideCursor` and `ErrTideCursorClosed` go with `TideCursor`. `TideCursorPool` may stay.
    if (/^(?:Err|New|With|new|with|make|create)$/.test(before)) return true;
    if (before === '' && !/[\p{L}\p{N}_-]/u.test(told[at + name.length] ?? '')) return true;
  }
  return false;
}
