// What the Markdown parser would take for a text, told without parsing it: what is too dear for a page is shown as plain text.

/** Longer than this it is shown as it is: no person reads it, and the page must not stand still. */
const longest = 200_000;
/** The parser compares the signs of one paragraph with each other. On a slow machine, this much takes about a second. */
const most = 300_000_000;
/** A mark of emphasis costs as much as so many other signs. */
const markWeight = 20;
/** Quotes in quotes, lists in lists: each level is read by itself. */
const deepest = 40;

const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
/** A line that always begins a paragraph of its own. */
const beginning = /^ {0,3}(?:#{1,6} |[-*+] )/;
const nested = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d{1,9}[.)])){${deepest},}`);

/** Contract: linear in the length of the text. */
export function isTooDear(text: string): boolean {
  if (text.length > longest) return true;
  let total = 0;
  let length = 0;
  let marks = 0;
  let inFence: string | undefined;
  const close = () => {
    total += length ** 2 + (markWeight * marks) ** 2;
    length = 0;
    marks = 0;
  };
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (inFence !== undefined) {
      // Code is not looked into.
      if (mark?.startsWith(inFence) === true) inFence = undefined;
      continue;
    }
    if (nested.test(line)) return true;
    if (mark !== undefined || line.trim() === '' || beginning.test(line)) close();
    inFence = mark;
    length += line.length;
    for (const sign of line) if (sign === '*' || sign === '_') marks++;
  }
  close();
  return total > most;
}
