// Small helpers for wording.

/** `a, b and 3 more`. */
export function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, items.length === most + 1 ? most + 1 : most);
  const more = items.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

export const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

/** Capitalizes an ordinary word, but leaves an identifier such as `userName` as it is. */
export const capital = (text: string): string =>
  /^\p{Ll}+(?:['’]\p{Ll}+)?(?:[\s,:!?.-]|$)/u.test(text)
    ? text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
    : text;

/** Adds a full stop unless the text ends with a punctuation mark. */
export const ended = (text: string): string => (/[.!?…。！？]["'”’)\]`]*$/.test(text) ? text : `${text}.`);

export const unique = (items: readonly string[]): string[] => [...new Set(items)];

export const fileName = (file: string): string => file.split('/').at(-1) || file;

/** File names, with the folder if two files have the same name. */
export function shortNames(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(fileName(file), (counts.get(fileName(file)) ?? 0) + 1);
  return unique(
    files.map((file) => ((counts.get(fileName(file)) ?? 0) > 1 ? file.split('/').slice(-2).join('/') : fileName(file))),
  );
}
