// Small turns of phrase that several parts use.

/** `a, b and 3 more`: the first few, and how many are left. */
export function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, items.length === most + 1 ? most + 1 : most);
  const more = items.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

export const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

/** A word of the language gets a capital; an identifier such as `userName` stays as it is. */
export const capital = (text: string): string =>
  /^\p{Ll}+(?:['’]\p{Ll}+)?(?:[\s,:!?.-]|$)/u.test(text)
    ? text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
    : text;

/** With a full stop, unless it ends with a mark of its own. */
export const ended = (text: string): string => (/[.!?…。！？]["'”’)\]`]*$/.test(text) ? text : `${text}.`);

export const unique = (items: readonly string[]): string[] => [...new Set(items)];

/** The name of a file, which is what a person knows it by. */
export const fileName = (file: string): string => file.split('/').at(-1) || file;

/** The names of files, with the folder where two are called the same. */
export function shortNames(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(fileName(file), (counts.get(fileName(file)) ?? 0) + 1);
  return unique(
    files.map((file) => ((counts.get(fileName(file)) ?? 0) > 1 ? file.split('/').slice(-2).join('/') : fileName(file))),
  );
}
