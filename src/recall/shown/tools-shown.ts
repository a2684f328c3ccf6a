// ④ What a hit shows of its entry's tools and of the turn around it.

import { commandLine, cut, inOneLine } from '../../language/gist.ts';
import type { Hit } from '../../schema/hit.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { KeywordQuery } from '../../store/search/port.ts';
import { inputText, outputText } from '../../store/search/tool-text.ts';
import type { Store } from '../../store/store.ts';
import type { Places } from '../vectors/places.ts';
import { matchedWords } from './snippet.ts';

const longestDeed = 300;
const longestLine = 200;
const longestPrompt = 200;
/** Of an entry with more uses, only these are compared. */
const mostUses = 20;
const telling = /error|fail|exception|panic|denied|cannot|not found|refused|fatal/i;

export interface ShownTools {
  readonly shown: Pick<Hit, 'use' | 'turn'>;
  /** The words of the query that the shown use contains. */
  readonly words: readonly string[];
}

/** For each entry, by its id: the use that matches best, and its prompt. */
export async function toolsShown(
  {
    store,
    places,
    keywords,
  }: { readonly store: Pick<Store, 'entries'>; readonly places: Places; readonly keywords: KeywordQuery },
  hits: readonly { readonly id: string; readonly place: number }[],
): Promise<ReadonlyMap<string, ShownTools>> {
  if (!places.hasTools) return new Map();
  const uses = new Map<string, ToolUse[]>();
  for (const use of await store.entries.toolUses(hits.map(({ id }) => id))) {
    const others = uses.get(use.entry);
    if (others === undefined) uses.set(use.entry, [use]);
    else if (others.length < mostUses) others.push(use);
  }
  const firstOf = ({ place }: { place: number }) => places.rowid[places.turn[place] as number] as number;
  const prompts = new Map(
    (await store.entries.beginningsAt([...new Set(hits.map(firstOf))])).map((one) => [one.row, one] as const),
  );
  return new Map(
    hits.map((hit): [string, ShownTools] => {
      const prompt = prompts.get(firstOf(hit));
      const best = bestUse(uses.get(hit.id) ?? [], keywords);
      const isOther = prompt?.isPrompt === true && prompt.id !== hit.id;
      return [
        hit.id,
        {
          shown: {
            ...(best === undefined ? {} : { use: best.use }),
            ...(isOther ? { turn: { id: prompt.id, asked: cut(inOneLine(prompt.text), longestPrompt) } } : {}),
          },
          words: best?.words ?? [],
        },
      ];
    }),
  );
}

function bestUse(
  uses: readonly ToolUse[],
  keywords: KeywordQuery,
): { use: Hit['use']; words: readonly string[] } | undefined {
  let best: { use: ToolUse; words: readonly string[]; line: string | undefined } | undefined;
  for (const use of uses) {
    const line = bestLine(outputText(use.output ?? ''), keywords, use.outcome === 'error');
    const words = [inputText(use.input), line ?? ''].flatMap((text) => matchedWords(text, keywords));
    if (best === undefined || words.length > best.words.length) best = { use, words, line };
  }
  if (best === undefined) return undefined;
  const { use, words, line } = best;
  return {
    use: {
      tool: use.tool,
      did: cut(deedOf(use), longestDeed),
      ...(use.outcome === undefined ? {} : { outcome: use.outcome }),
      ...(line === undefined ? {} : { line: cut(inOneLine(line), longestLine) }),
    },
    words,
  };
}

/** The command as it was run; for other tools, the first part of their input. */
function deedOf({ input, files }: ToolUse): string {
  const command = commandLine(input);
  if (command !== undefined) return command.trim();
  const [file] = files;
  if (file !== undefined) return file;
  return inOneLine(inputText(input));
}

/** The line with most words of the query. Without one, after a failure, the line that says why. */
function bestLine(output: string, keywords: KeywordQuery, failed: boolean): string | undefined {
  let best: { line: string; matched: number } | undefined;
  let why: string | undefined;
  let first: string | undefined;
  for (const line of output.split('\n')) {
    if (line.trim() === '') continue;
    first ??= line;
    const matched = matchedWords(line, keywords).length;
    if (matched > (best?.matched ?? 0)) best = { line, matched };
    if (failed && why === undefined && telling.test(line)) why = line;
  }
  return best?.line ?? (failed ? (why ?? first) : undefined);
}
