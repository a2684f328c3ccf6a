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
        // The person put back a line that they had removed.
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
