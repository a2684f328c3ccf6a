// A line of text → its parts outside and between backticks. A snippet may begin within code, where the first backtick ends it.

export interface CodePart {
  readonly text: string;
  readonly isCode: boolean;
}

/** Code neither begins nor ends with a blank, so the reading with fewer such parts is the right one. */
export function codeParts(text: string): CodePart[] {
  const pieces = text.split('`');
  const read = (first: 1 | 2): CodePart[] =>
    joined(pieces, (i) => i >= first && i % 2 === first % 2 && i < pieces.length - 1);
  const [outside, within] = [read(1), read(2)];
  return unlikely(within) < unlikely(outside) ? within : outside;
}

const unlikely = (parts: readonly CodePart[]): number =>
  parts.filter((part) => part.isCode && /^\s|\s$/.test(part.text)).length;

/** Backticks that enclose no code stay in the text. */
function joined(pieces: readonly string[], isCode: (index: number) => boolean): CodePart[] {
  const parts: CodePart[] = [];
  let plain = '';
  let isOpen = false;
  for (const [i, text] of pieces.entries()) {
    const code = isCode(i) && text !== '';
    if (i > 0 && !code && !isOpen) plain += '`';
    if (code) {
      if (plain !== '') parts.push({ text: plain, isCode: false });
      parts.push({ text, isCode: true });
      plain = '';
    } else plain += text;
    isOpen = code;
  }
  if (plain !== '') parts.push({ text: plain, isCode: false });
  return parts;
}
