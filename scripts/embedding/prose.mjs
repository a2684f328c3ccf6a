// Markdown and plain text → sentences and passages of English prose.

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const common =
  /\b(the|a|an|of|to|in|is|are|and|for|that|this|with|you|it|be|on|by|or|as|not|can|will|from|was|i|my|we)\b/gi;

/** The running text of a Markdown file by paragraph or list item: no code, tables, pictures or markup. */
export function paragraphs(markdown) {
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1/gm, '\n\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(pre|script|style|table|svg)\b[\s\S]*?<\/\1>/gi, '\n\n')
    .replace(/<[^>\n]{1,300}>/g, ' ')
    .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/^\[[^\]]+\]:.*$/gm, '')
    .replace(/\r/g, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)]|#{1,6})\s)|(?<=^#{1,6} .*)\n/m)
    .filter((part) => !/^( {4}|\t|\s*\|)/.test(part))
    .map(tidy)
    .filter((part) => part.length > 0);
}

const tidy = (part) =>
  part
    .replace(/^\s*(?:[-*+•>]|\d+[.)]|#{1,6})\s+/, '')
    .replace(/https?:\/\/\S+/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, ' ')
    .replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{2,3}|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();

export const sentences = (text) => Array.from(segmenter.segment(text), ({ segment }) => segment.trim());

/** Whether a text reads like English and not like code, a list of names or another language. */
export function isProse(text, shortest = 20, longest = 700) {
  if (text.length < shortest || text.length > longest) return false;
  const words = text.split(' ');
  if (words.length < 4) return false;
  const plain = text.match(/[A-Za-z ,.']/g)?.length ?? 0;
  return plain / text.length > 0.88 && (text.match(common)?.length ?? 0) / words.length > 0.12;
}

/** Neighbouring sentences joined, 2 to 4 at a time. */
export function passages(list) {
  const joined = [];
  for (let at = 0, width = 2; at + 1 < list.length; at += width, width = 2 + (width % 3))
    joined.push(list.slice(at, at + width).join(' '));
  return joined;
}
