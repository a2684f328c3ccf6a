// ③ Rows and the current file → the person's edits, the text to write, and the memories for the index. A pure function.

import type { NewMemory } from '../../store/memory/port.ts';
import type { Edit, PageState, Written } from '../../store/pages/port.ts';
import { joinPage, parsePage } from './blocks.ts';
import { applyEdits, nextMoment, noticeEdits } from './edits.ts';
import { matchBlocks } from './match.ts';
import { memoriesOn } from './memories-on.ts';
import { derivePage, type TargetBlock } from './page.ts';

export interface PageFile {
  readonly text: string;
  readonly changedAt: number;
}

export interface PagePlan {
  readonly edits: readonly Edit[];
  /** The current content of the file, if it differs from the stored one. */
  readonly written: Written | undefined;
  /** The new content of the file. Undefined if the file is right as it is; an empty text if there must be no file. */
  readonly next: Written | undefined;
  readonly memories: readonly NewMemory[];
}

export function planPage(
  page: string,
  state: PageState,
  file: PageFile | undefined,
  options: { readonly timeZone: string },
): PagePlan {
  const derived = derivePage({ page, statements: state.statements, merged: state.merged, ...options });
  // A failed save may leave an empty file, so that does not delete the page. To delete a page, use `holdfast memory forget`.
  const text = file === undefined || file.text.trim() === '' ? undefined : file.text;
  const before = text === undefined ? undefined : writtenBefore(state, text);
  let edits: readonly Edit[] = [];
  let written: Written | undefined;
  let onDisk: readonly TargetBlock[] | undefined;
  if (text !== undefined && file !== undefined) {
    if (before?.text === text) onDisk = withTargets(before);
    else {
      const noticed = noticeEdits({
        // If we do not know what we wrote last, assume the edits so far, so that they are not taken for new ones.
        before: before ? withTargets(before) : applyEdits(derived, state.edits),
        ...{ whole: before !== undefined, file: parsePage(text) },
        ...{ derived, edits: state.edits, at: nextMoment(state.edits, file.changedAt) },
      });
      edits = noticed.edits;
      onDisk = noticed.blocks;
    }
    written = { text, targets: onDisk.map(({ target }) => target) };
  }
  const all = [...state.edits, ...edits];
  const wanted = applyEdits(derived, all);
  const isRight = onDisk !== undefined && sameBlocks(onDisk, wanted);
  const next = isRight ? undefined : toWritten(wanted, text?.includes('\r\n') === true);
  return {
    edits,
    written: written !== undefined && sameWritten(written, state.written) ? undefined : written,
    next: next?.text === '' && text === undefined ? undefined : next,
    memories: memoriesOn({ page, blocks: wanted, ...state, edits: all, changedAt: file?.changedAt ?? 0, ...options }),
  };
}

/** What we wrote last. After a crash that may be `written` or `intended`: this returns the one closer to the file. */
function writtenBefore({ written, intended }: PageState, text: string): Written | undefined {
  if (intended === undefined || written?.text === text) return written;
  if (written === undefined || intended.text === text) return intended;
  const file = parsePage(text);
  const distance = (each: Written) =>
    matchBlocks(withTargets(each), file).filter(({ old, now }) => old?.text !== now?.text).length;
  return distance(intended) < distance(written) ? intended : written;
}

export const withTargets = ({ text, targets }: Written): TargetBlock[] =>
  parsePage(text).map((block, i) => ({ ...block, target: targets[i] ?? `?:${i}` }));

const sameBlocks = (a: readonly TargetBlock[], b: readonly TargetBlock[]): boolean =>
  a.length === b.length && a.every(({ text, front }, i) => text === b[i]?.text && front === b[i]?.front);

const sameWritten = (a: Written, b: Written | undefined): boolean =>
  a.text === b?.text && a.targets.join('\n') === b.targets.join('\n');

/** Keeps the line ends of the person's file. */
function toWritten(blocks: readonly TargetBlock[], carriageReturns: boolean): Written {
  const text = joinPage(blocks);
  const read = parsePage(text);
  // Two adjacent blocks may be read back as one. It then gets the target of the first.
  const named =
    read.length === blocks.length ? blocks : matchBlocks(blocks, read).filter(({ now }) => now !== undefined);
  return {
    text: carriageReturns ? text.replaceAll('\n', '\r\n') : text,
    targets: named.map((each) => ('target' in each ? each.target : (each.old?.target ?? '?'))),
  };
}
