// Two texts → a unified diff for a person to read before anything is written.
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';

/** Above this number of changed lines the comparison would take too long: then all lines count as replaced. */
const mostChanges = 1500;

export function unifiedDiff(before: string | undefined, after: string | undefined, file: string): string {
  if (before === after) return '';
  const name = (text: string | undefined) => (text === undefined ? '/dev/null' : file);
  const [from, to] = [ended(before), ended(after)];
  const patch = structuredPatch(name(before), name(after), from, to, undefined, undefined, {
    context: 3,
    maxEditLength: mostChanges,
  });
  return formatPatch(patch ?? replaced(name(before), name(after), from, to), FILE_HEADERS_ONLY).replace(/\n$/, '');
}

/** A person compares lines: how a line ends, and whether the last one ends, is not a change. */
const ended = (text = ''): string => (text === '' ? '' : `${text.replaceAll('\r\n', '\n').replace(/\n$/, '')}\n`);

function replaced(oldFileName: string, newFileName: string, from: string, to: string): StructuredPatch {
  const [removed, added] = [from, to].map((text) => text.split('\n').slice(0, -1)) as [string[], string[]];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  const hunk = { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines };
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}
