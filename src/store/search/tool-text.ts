// Tool uses → their search text: what was run or changed, and the useful part of the output. Bounded per use and per
// entry, so that a log does not drown a sentence.

/** A tool use as stored in the tables. */
export interface UseText {
  readonly tool: string;
  /** JSON, possibly truncated. */
  readonly input: string;
  readonly output: string | null;
}

/** The limits for the keyword index, per use and per entry. */
const indexed = { input: 1000, output: 800, ofEntry: 8000 } as const;
/** The limits for a vector. More of an input or output adds little meaning. */
const embedded = { input: 500, output: 400, ofEntry: 2400 } as const;
/** JSON nested deeper contains nothing that people search for. */
const deepest = 6;

/** Both columns of the index. */
export interface IndexedUses {
  readonly input: string;
  readonly output: string;
}

/** Uses beyond this number in one entry are not indexed; the transcript still has them. */
export const mostUses = 200;

/** Contract: never throws; linear in the length of the stored texts. */
export function indexedUses(uses: readonly UseText[]): IndexedUses {
  return {
    input: joined(uses, indexed.ofEntry, ({ tool, input }) => `${tool} ${inputText(input).slice(0, indexed.input)}`),
    output: joined(uses, indexed.ofEntry, ({ output }) => outputText(output ?? '').slice(0, indexed.output)),
  };
}

/** A vector is made of so many uses of an entry. */
export const embeddedUses = 20;

/** The text of an entry with its tool uses, for the embedder. */
export function embeddedText(text: string, uses: readonly UseText[]): string {
  if (uses.length === 0) return text;
  const done = joined(uses, embedded.ofEntry, ({ input, output }) =>
    `${inputText(input).slice(0, embedded.input)}\n${outputText(output ?? '').slice(0, embedded.output)}`.trim(),
  );
  return `${text}\n${done}`.trim();
}

function joined(uses: readonly UseText[], most: number, textOf: (use: UseText) => string): string {
  let all = '';
  for (const use of uses) {
    if (all.length >= most) break;
    const text = textOf(use);
    if (text !== '') all += all === '' ? text : `\n${text}`;
  }
  return all.slice(0, most);
}

/** The string values of an input, one per line, without field names. */
export function inputText(input: string): string {
  const values: string[] = [];
  try {
    collect(JSON.parse(input), values, 0);
    return values.join('\n');
  } catch {
    // Truncated JSON: take what is readable.
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
/** Terminal colours, cursor movements and control characters. */
const noise = new RegExp(`${controlSequence}\\[[0-9;?]*[ -/]*[@-~]|(?![\\t\\n])\\p{Cc}`, 'gu');

/** A quick test: most outputs have no control characters but tabs and ends of lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const mayBeNoisy = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

export const outputText = (output: string): string => (mayBeNoisy.test(output) ? output.replace(noise, ' ') : output);
