// Tool uses → the text that they are found by: what was run or changed, and the useful part of what came of it. Bounded for each use
// and for each entry, so that a log does not drown a sentence.

/** A tool use as the tables have it. */
export interface UseText {
  readonly tool: string;
  /** JSON, which may be cut in the middle. */
  readonly input: string;
  readonly output: string | null;
}

/** What the index of words takes of a use, and of all uses of an entry. */
const indexed = { input: 1000, output: 800, ofEntry: 8000 } as const;
/** What a vector is made of. More of an input or an output says little about its meaning. */
const embedded = { input: 500, output: 400, ofEntry: 2400 } as const;
/** JSON that is nested deeper says nothing that a person would ask for. */
const deepest = 6;

/** Both columns of the index. Contract: never throws; linear in the length of what is stored. */
export function indexedUses(uses: readonly UseText[]): { readonly input: string; readonly output: string } {
  return {
    input: joined(uses, indexed.ofEntry, ({ tool, input }) => `${tool} ${inputText(input).slice(0, indexed.input)}`),
    output: joined(uses, indexed.ofEntry, ({ output }) => outputText(output ?? '').slice(0, indexed.output)),
  };
}

/** The text of an entry with what its tools did, as an embedder gets it. */
export function embeddedText(text: string, uses: readonly UseText[]): string {
  const own = withoutToolNames(text);
  if (uses.length === 0) return own;
  const done = joined(uses, embedded.ofEntry, ({ input, output }) =>
    `${inputText(input).slice(0, embedded.input)}\n${outputText(output ?? '').slice(0, embedded.output)}`.trim(),
  );
  return `${own}\n${done}`.trim();
}

/** An answer that used tools ends with a line that names them; it says nothing about the matter. */
export const withoutToolNames = (text: string): string => text.replace(/\n?\[Used tools: [^\]\n]*\]\s*$/, '');

function joined(uses: readonly UseText[], most: number, textOf: (use: UseText) => string): string {
  let all = '';
  for (const use of uses) {
    if (all.length >= most) break;
    const text = textOf(use);
    if (text !== '') all += all === '' ? text : `\n${text}`;
  }
  return all.slice(0, most);
}

/** The strings in an input, a line each, without the names of the fields. */
export function inputText(input: string): string {
  const values: string[] = [];
  try {
    collect(JSON.parse(input), values, 0);
    return values.join('\n');
  } catch {
    // Cut in the middle: as much as can be read.
    return input
      .replace(/\\[nt]/g, ' ')
      .replace(/\\(["\\/])/g, '$1')
      .replace(/"[\w-]+":\s*/g, ' ');
  }
}

function collect(value: unknown, into: string[], depth: number): void {
  if (typeof value === 'string') into.push(value);
  else if (typeof value === 'object' && value !== null && depth < deepest)
    for (const one of Object.values(value)) collect(one, into, depth + 1);
}

const controlSequence = String.fromCharCode(27);
/** Colours and cursor movements of a terminal, and characters that are no text. */
const noise = new RegExp(`${controlSequence}\\[[0-9;?]*[ -/]*[@-~]|(?![\\t\\n])\\p{Cc}`, 'gu');

export const outputText = (output: string): string => output.replace(noise, ' ');
