// ④ What a subagent was told and what it reported stand twice: in its own file, and in the tool use of the session that started it. A search
// shows the session's.
import { inOneLine } from '../language/gist.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { EntryAt } from '../store/entries/port.ts';
import { inputText, outputText } from '../store/search/tool-text.ts';
import type { Store } from '../store/store.ts';
import type { Ranked } from './ranking/rank.ts';

/** Compared from its beginning: a stored output has only the beginning and the end of a long text. */
const compared = 120;
/** Shorter texts may be equal by chance. */
const shortest = 40;

/** Without what a subagent said and the session's own entry repeats. That entry takes the better score of both. */
export async function withoutReports<R extends Ranked>(
  store: Pick<Store, 'entries'>,
  ranked: readonly R[],
  read: ReadonlyMap<number, EntryAt>,
): Promise<readonly R[]> {
  const entryOf = ({ place }: R) => read.get(place)?.entry;
  const said = ranked.filter((one) => entryOf(one)?.subagent !== undefined);
  const sessions = new Set(said.map((one) => entryOf(one)?.session));
  const starters = ranked.filter((one) => {
    const entry = entryOf(one);
    return entry !== undefined && entry.subagent === undefined && entry.tools.length > 0 && sessions.has(entry.session);
  });
  if (starters.length === 0) return ranked;
  const byId = new Map(starters.map((one) => [entryOf(one)?.id, one]));
  const uses = (await store.entries.toolUses(starters.flatMap((one) => entryOf(one)?.id ?? []))).map((use) => ({
    starter: byId.get(use.entry) as R,
    text: textOf(use),
  }));
  const better = new Map<R, number>();
  const repeated = new Set<R>();
  for (const one of said) {
    const entry = entryOf(one);
    const text = inOneLine(entry?.text ?? '').slice(0, compared);
    if (text.length < shortest) continue;
    const found = uses.find((use) => entryOf(use.starter)?.session === entry?.session && use.text.includes(text));
    if (found === undefined) continue;
    repeated.add(one);
    better.set(found.starter, Math.max(better.get(found.starter) ?? found.starter.score, one.score));
  }
  return ranked.flatMap((one) => (repeated.has(one) ? [] : [{ ...one, score: better.get(one) ?? one.score }]));
}

const textOf = ({ input, output = '' }: ToolUse): string => inOneLine(`${inputText(input)}\n${outputText(output)}`);
