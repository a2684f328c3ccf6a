// The items of the palette, filtered by what the person types.

export interface PaletteItem {
  readonly kind: 'page' | 'action' | 'project' | 'session' | 'search';
  readonly title: string;
  /** Shown beside the title, and searched too. */
  readonly about?: string | undefined;
  readonly run: () => void;
}

export const mostOffered = 12;
/** The kinds that are shown before the person types. */
const first = new Set<PaletteItem['kind']>(['page', 'action']);

/** Items that contain every word, best first: titles that begin with the text, then titles with a word that does, then the rest. */
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
  // Sorting is stable: items of the same rank keep their order.
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostOffered)
    .map(({ item }) => item);
}

const beginsWord = (title: string, text: string): boolean =>
  title.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(text));
