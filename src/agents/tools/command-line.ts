// A command line → its simple commands, as they were typed. Linear in the length of the line, which was limited when it
// was stored.

/** A simple command of a line, and what joins it to the next. */
export interface Part {
  readonly text: string;
  readonly joint: '' | '&&' | '||' | ';' | '|' | '\n';
}

/**
 * Splits at `&&`, `||`, `;`, `|` and line ends outside quotes. A quote without an end runs to the end of the line,
 * because the line was cut.
 */
export function splitLine(line: string): Part[] {
  const parts: Part[] = [];
  const whole = withoutHeredocs(line).replace(/\\\n\s*/g, ' ');
  let from = 0;
  for (const found of whole.matchAll(/\\.|'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|(&&|\|\||[;|\n])/g)) {
    if (found[1] === undefined) continue;
    parts.push({ text: whole.slice(from, found.index), joint: found[1] as Part['joint'] });
    from = found.index + found[1].length;
  }
  parts.push({ text: whole.slice(from), joint: '' });
  return parts.map((part) => ({ ...part, text: plainPart(part.text) })).filter(({ text }) => text !== '');
}

/** The bodies of here-documents are data. Later lines after them are commands again. */
function withoutHeredocs(line: string): string {
  if (!line.includes('<<')) return line;
  const kept: string[] = [];
  let until: string | undefined;
  for (const row of line.split('\n')) {
    if (until !== undefined) {
      if (row.trim() === until || row.trim() === `${until})"` || row.trim() === `${until})`) {
        // The quote and the bracket from before the document end after it.
        kept.push(row.trim().slice(until.length));
        until = undefined;
      }
      continue;
    }
    until = /<<-?\s*['"]?(\w+)['"]?/.exec(row)?.[1];
    kept.push(row);
  }
  return kept
    .join('\n')
    .replace(/<<-?\s*['"]?\w+['"]?\n(?=\)?"?)/g, '')
    .replace(/\$\(cat\s*\)/g, '');
}

/** Without output redirections and without brackets around it. */
function plainPart(text: string): string {
  const part = text
    .replace(/^[\s(]+/, '')
    .replace(/(?<!\s)\s*(?:\d?>&\d|[&\d]?>\s*\/dev\/null)/g, '')
    .trim();
  const bare = part.endsWith(')') && !part.includes('(') ? part.slice(0, -1).trim() : part;
  return bare.startsWith('#') ? '' : bare;
}

const prefix = /^(?:(?:time|sudo|env|rtk|nice(?: -n ?\d+)?|timeout \S+|[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*))\s+)*/;

/** Without variable assignments before it, and without programs that only run another. */
export const withoutPrefix = (part: string): string => part.replace(prefix, '');

/** The program that only runs another one, if a command begins with it. */
export const wrapperOf = (part: string): string | undefined => {
  const before = part.slice(0, part.length - withoutPrefix(part).length);
  return /(?:^|\s)(time|sudo|env|rtk|nice|timeout)\s/.exec(before)?.[1];
};

/** `git -C path commit` is a commit: options before the subcommand only say where. */
export const withoutPlace = (part: string): string =>
  part.replace(/^(git|npm|pnpm|yarn|cargo|make|go|gh)((?:\s+(?:-C|--prefix|--dir|--repo|-R|-c)[ =]\S+)+)(?=\s)/, '$1');
