/** A token is about four characters of a European language, and about one of most others. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2ff) others++;
  return Math.ceil((text.length - others) / 4 + others);
}
