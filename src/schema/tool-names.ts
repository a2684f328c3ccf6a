/**
 * The text of an entry from an older store, export or hub, without the line that named its tools. Contract: linear in
 * the length of the text.
 */
export function withoutToolNames(text: string, tools: readonly string[]): string {
  if (tools.length === 0) return text;
  // In the text, redaction may have changed a name in another way than in the list.
  const from = text.lastIndexOf('[Used tools: ');
  const isLastLine = from >= 0 && text.endsWith(']') && (from === 0 || text[from - 1] === '\n');
  return isLastLine && !text.includes('\n', from) ? text.slice(0, Math.max(0, from - 1)) : text;
}
