// Finds what a person changed in a file, as edits of targets, and applies edits to the librarian's blocks. Both are pure functions.
import type { Edit } from '../../store/pages/port.ts';
import { type Block, isHeading } from './blocks.ts';
import { matchBlocks } from './match.ts';
import { hash } from './names.ts';
import type { TargetBlock } from './page.ts';

/** The anchor of an addition at the very top. */
const start = { front: 'front', body: 'body' } as const;
const zoneOf = (block: Pick<Block, 'front'>): string => (block.front ? start.front : start.body);

/** The last edit of each target, unless it was released. It keeps the text from before the first edit, and the place of an addition. */
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

/** The name contains time and text, so that two machines never give the same name to two lines. */
const ownTarget = (at: number, text: string, nth: number): string =>
  `own:${hash(String(at), text, String(nth)).slice(0, 12)}`;

/** True for the rest of a person's forgotten line, which only marks its place on the page. */
export const isEmptied = ({ target, kind, text, before }: Edit): boolean =>
  isOwn(target) && kind === 'remove' && text === '' && before === '';

/** A time later than all edits of the page. Edits apply in order of time, so a wrong clock or file time must not reorder them. */
export const nextMoment = (edits: readonly Edit[], now: number): number =>
  edits.reduce((last, { at }) => Math.max(last, at + 1), now);

/**
 * Applies edits to derived blocks. A removed block stays away, a changed one keeps the person's text, and an added one stays after
 * the block that it followed. Of several additions after the same block, the latest comes first, as the person saw it.
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
  // A stack instead of recursion: a page may be one long chain of a person's lines.
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

/** The new anchor of an addition whose anchor is gone: the end of its section, or else of the page. */
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
  /** The blocks of the file before the person's edits. If it is only an estimate (`whole` is false), no missing block counts as removed. */
  readonly before: readonly TargetBlock[];
  readonly whole: boolean;
  readonly file: readonly Block[];
  readonly derived: readonly TargetBlock[];
  readonly edits: readonly Edit[];
  readonly at: number;
}

export function noticeEdits({ before, whole, file, derived, edits: past, at }: Looking): Noticed {
  const known = knownBlocks(derived, past);
  const edits: Edit[] = [];
  const blocks: TargetBlock[] = [];
  /** The last block of each zone so far, and the last heading: the place of the next addition. */
  const anchors = new Map<string, string>([
    ['front', start.front],
    ['body', start.body],
  ]);
  let section = '';
  let added = 0;
  const note = (target: string, kind: Edit['kind'], block: Block, was: string, more: Partial<Edit> = {}) =>
    edits.push({
      ...{ target, kind, text: block.text, tight: block.tight, front: block.front, anchor: '', section: '' },
      ...{ before: was, at, ...more },
    });
  /** A block that the file did not have: the person put back a removed one, or added their own. */
  const noteArrival = (now: Block): string => {
    const back = takeRemoved(known.removed, now.text);
    const target = back ?? ownTarget(at, now.text, added++);
    if (back !== undefined) note(target, 'release', now, '');
    else note(target, 'add', now, '', { anchor: anchors.get(zoneOf(now)) as string, section });
    return target;
  };

  for (const { old, now } of matchBlocks(before, file)) {
    if (now === undefined) {
      if (whole && old !== undefined) note(old.target, 'remove', { ...old, text: '' }, old.text);
      continue;
    }
    if (old !== undefined && old.text !== now.text)
      note(old.target, known.isOriginal(old.target, now.text) ? 'release' : 'change', now, old.text);
    const target = old?.target ?? noteArrival(now);
    anchors.set(zoneOf(now), target);
    if (isHeading(now)) section = target;
    blocks.push({ ...now, target });
  }
  return { edits, blocks };
}

interface KnownBlocks {
  /** Targets that the person removed, by the texts under which they may put them back. */
  readonly removed: Map<string, string>;
  /** Whether the librarian wrote this text for the target, now or before the person changed it. */
  isOriginal(target: string, text: string): boolean;
}

function knownBlocks(derived: readonly TargetBlock[], past: readonly Edit[]): KnownBlocks {
  const librarian = new Map(derived.map((block) => [block.target, block.text]));
  const holding = standing(past);
  const removed = new Map<string, string>();
  for (const [target, { kind, before }] of holding) {
    if (kind !== 'remove' || isOwn(target)) continue;
    for (const text of [before, librarian.get(target)]) if (text !== undefined) removed.set(text, target);
  }
  return {
    removed,
    isOriginal: (target, text) =>
      !isOwn(target) && (librarian.get(target) === text || holding.get(target)?.before === text),
  };
}

/** The removed target with this text. A target comes back once, so all its texts leave the list. */
function takeRemoved(removed: Map<string, string>, text: string): string | undefined {
  const target = removed.get(text);
  if (target !== undefined) for (const [each, of] of removed) if (of === target) removed.delete(each);
  return target;
}
