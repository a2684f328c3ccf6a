/** About four characters of a European language are a token; of most others, one is. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2ff) others++;
  return Math.ceil((text.length - others) / 4 + others);
}
