// Finds what an agent said that another line of the page says as well: a plan, the person's choice and a compaction often tell one decision.
import { isTellingWord } from '../../language/stop-words.ts';
import { coreOf } from '../../schema/statement-form.ts';
import type { Statement } from '../../store/memory/port.ts';

/** The share of the words of a line that stand in the other one, and how many there must be at least. */
const mostWords = 0.7;
const fewestShared = 5;
/** A word that more lines have says nothing about any of them. */
const mostLines = 60;

interface Line {
  readonly statement: Statement;
  readonly words: ReadonlySet<string>;
}

/** Keys of decisions and choices are made of the words of the text, others name what the text is about. */
const made = /^(?:change|doc|choice|decision|preference|rule|name|place): |^layout$/;

/** The beginnings of the words, so that `captured` and `capture` are the same. Numbers stay whole. */
function wordsOf({ key, text, form }: Statement): Set<string> {
  const core = coreOf(text, form);
  const told = made.test(key) ? core : `${key.replace(/ \([^()]*\)$/, '')} ${core}`;
  const words = told.toLowerCase().match(/\p{L}[\p{L}\p{N}_]{2,}|\p{N}+/gu) ?? [];
  return new Set(words.filter(isTellingWord).map((word) => word.replace(/(?<=\p{L}{3})e?s$/u, '').slice(0, 6)));
}

const isSaid = ({ kind, saidBy }: Statement): boolean => kind === 'keyed' && saidBy !== 'runs';
const isAgents = ({ saidBy, source }: Statement): boolean => saidBy === 'agent' && source === 'conversation';

/**
 * By the target of each line that another one repeats: that other one. The person's words stay, and so does the longer of two lines. A line
 * that is repeated itself takes no other with it.
 */
export function restated(all: readonly Statement[]): ReadonlyMap<string, Statement> {
  const found = new Map<string, Statement>();
  const said = all.filter(isSaid);
  if (!said.some(isAgents)) return found;
  const lines = said
    .map((statement): Line => ({ statement, words: wordsOf(statement) }))
    .sort(
      (a, b) =>
        Number(isAgents(a.statement)) - Number(isAgents(b.statement)) ||
        b.words.size - a.words.size ||
        (a.statement.target < b.statement.target ? -1 : 1),
    );
  const having = new Map<string, Line[]>();
  for (const line of lines) {
    const other = isAgents(line.statement) ? repeating(line, having) : undefined;
    if (other !== undefined) {
      found.set(line.statement.target, other.statement);
      continue;
    }
    for (const word of line.words) {
      const known = having.get(word);
      if (known === undefined) having.set(word, [line]);
      else known.push(line);
    }
  }
  return found;
}

function repeating({ words }: Line, having: ReadonlyMap<string, readonly Line[]>): Line | undefined {
  const least = Math.max(fewestShared, mostWords * words.size);
  if (words.size < least) return undefined;
  const shared = new Map<Line, number>();
  for (const word of words) {
    const lines = having.get(word) ?? [];
    if (lines.length > mostLines) continue;
    for (const line of lines) shared.set(line, (shared.get(line) ?? 0) + 1);
  }
  let best: Line | undefined;
  let most = 0;
  for (const [line, count] of shared)
    if (count >= least && count > most && sharesNumbers(words, line.words)) [best, most] = [line, count];
  return best;
}

/** `5,000 refs` does not repeat `25,000 refs`. */
const sharesNumbers = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].every((word) => !/^\p{N}/u.test(word) || others.has(word));
