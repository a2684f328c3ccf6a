// An id or the name of a page → the page, and the target on it. Also finds removed memories, so that a person can bring them back.
import path from 'node:path';
import type { TargetMemory } from '../../store/memory/port.ts';
import type { PageState } from '../../store/pages/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { isEmptied } from './edits.ts';
import type { MemoryDeps } from './librarian.ts';
import { groupOf, memoryId, stripped } from './memories-on.ts';
import { mergedInto } from './versions.ts';

export interface Named {
  readonly page: string;
  /** Undefined if the name means the whole page. */
  readonly target: string | undefined;
  readonly state: PageState;
  /** Undefined if the memory is not on the page now. */
  readonly memory: TargetMemory | undefined;
}

export async function findNamed(deps: MemoryDeps, given: string): Promise<Named> {
  const { store } = deps;
  const name = given.trim();
  // An empty name would match every id.
  if (name === '')
    throw new HoldfastError('BAD_INPUT', 'The name is empty', { hint: 'List pages with `holdfast memory list`.' });
  const page = await pageNamed(deps, name);
  if (page !== undefined) return { page, target: undefined, state: await store.pages.get(page), memory: undefined };
  const found = await store.memory.find(name.toLowerCase());
  const [memory] = found;
  if (memory !== undefined && (found.length === 1 || memory.id === name)) return onPage(deps, memory);
  if (found.length > 1)
    throw new HoldfastError('AMBIGUOUS', `${found.length} memories begin with ${JSON.stringify(name)}`, {
      hint: `Give more of the id:\n  ${listed(found)}`,
    });
  const keyed = await underKey(deps, name);
  if (keyed !== undefined) return keyed;
  const gone = /^m[0-9a-f]{3,}$/i.test(name) ? await findGone(deps, name.toLowerCase()) : undefined;
  if (gone !== undefined) return gone;
  throw new HoldfastError('NOT_FOUND', `No memory or page is called ${JSON.stringify(name)}`, {
    hint: 'List pages with `holdfast memory list`, and the memories of a page with `holdfast memory history <page>`.',
  });
}

const onPage = async ({ store }: MemoryDeps, memory: TargetMemory): Promise<Named> => ({
  ...{ page: memory.page, target: memory.target, state: await store.pages.get(memory.page), memory },
});

const listed = (found: readonly TargetMemory[]): string =>
  found
    .slice(0, 10)
    .map(({ id, text }) => `${id} ${text.slice(0, 60)}`)
    .join('\n  ');

/** A memory with a key, as a person gave it to `remember --key`, reads `deploy day: Deploys happen on Tuesdays`. */
async function underKey(deps: MemoryDeps, name: string): Promise<Named | undefined> {
  const beginning = `${name.toLowerCase()}:`;
  const found = (await deps.store.memory.list({})).filter(({ text }) => text.toLowerCase().startsWith(beginning));
  const [memory] = found;
  if (memory === undefined) return undefined;
  if (found.length === 1) return onPage(deps, memory);
  throw new HoldfastError('AMBIGUOUS', `${found.length} memories are about ${JSON.stringify(name)}`, {
    hint: `Give the id of one:\n  ${listed(found)}`,
  });
}

/** Every target that ever had a statement or an edit, with a text of it. */
export function targetsOf({ statements, edits, merged }: PageState): Map<string, string> {
  const targets = new Map<string, string>();
  for (const { target, text } of statements) targets.set(mergedInto(target, merged), text);
  for (const edit of edits)
    if (!/^(field|title|h):?/.test(edit.target) && !isEmptied(edit))
      targets.set(groupOf(edit.target), stripped(edit.text || edit.before));
  return targets;
}

async function findGone({ store }: MemoryDeps, id: string): Promise<Named | undefined> {
  for (const { page } of await store.pages.list()) {
    const state = await store.pages.get(page);
    for (const [target, text] of targetsOf(state))
      if (memoryId(page, target, text).startsWith(id)) return { page, target, state, memory: undefined };
  }
  return undefined;
}

/** `core/facts.md`, `core/facts`, `facts`, `projects/courier`, or the path of the file. */
async function pageNamed({ store, config }: MemoryDeps, name: string): Promise<string | undefined> {
  const inside = path.relative(config.memoryPath, path.resolve(name)).replaceAll(path.sep, '/');
  const pages = (await store.pages.list()).filter(({ stamp, due }) => stamp !== '' || due).map(({ page }) => page);
  for (const candidate of [name, inside].flatMap((each) => [each, `${each}.md`, `${each}/overview.md`]))
    if (pages.includes(candidate)) return candidate;
  const ends = pages.filter((page) => page.endsWith(`/${name}.md`) || page.endsWith(`/${name}/overview.md`));
  return ends.length === 1 ? ends[0] : undefined;
}
