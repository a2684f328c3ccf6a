// Estimates what the Markdown parser would cost for a text, without parsing it. Text that is too costly for a page is
// shown as plain text.

/** Longer text is shown as it is: no person reads it, and the page must not freeze. */
const longest = 200_000;
/**
 * The parser compares the marks of one paragraph with each other. On a slow machine, this many comparisons take about a
 * second.
 */
const most = 300_000_000;
/** An emphasis mark costs as much as this many other marks. */
const markWeight = 20;
/** Quotes in quotes, lists in lists: each level is parsed separately. */
const deepest = 40;

const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
/** A line that always starts a new paragraph. */
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
      // The content of code fences is skipped.
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
