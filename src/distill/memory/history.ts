// Lists every version of a memory, from conversations, from requests to remember and from people's edits. Reverts to one of them.

import type { MemoryVersion } from '../../schema/memory.ts';
import { toMoment } from '../../schema/time.ts';
import type { Statement } from '../../store/memory/port.ts';
import type { Edit, PageState } from '../../store/pages/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { isEmptied, nextMoment, standing } from './edits.ts';
import { factLine } from './fact-line.ts';
import { findNamed, targetsOf } from './find.ts';
import { bringInLine, type InLine, type MemoryDeps, writeDue } from './librarian.ts';
import { groupOf, memoryId, stripped } from './memories-on.ts';
import { versionsOf } from './versions.ts';

export interface History {
  readonly id: string;
  readonly page: string;
  readonly versions: readonly MemoryVersion[];
}

interface Version extends Omit<MemoryVersion, 'version' | 'at'> {
  readonly at: number;
  /** The edits that bring this version back. */
  readonly edits: (state: PageState, at: number) => readonly Edit[];
}

/** The history of one memory, or of everything that was ever on a page. */
export async function historyOf(deps: MemoryDeps, name: string): Promise<readonly History[]> {
  await bringInLine(deps);
  const { page, target, state } = await findNamed(deps, name);
  const all = targetsOf(state);
  const targets = target === undefined ? [...all.keys()] : [target];
  return targets
    .map((each) => ({
      id: memoryId(page, each, all.get(each) ?? ''),
      page,
      versions: versionsOn(state, each).map(({ edits: _, at, ...version }, i) => ({
        ...version,
        version: i + 1,
        at: toMoment(at),
      })),
    }))
    .filter(({ versions }) => versions.length > 0);
}

/** Brings an earlier version back as an edit of the person. With `release`, gives the line back to the librarian instead. */
export async function revert(
  deps: MemoryDeps,
  name: string,
  { to, release = false }: { readonly to?: number | undefined; readonly release?: boolean | undefined },
): Promise<{ page: string; id: string; text: string; inLine: InLine }> {
  await bringInLine(deps);
  const { page, target, state } = await findNamed(deps, name);
  if (target === undefined)
    throw new HoldfastError('BAD_INPUT', `${page} is a page`, {
      hint: `Name one of its memories, by the id in: holdfast memory history ${page}`,
    });
  const versions = versionsOn(state, target);
  const now = versions.findLastIndex(({ current }) => current);
  const wanted =
    to === undefined
      ? versions.slice(0, Math.max(0, now)).findLast((each) => each.text !== versions[now]?.text)
      : versions[to - 1];
  if (!release && wanted === undefined)
    throw new HoldfastError(
      'NOT_FOUND',
      to === undefined ? 'There is no earlier version' : `There is no version ${to}`,
      {
        hint: `Versions: holdfast memory history ${name}`,
      },
    );
  const at = nextMoment(state.edits, deps.clock());
  const edits = release || wanted === undefined ? released(state, target, at) : wanted.edits(state, at);
  for (const edit of edits) await deps.store.pages.addEdit(page, edit);
  const inLine = await writeDue(deps);
  const text = (await deps.store.memory.list({ page })).find((memory) => memory.target === target)?.text ?? '';
  return { page, id: memoryId(page, target, text), text, inLine };
}

/** `versionsOf` returns a copy of a proven note as a fact, so this compares notes by their place. */
const isCurrent = (one: Statement, current: Statement | undefined): boolean =>
  current !== undefined &&
  (one === current ||
    (one.kind === 'note' &&
      one.at === current.at &&
      one.file === current.file &&
      one.pos === current.pos &&
      one.order === current.order));

function versionsOn(state: PageState, target: string): Version[] {
  const said = versionsOf(state.statements, state.merged).find((each) => each.target === target);
  const holding = [...standing(state.edits).values()].filter((edit) => groupOf(edit.target) === target);
  const fromEdits = state.edits
    .filter((edit) => groupOf(edit.target) === target && !isEmptied(edit))
    .map((edit): Version => {
      const last = holding.find((each) => each.target === edit.target);
      const isLast = last !== undefined && last.at === edit.at && last.text === edit.text && last.kind === edit.kind;
      const text = edit.kind === 'release' ? (said?.current.text ?? '') : stripped(edit.text);
      const why =
        edit.kind === 'release' ? 'given back to the librarian' : edit.kind === 'remove' ? 'taken out' : undefined;
      return {
        ...{ at: edit.at, text, source: 'person', saidBy: 'person', current: isLast },
        ...(why === undefined ? {} : { why }),
        edits: (_, at) => [{ ...edit, kind: edit.kind === 'add' ? 'change' : edit.kind, at }],
      };
    });
  const fromStatements = (said?.all ?? []).map((statement): Version => {
    const { at, source, saidBy, session, why, from } = statement;
    return {
      ...{
        at,
        source,
        saidBy,
        text: textOf(statement),
        current: holding.length === 0 && isCurrent(statement, said?.current),
      },
      ...(session === '' ? {} : { session }),
      ...(why === '' ? {} : { why }),
      ...(from === '' ? {} : { from }),
      edits: (now, moment) => restoring(now, target, statement, moment),
    };
  });
  // The sort is stable, so edits with the same time keep their order.
  return [...fromStatements, ...fromEdits].sort((a, b) => a.at - b.at);
}

/** A retired statement has no text, only a reason. */
const textOf = ({ key, text, kind }: Statement): string =>
  kind === 'retired' ? '' : (kind === 'keyed' || kind === 'note') && key !== '' ? `${key}: ${text}` : text;

/** Restores a line by an edit with its old text. A section only ever has the conversation's text, so releasing it restores it. */
function restoring(state: PageState, target: string, statement: Statement, at: number): Edit[] {
  if (statement.kind === 'retired') return [edit({ target, kind: 'remove', at })];
  if (!['keyed', 'plain', 'note'].includes(statement.kind)) return released(state, target, at);
  return [edit({ target, kind: 'change', text: factLine(statement), tight: true, at })];
}

function released(state: PageState, target: string, at: number): Edit[] {
  const holding = [...standing(state.edits).keys()].filter((each) => groupOf(each) === target);
  return holding.map((each) => edit({ target: each, kind: 'release', at }));
}

export const edit = (some: Pick<Edit, 'target' | 'kind' | 'at'> & Partial<Edit>): Edit => ({
  ...{ text: '', tight: false, front: false, anchor: '', section: '', before: '' },
  ...some,
});
