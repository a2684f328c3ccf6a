// A text → its sentences, to compare them one by one: a side remark has little weight in the vector of the whole.

/** About as much as a sentence model reads of a text. A longer text is about one thing, and would have dozens of vectors. */
const longest = 1000;
/** `Sure!` says nothing by itself. */
const leastWords = 4;

/** Empty if the text is a single sentence, or long. */
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
