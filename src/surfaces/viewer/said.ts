/** What was said in an entry, without the line that stands in the store for its tools: these are shown by themselves. */
export const saidIn = (text: string): string => text.replace(/\n?\[Used tools: [^\]\n]*\]\s*$/, '');
