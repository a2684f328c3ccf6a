// What a person changed in a file, as edits of targets; and edits on top of what the librarian writes now. Both are functions of rows.
import type { Edit } from '../../store/pages/port.ts';
import { type Block, isHeading } from './blocks.ts';
import { matchBlocks } from './match.ts';
import { hash } from './names.ts';
import type { TargetBlock } from './page.ts';

/** What an addition at the very top stands behind. */
const start = { front: 'front', body: 'body' } as const;
const zoneOf = (block: Pick<Block, 'front'>): string => (block.front ? start.front : start.body);

/** The last edit of each target that still holds. It keeps what stood there before the first, and an addition its place. */
export function standing(edits: readonly Edit[]): Map<string, Edit> {
  const last = new Map<string, Edit>();
  for (const edit of edits) {
    const first = last.get(edit.target);
    if (edit.kind === 'release') last.delete(edit.target);
    else if (first === undefined) last.set(edit.target, edit);
    else {
      const { front, anchor, section, before } = first;
      last.set(edit.target, { ...edit, front, anchor, section, before });
    }
  }
  return last;
}

export const isOwn = (target: string): boolean => target.startsWith('own:');

/** Named by its moment and text, so that two machines never give one name to two lines. */
const ownTarget = (at: number, text: string, nth: number): string =>
  `own:${hash(String(at), text, String(nth)).slice(0, 12)}`;

/** What is left of a forgotten line of a person: its place on the page. */
export const isEmptied = ({ target, kind, text, before }: Edit): boolean =>
  isOwn(target) && kind === 'remove' && text === '' && before === '';

/** A moment after all edits of a page: edits hold in the order of their moments, whatever a clock or a file says. */
export const nextMoment = (edits: readonly Edit[], now: number): number =>
  edits.reduce((last, { at }) => Math.max(last, at + 1), now);

/**
 * Edits on top of derived blocks. What a person removed stays away, what they changed stays as they wrote it, what they added stays
 * behind the block they put it behind; of several behind the same block, the latest comes first, as they saw it.
 */
export function applyEdits(derived: readonly TargetBlock[], edits: readonly Edit[]): TargetBlock[] {
  const holding = standing(edits);
  const own = [...holding.values()].filter(({ target }) => isOwn(target));
  const age = new Map(edits.filter(({ kind }) => kind === 'add').map(({ target }, i) => [target, i]));
  const known = new Set([...derived.map(({ target }) => target), ...own.map(({ target }) => target), 'front', 'body']);
  const behind = new Map<string, Edit[]>();
  for (const edit of own) {
    const anchor = known.has(edit.anchor) ? edit.anchor : endOf(edit, derived);
    behind.set(anchor, [...(behind.get(anchor) ?? []), edit]);
  }
  for (const list of behind.values()) list.sort((a, b) => (age.get(b.target) ?? 0) - (age.get(a.target) ?? 0));

  const page: TargetBlock[] = [];
  // With a list of its own instead of calls: a page may be one chain of a person's lines.
  const lay = (target: string) => {
    const todo = [...(behind.get(target) ?? [])].reverse();
    for (let edit = todo.pop(); edit !== undefined; edit = todo.pop()) {
      if (edit.kind !== 'remove')
        page.push({ target: edit.target, text: edit.text, tight: edit.tight, front: edit.front });
      todo.push(...[...(behind.get(edit.target) ?? [])].reverse());
    }
  };
  for (const zone of [start.front, start.body]) {
    lay(zone);
    for (const block of derived.filter((each) => zoneOf(each) === zone)) {
      const edit = holding.get(block.target);
      if (edit === undefined) page.push(block);
      else if (edit.kind === 'change') page.push({ ...block, text: edit.text, tight: edit.tight });
      lay(block.target);
    }
  }
  return page;
}

/** Where an addition goes whose neighbour is gone: to the end of its section, else of the page. */
function endOf(edit: Edit, derived: readonly TargetBlock[]): string {
  const zone = derived.filter((block) => block.front === edit.front);
  const from = zone.findIndex(({ target }) => target === edit.section);
  if (from < 0) return zone.at(-1)?.target ?? zoneOf(edit);
  const length = zone.slice(from + 1).findIndex(isHeading);
  return (zone[length < 0 ? zone.length - 1 : from + length] as TargetBlock).target;
}

export interface Noticed {
  readonly edits: readonly Edit[];
  /** The blocks of the file, each with its target. */
  readonly blocks: readonly TargetBlock[];
}

export interface Looking {
  /** What stood in the file before the person had it; without it, nothing is taken for removed. */
  readonly before: readonly TargetBlock[];
  readonly whole: boolean;
  readonly file: readonly Block[];
  readonly derived: readonly TargetBlock[];
  readonly edits: readonly Edit[];
  readonly at: number;
}

export function noticeEdits({ before, whole, file, derived, edits: past, at }: Looking): Noticed {
  const librarian = new Map(derived.map((block) => [block.target, block.text]));
  const holding = standing(past);
  const removed = new Map<string, string>();
  for (const [target, { kind, before: was }] of holding) {
    if (kind !== 'remove' || isOwn(target)) continue;
    for (const text of [was, librarian.get(target)]) if (text !== undefined) removed.set(text, target);
  }
  let added = 0;
  const edits: Edit[] = [];
  const blocks: TargetBlock[] = [];
  const anchors = new Map<string, string>([
    ['front', start.front],
    ['body', start.body],
  ]);
  let section = '';
  const note = (target: string, kind: Edit['kind'], block: Block, was: string, more: Partial<Edit> = {}) =>
    edits.push({
      ...{ target, kind, text: block.text, tight: block.tight, front: block.front, anchor: '', section: '' },
      ...{ before: was, at, ...more },
    });

  for (const { old, now } of matchBlocks(before, file)) {
    if (now === undefined) {
      if (whole && old !== undefined) note(old.target, 'remove', { ...old, text: '' }, old.text);
      continue;
    }
    let target = old?.target;
    if (target === undefined) {
      target = removed.get(now.text);
      if (target !== undefined) {
        // Put back by hand what was removed before.
        for (const [text, each] of removed) if (each === target) removed.delete(text);
        note(target, 'release', now, '');
      } else {
        target = ownTarget(at, now.text, added++);
        note(target, 'add', now, '', { anchor: anchors.get(zoneOf(now)) as string, section });
      }
    } else if (old !== undefined && old.text !== now.text) {
      const isBack = librarian.get(target) === now.text || holding.get(target)?.before === now.text;
      const kind = isBack && !isOwn(target) ? 'release' : 'change';
      note(target, kind, now, old.text);
    }
    anchors.set(zoneOf(now), target);
    if (isHeading(now)) section = target;
    blocks.push({ ...now, target });
  }
  return { edits, blocks };
}
