// A long text → its first passages, to compare them one by one: a long answer says several things, and one vector is near to none of them.

/** About three sentences. A longer passage is about several things again; shorter ones found less. */
const usualLength = 400;
/** A line without an end counts up to here. */
const longestLine = 800;
/** An answer begins with what matters. Each passage costs milliseconds and a vector. */
const mostPassages = 4;
/** Enough for all passages, however the text is made. */
const mostRead = mostPassages * (usualLength + longestLine);

/** Empty if the text is a single passage. Contract: bounded work for any text. */
export function passagesIn(text: string): string[] {
  const found: string[] = [];
  let open = '';
  for (const part of text.slice(0, mostRead).split(/\n+|(?<=[.!?]) /)) {
    if (open !== '' && open.length + part.length > usualLength) {
      found.push(open);
      open = '';
    }
    open += `${open === '' ? '' : ' '}${part.slice(0, longestLine)}`;
  }
  if (open.trim() !== '') found.push(open);
  return found.length > 1 ? found.slice(0, mostPassages) : [];
}
