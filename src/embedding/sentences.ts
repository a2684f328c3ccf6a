// A text → its sentences, to be compared one by one: what was said in passing has little part in the vector of the whole.

/** About what a sentence model reads of a text. Longer ones are about one thing, and would have dozens of vectors each. */
const longest = 1000;
/** `Sure!` says nothing by itself. */
const leastWords = 4;

/** None where the text is a single one, or long. */
export function sentencesIn(text: string): string[] {
  if (text.length > longest) return [];
  const found: string[] = [];
  let open = '';
  for (const part of text.split(/(?<=[.!?])\s+|\n+/)) {
    if (part.trim() === '') continue;
    open = open === '' ? part : `${open} ${part}`;
    if (open.split(/\s+/).length < leastWords) continue;
    found.push(open);
    open = '';
  }
  if (open !== '' && found.length > 0) found.push(`${found.pop()} ${open}`);
  return found.length > 1 ? found : [];
}
