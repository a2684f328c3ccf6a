// The lines of a TOML file, as far as an edit of one table must know them: which lines begin inside a string or a list
// of several lines, and which line cannot be TOML. Not a parser: what it accepts may still be wrong.

export interface TomlLine {
  readonly text: string;
  readonly at: number;
  /** Whether it begins a table, a value or a comment, and not inside a value that began before. */
  readonly isFree: boolean;
}

const header = /^\s*\[\[?[^\]]+\]\]?\s*(?:#.*)?$/;
const assignment = /^\s*(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*=\s*[^\s=]/;

/** `bad` is the number of the first line that cannot be TOML. */
export function tomlLines(text: string): { readonly lines: readonly TomlLine[]; readonly bad: number | undefined } {
  const lines: TomlLine[] = [];
  let [at, depth, quote, bad] = [0, 0, '', undefined as number | undefined];
  for (const [i, line] of text
    .replace(/^\uFEFF/, ' ')
    .split('\n')
    .entries()) {
    const isFree = depth === 0 && quote === '';
    lines.push({ text: line, at, isFree });
    at += line.length + 1;
    const bare = line.trim();
    const isHeader = isFree && bare.startsWith('[');
    if (isFree && bare !== '' && !bare.startsWith('#') && !(isHeader ? header : assignment).test(line)) bad ??= i + 1;
    if (!isHeader) ({ depth, quote } = after(line, depth, quote));
  }
  return { lines, bad: bad ?? (depth !== 0 || quote !== '' ? lines.length : undefined) };
}

const token = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[\]{}]/g;

/** How many brackets and which string are open after a line. */
function after(line: string, depth: number, quote: string): { depth: number; quote: string } {
  let [open, within, from] = [depth, quote, 0];
  for (;;) {
    if (within !== '') {
      const end = line.indexOf(within, from);
      if (end < 0) return { depth: open, quote: within };
      from = end + 3;
      within = '';
    }
    token.lastIndex = from;
    const found = token.exec(line);
    if (found === null || found[0].startsWith('#')) return { depth: open, quote: '' };
    from = token.lastIndex;
    if (found[0] === '"""' || found[0] === "'''") within = found[0];
    else if (found[0] === '[' || found[0] === '{') open++;
    else if (found[0] === ']' || found[0] === '}') open = Math.max(0, open - 1);
  }
}
