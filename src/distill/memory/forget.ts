// Removes a memory for good: from the page, the index, the history and the extractions. Hashes keep it from coming back.

import type { AgentName } from '../../schema/agent-name.ts';
import { Extraction } from '../../schema/extraction.ts';
import type { Statement } from '../../store/memory/port.ts';
import type { PageState } from '../../store/pages/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { isEmptied, isOwn } from './edits.ts';
import { findNamed, targetsOf } from './find.ts';
import { ownerOf, pageOfGroup } from './group-pages.ts';
import { homeOf, homesOf } from './homes.ts';
import { bringInLine, type InLine, isPersonal, type MemoryDeps, writeDue } from './librarian.ts';
import { groupOf, memoryId, partsOf } from './memories-on.ts';
import { hash, plain } from './names.ts';
import { hashesOf, projectPage, targetHash } from './place.ts';
import { placeRow, rowsWithout } from './place-row.ts';
import { withTargets } from './plan.ts';
import { mergedInto } from './versions.ts';

/** Forgets a memory, or everything on a page. Does nothing if `agrees`, which learns what would go, returns false. */
export async function forgetMemory(
  deps: MemoryDeps,
  name: string,
  agrees: (going: { page: string; memories: number; text: string | undefined }) => Promise<boolean> = async () => true,
): Promise<{ page: string; forgotten: number } & InLine> {
  const found = await bringInLine(deps);
  const { page, target, state, memory } = await findNamed(deps, name);
  if (isPersonal(state))
    throw new HoldfastError('CONFLICT', `${page} is a file of your own, which is only read`, {
      hint: 'Change or delete the file; it is then no longer found.',
    });
  const targets = target === undefined ? [...targetsOf(state).keys()] : [target];
  if (!(await agrees({ page, memories: targets.length, text: memory?.text }))) return { page, forgotten: 0, ...found };
  for (const each of targets) await forgetTarget(deps, page, each);
  const inLine = await writeDue(deps);
  await deps.store.admin.scrub();
  return { page, forgotten: targets.length, ...inLine };
}

async function forgetTarget(deps: MemoryDeps, page: string, target: string): Promise<void> {
  const { store } = deps;
  const state = await store.pages.get(page);
  const said = state.statements.filter((each) => mergedInto(each.target, state.merged) === target);
  const parts = state.written ? partsOf(withTargets(state.written), '') : [];
  const shown = parts.find((part) => part.target === target);
  const written = state.edits.filter((edit) => edit.target === target || edit.target.startsWith(`${target}/`));
  const hashes = [
    ...said.flatMap(hashesOf),
    targetHash(page, target),
    ...[shown?.text ?? '', ...written.flatMap(({ text, before }) => [text, before])]
      .filter((text) => text !== '')
      .map((text) => hash('text', plain(text))),
  ];
  const forgotten = new Set([...(await store.pages.forgotten()), ...hashes]);
  const targets = new Set([
    target,
    ...said.map((each) => each.target),
    ...(isOwn(target) ? (shown?.targets ?? []) : []),
  ]);
  const replacing = await rowsWithout(deps, forgotten);
  for (const [i, each] of [...targets].entries())
    await store.pages.forgetTarget(
      page,
      each,
      [...hashes, targetHash(page, each)],
      i === 0 ? replacing : [],
      reachOf(deps, state),
    );
  // The activity of a project also shows the title of the episode.
  if (target.startsWith('ep:'))
    for (const statement of said)
      if (statement.project !== '')
        await store.pages.forgetTarget(
          pageOfGroup(
            ownerOf(page).group,
            projectPage(await homeOf(store, homesOf(await store.projects.places()), statement)),
          ),
          target.replace(/^ep:/, 'act:'),
          [],
          [],
        );
  for (const promoted of await store.memory.promotedFrom(memoryId(page, target, shown?.text ?? '')))
    await forgetTarget(deps, promoted.page, promoted.target);
}

/** The time up to which forgetting reaches. It covers everything on the page now, even if the clocks of other machines are ahead. */
const reachOf = ({ clock }: MemoryDeps, { statements, edits }: PageState): number =>
  [...statements, ...edits].reduce((last, { at }) => Math.max(last, at), clock());

/**
 * Applies the forgetting of other machines here: removes what people wrote or asked to remember, up to the time of forgetting.
 * The result depends only on rows and hashes, so all machines end with the same. Returns the number of changed rows.
 */
export async function forgetAsElsewhere({ store }: Pick<MemoryDeps, 'store'>): Promise<number> {
  const reached = await store.pages.forgottenUpTo();
  if (![...reached.values()].some((at) => at > 0)) return 0;
  let gone = 0;
  for (const { page } of await store.pages.list()) {
    const { statements, edits } = await store.pages.get(page);
    const targets = new Set([
      ...statements.filter(({ source }) => source !== 'conversation').map(({ target }) => target),
      ...edits.filter((each) => !isEmptied(each)).map(({ target }) => groupOf(target)),
    ]);
    const going = [...targets].flatMap((target) => {
      const at = reached.get(targetHash(page, target)) ?? 0;
      return at === 0 ? [] : [{ target, at }];
    });
    if (going.length > 0) gone += await store.pages.forgetUpTo(page, going);
  }
  return gone;
}

/**
 * Removes what derives from a session, or from one of its conversations: its extractions, facts promoted from them, and people's
 * edits of lines without another source.
 */
export async function forgetSource(
  deps: MemoryDeps,
  source: {
    readonly agent: AgentName;
    readonly session: string;
    readonly file?: string | undefined;
    readonly firstPos?: number | undefined;
  },
): Promise<{ extractions: number } & InLine> {
  await bringInLine(deps);
  const { store } = deps;
  const rows = (await store.memory.extractions({ agent: source.agent, session: source.session })).filter(
    ({ file, firstPos }) =>
      (source.file === undefined || source.file === file) &&
      (source.firstPos === undefined || source.firstPos === firstPos),
  );
  const placed: Statement[] = [];
  for (const { json, ...row } of rows) {
    const { data } = Extraction.safeParse(JSON.parse(json));
    if (data !== undefined) placed.push(...(await placeRow(deps, row, data, new Set())).statements);
  }
  await store.memory.dropExtractions(rows);
  const seen = new Set<string>();
  for (const { page, target, text } of placed) {
    if (seen.has(`${page}\0${target}`)) continue;
    seen.add(`${page}\0${target}`);
    const left = (await store.pages.get(page)).statements.some((each) => each.target === target);
    if (left) continue;
    await store.pages.forgetTarget(page, target, [], []);
    for (const promoted of await store.memory.promotedFrom(memoryId(page, target, text)))
      await store.pages.forgetTarget(promoted.page, promoted.target, [], []);
  }
  const inLine = await writeDue(deps);
  await store.admin.scrub();
  return { extractions: rows.length, ...inLine };
}
