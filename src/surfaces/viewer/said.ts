/** The text of an entry without the stored line that names its tools. The page shows tools separately. */
export const saidIn = (text: string): string => text.replace(/\n?\[Used tools: [^\]\n]*\]\s*$/, '');
