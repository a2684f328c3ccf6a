// Requests to remember become rows of their own, at once on the right page and in the index. They outrank the statements of conversations.

import type { About, Memory, SaidBy } from '../../schema/memory.ts';
import type { Statement } from '../../store/memory/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { nextMoment, standing } from './edits.ts';
import { findNamed } from './find.ts';
import { edit } from './history.ts';
import { bringInLine, type MemoryDeps, syncPage, writeDue } from './librarian.ts';
import { groupOf } from './memories-on.ts';
import { sameText } from './names.ts';
import { corePages, keyedTarget, plainTarget, projectPage, targetHash } from './place.ts';
import { mergedInto, versionsOf } from './versions.ts';

export interface Wish {
  readonly text: string;
  readonly about?: About | undefined;
  readonly key?: string | undefined;
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Whose words these are: the person's, unless an agent asks. */
  readonly saidBy?: SaidBy | undefined;
}

/** Returns the memory, and whether it was already known. */
export async function remember(deps: MemoryDeps, wish: Wish): Promise<{ memory: Memory; known: boolean }> {
  return keep(deps, wish, { source: 'remembered', session: '', from: '' });
}

/** Makes a lasting fact from a memory on a page, such as an episode. The fact keeps its source. */
export async function promote(
  deps: MemoryDeps,
  name: string,
  wish: Partial<Wish>,
): Promise<{ memory: Memory; known: boolean }> {
  await bringInLine(deps);
  const { memory, page } = await findNamed(deps, name);
  if (memory === undefined)
    throw new HoldfastError('BAD_INPUT', `${page} is a page`, {
      hint: `Name one of its memories, by the id in: holdfast memory history ${page}`,
    });
  const text = wish.text ?? memory.text;
  const from = { source: 'promoted', session: memory.session, from: `${memory.id} ${memory.page}` } as const;
  return keep(deps, { ...wish, text }, from);
}

async function keep(
  deps: MemoryDeps,
  { text, about = 'world', key = '', project = '', tags = [], saidBy = 'person' }: Wish,
  origin: Pick<Statement, 'source' | 'session' | 'from'>,
): Promise<{ memory: Memory; known: boolean }> {
  const { store } = deps;
  const place = project === '' ? corePages[about] : { page: projectPage(project), title: project };
  const own = key === '' ? plainTarget(text) : keyedTarget(key);
  const kind = key === '' ? 'plain' : 'keyed';
  // First read the person's current edits. An unwritable folder must not prevent remembering.
  await syncPage(deps, place.page).catch(() => undefined);
  const state = await store.pages.get(place.page);
  const target = mergedInto(own, state.merged);
  // Two requests at the same time still need an order, and an earlier forgetting must not remove a later request.
  const reached = (await store.pages.forgottenUpTo()).get(targetHash(place.page, own)) ?? 0;
  const at = state.statements.reduce(
    (last, each) => (each.source === 'conversation' ? last : Math.max(last, each.at + 1)),
    Math.max(deps.clock(), reached + 1),
  );
  const said = versionsOf(state.statements, state.merged).find((each) => each.target === target)?.current;
  const holding = [...standing(state.edits).keys()].filter((each) => groupOf(each) === target);
  const known =
    said !== undefined &&
    said.source !== 'conversation' &&
    (said.saidBy === 'person' || saidBy !== 'person') &&
    sameText(said.text, text) &&
    holding.length === 0;
  if (!known) {
    // The new request replaces earlier edits by hand.
    for (const each of holding)
      await store.pages.addEdit(place.page, edit({ target: each, kind: 'release', at: nextMoment(state.edits, at) }));
    await store.memory.saveStatement({
      ...{ page: place.page, target: own, kind, at, file: '', pos: 0, order: 0, title: place.title },
      ...{ key, text, why: '', project, tags, saidBy },
      ...origin,
    });
  }
  await writeDue(deps);
  const memory = (await store.memory.list({ page: place.page })).find((each) => each.target === target);
  if (memory === undefined) throw new HoldfastError('INTERNAL', `${place.page} does not show the new memory`);
  return { memory, known };
}
