// A Markdown page ⇄ its blocks: frontmatter fields, headings, list items, paragraphs. A person's edits are found block by block.

export interface Block {
  /** Verbatim, without the blank lines around it. */
  readonly text: string;
  /** Follows the block before it without a blank line. */
  readonly tight: boolean;
  /** A field of the frontmatter. */
  readonly front: boolean;
}

const heading = /^#{1,6}(\s|$)/;
const item = /^ ?([-*+]|\d{1,9}[.)])(\s|$)/;
const fence = /^\s*(`{3,}|~{3,})/;
const field = /^[^\s#:-][^:]*:(\s|$)/;
const ruler = /^---[ \t]*$/;

export const isHeading = (block: Pick<Block, 'text' | 'front'>): boolean => !block.front && heading.test(block.text);
export const isFence = (line: string): boolean => fence.test(line);
export const isItem = (block: Pick<Block, 'text' | 'front'>): boolean => !block.front && item.test(block.text);

/** Removes the byte order mark and makes all line ends line feeds. */
export const unified = (text: string): string => text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');

export function parsePage(given: string): Block[] {
  const lines = unified(given).split('\n');
  const end = ruler.test(lines[0] as string) ? lines.findIndex((line, i) => i > 0 && ruler.test(line)) : -1;
  return [...fields(lines.slice(1, Math.max(1, end))), ...parseBody(lines.slice(end + 1).join('\n'))];
}

/** Each field reaches up to the line that begins the next one. */
function fields(lines: readonly string[]): Block[] {
  const blocks: string[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last === undefined || field.test(line)) blocks.push([line]);
    else last.push(line);
  }
  return blocks
    .map((lines) => lines.join('\n').trimEnd())
    .filter((block) => block.trim() !== '')
    .map((block) => ({ text: block, tight: true, front: true }));
}

export function parseBody(text: string): Block[] {
  const lines = unified(text).split('\n');
  const blocks: Block[] = [];
  let open: { lines: string[]; tight: boolean; item: boolean } | undefined;
  let blank = false;
  const close = () => {
    if (open) blocks.push({ text: open.lines.join('\n').trimEnd(), tight: open.tight, front: false });
    open = undefined;
  };
  const begin = (line: string, isItem: boolean) => {
    close();
    open = { lines: [line], tight: !blank && blocks.length > 0, item: isItem };
    blank = false;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = (lines[i] as string).trimEnd();
    if (line === '') {
      blank = true;
      if (!open?.item) close();
      continue;
    }
    const isItem = item.test(line);
    // After a blank line, only indented lines still belong to a list item.
    const goesOn = open !== undefined && (!blank || (open.item && /^\s{2,}/.test(line)));
    const end = fenceEnd(lines, i);
    if (heading.test(line)) {
      begin(line, false);
      close();
    } else if (isItem) begin(line, true);
    else {
      if (!goesOn || open === undefined) begin(line, false);
      else {
        if (blank) open.lines.push('');
        open.lines.push(line);
      }
      blank = false;
      if (end > i) {
        // Lines inside a fence are neither headings nor list items.
        open?.lines.push(...lines.slice(i + 1, end + 1));
        i = end;
        if (open?.item !== true) close();
      }
    }
  }
  close();
  return blocks;
}

/** The index of the line that closes the fence opened here. `from` itself if there is no fence, or if it is never closed. */
export function fenceEnd(lines: readonly string[], from: number): number {
  const mark = fence.exec(lines[from] as string)?.[1];
  if (mark === undefined) return from;
  for (let i = from + 1; i < lines.length; i++) {
    const line = (lines[i] as string).trim();
    if (line.length >= mark.length && line === (mark[0] as string).repeat(line.length)) return i;
  }
  return from;
}

export function joinPage(blocks: readonly Block[]): string {
  const front = blocks.filter((block) => block.front);
  const body = blocks.filter((block) => !block.front);
  let text = front.length > 0 ? `---\n${front.map((block) => block.text).join('\n')}\n---\n` : '';
  for (const [i, block] of body.entries()) {
    const before = body[i - 1];
    // A blank line first keeps a page that begins with a ruler from looking like frontmatter.
    if (before === undefined) text += text !== '' || ruler.test(block.text.split('\n')[0] as string) ? '\n' : '';
    else text += block.tight && !runsOn(before, block) ? '\n' : '\n\n';
    text += block.text;
  }
  return body.length > 0 ? `${text}\n` : text;
}

/** Whether a parser would read the second block as part of the first if no blank line separated them. */
const runsOn = (before: Block, block: Block): boolean =>
  !isHeading(block) && !isItem(block) && !isHeading(before) && !(isClosedFence(before) && !isItem(before));

const isClosedFence = ({ text }: Block): boolean => {
  const lines = text.split('\n');
  return fenceEnd(lines, 0) === lines.length - 1 && lines.length > 1;
};
