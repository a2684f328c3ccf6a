// What the palette offers, and which of it fits what was typed.

export interface PaletteItem {
  readonly kind: 'page' | 'action' | 'project' | 'session' | 'search';
  readonly title: string;
  /** Stands beside the title, and is looked through as well. */
  readonly about?: string | undefined;
  readonly run: () => void;
}

export const mostOffered = 12;
/** Kinds in which something is shown before anything was typed. */
const first = new Set<PaletteItem['kind']>(['page', 'action']);

/** Items that hold every word, best first: a title that begins with the words, a word of the title that does, anything else. */
export function fitting(items: readonly PaletteItem[], typed: string): PaletteItem[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return items.filter(({ kind }) => first.has(kind)).slice(0, 2 * mostOffered);
  const words = text.split(/\s+/);
  const ranked = items.flatMap((item) => {
    const title = item.title.toLowerCase();
    const all = `${title} ${item.about?.toLowerCase() ?? ''}`;
    if (!words.every((word) => all.includes(word))) return [];
    const rank = title.startsWith(text) ? 0 : beginsWord(title, text) ? 1 : title.includes(text) ? 2 : 3;
    return [{ item, rank }];
  });
  // Sorting is stable: within a rank the order stays as given.
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostOffered)
    .map(({ item }) => item);
}

const beginsWord = (title: string, text: string): boolean =>
  title.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(text));
