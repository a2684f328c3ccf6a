import { plural } from '../../../language/plural.ts';
import type { Memory, MemoryVersion } from '../../../schema/memory.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

interface Page {
  readonly page: string;
  readonly memories: number;
  readonly at: string;
  readonly own: boolean;
}

export function renderList({ folder, pages }: { folder: string; pages: readonly Page[] }, view: View): string {
  const { style } = view;
  if (pages.length === 0)
    return `No memories in ${clean(folder)}. ${style.dim('holdfast remember "…", or process conversations')}`;
  const rows = pages.map(({ page, memories, at, own }) => [
    clean(page),
    String(memories),
    localTime(at, view),
    own ? 'yours' : '',
  ]);
  const paint = [style.cyan, style.dim, style.dim];
  const all = table([['page', 'memories', 'latest', ''], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
  return `${all}\n${style.dim(clean(folder))}`;
}

export function renderPage(
  { file, text, memories }: { file: string; text: string; memories: readonly Memory[] },
  { style, width }: View,
): string {
  const ids = memories.map(({ id, text: said }) => `${style.cyan(id)}  ${oneLine(said, Math.max(20, width - 17))}`);
  return [clean(text).trimEnd(), '', ...ids, style.dim(clean(file))].join('\n');
}

const sources = { conversation: 'session', remembered: 'remembered', promoted: 'promoted', person: 'by hand' } as const;

export function renderHistory(
  { memories }: { memories: readonly { id: string; page: string; versions: readonly MemoryVersion[] }[] },
  view: View,
): string {
  const { style } = view;
  if (memories.length === 0) return 'This page never had any content.';
  return memories
    .map(({ id, page, versions }) => {
      const lines = versions.map(({ version, at, text, source, session, from, why, current }) => {
        const said = text === '' ? style.red('removed') : clean(text);
        const origin = [sources[source], session?.slice(0, 8), from && `from ${clean(from)}`].filter(Boolean).join(' ');
        const reason = why === undefined || text === '' ? '' : style.dim(` (${clean(why)})`);
        return `${current ? style.green('●') : ' '} ${version}  ${localTime(at, view)}  ${style.dim(origin)}\n     ${said}${reason}`;
      });
      return `${style.cyan(id)}  ${clean(page)}\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

export const renderKept = ({ memory, known }: { memory: Memory; known: boolean }, { style }: View): string =>
  `${known ? 'Known already' : 'Remembered'}, on ${clean(memory.page)}: ${clean(memory.text)}\n${style.dim(`holdfast memory history ${memory.id}`)}`;

export const renderEdited = ({ file }: { file: string }): string => `Changed: ${clean(file)}`;

export const renderReverted = ({ page, text }: { page: string; text: string }): string =>
  text === '' ? `Removed from ${clean(page)}.` : `${clean(page)} now says: ${clean(text)}`;

type Shown = { readonly id: string; readonly text: string };
interface Consolidated {
  readonly duplicates: readonly { readonly page: string; readonly keep: Shown; readonly merge: readonly Shown[] }[];
  readonly applied: boolean;
  readonly parted: number;
}

export function renderConsolidated({ duplicates, applied, parted }: Consolidated, { style }: View): string {
  if (parted > 0) return `${plural(parted, 'memory', 'memories')} were split again.`;
  if (duplicates.length === 0) return 'There are no duplicates.';
  const groups = duplicates.map(({ page, keep, merge }) =>
    [
      clean(page),
      `  ${style.green('keep ')} ${style.cyan(keep.id)}  ${clean(keep.text)}`,
      ...merge.map(({ id, text }) => `  ${style.yellow('merge')} ${style.cyan(id)}  ${clean(text)}`),
    ].join('\n'),
  );
  const end = applied ? 'Merged.' : `Nothing was changed. ${style.dim('holdfast memory consolidate --apply')}`;
  return [...groups, end].join('\n');
}

export const renderForgotten = ({
  page,
  forgotten,
  left,
}: {
  page: string;
  forgotten: number;
  left: readonly string[];
}): string =>
  [
    forgotten === 0
      ? 'Nothing was changed.'
      : `Forgotten: ${plural(forgotten, 'memory', 'memories')} of ${clean(page)}.`,
    ...left.map((each) => `Left in place: ${clean(each)}.`),
  ].join('\n');
