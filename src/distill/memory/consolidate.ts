// Finds facts of one page that say the same under two keys, or twice without a key. Merges them only if asked to.

import { standing } from './edits.ts';
import { findNamed } from './find.ts';
import { bringInLine, type InLine, type MemoryDeps, writeDue } from './librarian.ts';
import { memoryId } from './memories-on.ts';
import { keyOf } from './names.ts';
import { type Versions, versionsOf } from './versions.ts';

export interface Duplicate {
  readonly page: string;
  readonly keep: { readonly id: string; readonly text: string };
  readonly merge: readonly { readonly id: string; readonly text: string }[];
}

/** The share of words that two keys, or two texts, must have in common to count as duplicates. */
const likeKeys = 0.6;
const likeTexts = 0.8;

export async function consolidate(
  deps: MemoryDeps,
  { apply, page: only }: { readonly apply: boolean; readonly page?: string | undefined },
): Promise<{ duplicates: readonly Duplicate[] } & InLine> {
  await bringInLine(deps);
  const { store } = deps;
  const wanted = only === undefined ? undefined : (await findNamed(deps, only)).page;
  const duplicates: Duplicate[] = [];
  for (const { page, derived } of await store.pages.list()) {
    if (!derived || (wanted !== undefined && wanted !== page)) continue;
    const state = await store.pages.get(page);
    const edited = standing(state.edits);
    const facts = versionsOf(state.statements, state.merged).filter(
      ({ current, target }) =>
        (current.kind === 'keyed' || current.kind === 'plain') && edited.get(target)?.kind !== 'remove',
    );
    // A line that a person wrote is never merged into another. Among the others, the latest stays.
    const rank = ({ target, current }: Versions) => (edited.has(target) ? 1e15 : 0) + current.at;
    facts.sort((a, b) => rank(b) - rank(a) || (a.target < b.target ? -1 : 1));
    const taken = new Set<string>();
    for (const keep of facts) {
      if (taken.has(keep.target)) continue;
      const same = facts.filter(
        (each) => each !== keep && !taken.has(each.target) && !edited.has(each.target) && areAlike(keep, each),
      );
      if (same.length === 0) continue;
      for (const { target } of [keep, ...same]) taken.add(target);
      const shown = ({ target, current: { key, text } }: Versions) => ({
        id: memoryId(page, target, text),
        text: key === '' ? text : `${key}: ${text}`,
      });
      duplicates.push({ page, keep: shown(keep), merge: same.map(shown) });
      if (apply)
        await store.pages.mergeTargets(
          page,
          same.map(({ target }) => ({ target, into: keep.target })),
          deps.clock(),
        );
    }
  }
  return { duplicates, ...(apply ? await writeDue(deps) : { pages: [] }) };
}

/** Undoes the merges into a memory. */
export async function separate(deps: MemoryDeps, name: string): Promise<{ page: string; parted: number } & InLine> {
  await bringInLine(deps);
  const { page, target } = await findNamed(deps, name);
  const parted = target === undefined ? 0 : await deps.store.pages.unmergeTargets(page, target, deps.clock());
  return { page, parted, ...(await writeDue(deps)) };
}

function areAlike({ current: a }: Versions, { current: b }: Versions): boolean {
  const texts = likeness(words(a.text), words(b.text));
  if (a.key === '' || b.key === '') return texts >= likeTexts;
  const keys = likeness(new Set(keyOf(a.key).split(' ')), new Set(keyOf(b.key).split(' ')));
  return keys === 1 || texts === 1 || (keys >= likeKeys && texts >= 0.5);
}

const words = (text: string): Set<string> => new Set(keyOf(text).split(' '));

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared);
}
