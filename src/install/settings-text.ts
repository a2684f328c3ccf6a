// Edits the text of a JSON settings file that belongs to another program: only what is added or removed changes, every
// other byte stays. Comments, trailing commas, indentation, line ends and a byte order mark stay as they are.
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Insertion, JsonPath } from '../agents/hooks.ts';
import { HoldfastError } from '../system/errors.ts';

export interface Settings {
  readonly value: Record<string, unknown>;
  /** False if it has comments or trailing commas, which not every reader accepts. */
  readonly plain: boolean;
}

/** Refuses text that is not JSON, so that it is never replaced. An empty file counts as an empty object. */
export function readSettings(text: string, file: string): Settings {
  const bare = withoutMark(text);
  if (bare.trim() === '') return { value: {}, plain: true };
  const value = valueAt(parse(bare, file));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HoldfastError('UNREADABLE', `${file} does not hold a JSON object`, {
      hint: 'Correct it; nothing was changed.',
    });
  return { value: value as Record<string, unknown>, plain: isPlain(bare) };
}

export function insert(text: string, insertions: readonly Insertion[], file: string): string {
  const mark = text.slice(0, text.length - withoutMark(text).length);
  let bare = withoutMark(text);
  if (bare.trim() === '') bare = `{}${bare === '' ? '\n' : bare}`;
  for (const { path, value } of insertions) bare = insertOne(bare, path, value, file);
  return mark + bare;
}

export function remove(text: string, paths: readonly JsonPath[], file: string): string {
  const mark = text.slice(0, text.length - withoutMark(text).length);
  let bare = withoutMark(text);
  // From the back, so that the positions of what is still to be removed stay the same.
  for (const path of [...paths].sort(byPlace).reverse()) bare = removeOne(bare, path, file);
  return mark + bare;
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

function byPlace(a: JsonPath, b: JsonPath): number {
  for (const [i, step] of a.entries()) {
    const other = b[i];
    if (typeof step === 'number' && typeof other === 'number' && step !== other) return step - other;
  }
  return a.length - b.length;
}

function parse(text: string, file: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (tree !== undefined && error === undefined) return tree;
  const line = text.slice(0, error?.offset ?? 0).split('\n').length;
  const reason = error === undefined ? 'it is empty' : `${printParseErrorCode(error.error)} in line ${line}`;
  throw new HoldfastError('UNREADABLE', `${file} is not valid JSON: ${reason}`, {
    hint: 'Correct it; nothing was changed.',
  });
}

/** As a JSON reader sees it: if a key occurs twice, the last one counts. */
function valueAt(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueAt);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [key?.value, value && valueAt(value)]),
  );
}

function isPlain(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const endOf = (node: Node): number => node.offset + node.length;

function insertOne(text: string, path: JsonPath, value: unknown, file: string): string {
  const key = path.at(-1);
  const parent = findNodeAtLocation(parse(text, file), path.slice(0, -1) as (string | number)[]);
  if (parent === undefined) throw new HoldfastError('INTERNAL', `${file} has no ${path.slice(0, -1).join('.')}`);
  const children = parent.children ?? [];
  const close = endOf(parent) - 1;
  const last = children.at(-1);
  const after = last === undefined ? parent.offset + 1 : endOf(last);
  const tail = text.slice(after, close);
  const filled = text.slice(parent.offset + 1, close);
  const layout = layoutOf(text);
  // If the neighbours stand on one line, so does the new item.
  const spread = layout.spread && (last === undefined || filled.includes('\n'));
  const outer = indentOfLine(text, parent.offset);
  const first = children[0];
  const inner = first && startsLine(text, first.offset) ? indentOfLine(text, first.offset) : outer + layout.unit;
  const printed = spread
    ? JSON.stringify(value, null, layout.unit).replaceAll('\n', layout.eol + inner)
    : JSON.stringify(value);
  const item = parent.type === 'array' ? printed : `${JSON.stringify(key)}:${spread ? ' ' : layout.gap}${printed}`;
  const lead = spread ? layout.eol + inner : '';

  if (last === undefined) {
    const at = after + tail.trimEnd().length;
    const rest = spread && !/\n\s*$/.test(tail) ? layout.eol + outer : '';
    return text.slice(0, at) + lead + item + rest + text.slice(at);
  }
  // After an item with a trailing comma the new one has one too: removing it then leaves the comma that was there.
  const said = commaIn(tail);
  const comment = tail.replace(/^\s*,?/, '').trim() !== '';
  if (!comment) {
    const at = after + (said === undefined ? 0 : said + 1);
    const [before, behind] = said === undefined ? [',', ''] : ['', ','];
    return `${text.slice(0, at)}${before}${spread ? lead : layout.gap}${item}${behind}${text.slice(at)}`;
  }
  // A comment after the last item stays with it: only the comma goes before the comment.
  const at = after + tail.trimEnd().length;
  const [before, behind] = said === undefined ? [',', ''] : ['', ','];
  return `${text.slice(0, after)}${before}${text.slice(after, at)}${lead || layout.eol}${item}${behind}${text.slice(at)}`;
}

function removeOne(text: string, path: JsonPath, file: string): string {
  const found = findNodeAtLocation(parse(text, file), path as (string | number)[]);
  const node = found?.parent?.type === 'property' ? found.parent : found;
  const parent = node?.parent;
  if (node === undefined || parent === undefined) return text;
  const siblings = parent.children ?? [];
  const index = siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const cut = (from: number, to: number) => text.slice(0, from) + text.slice(to);
  const blank = (from: number, to: number) => /^[\s,]*$/.test(text.slice(from, to));

  const [open, close] = [parent.offset + 1, endOf(parent) - 1];
  if (siblings.length === 1 && blank(open, node.offset) && blank(endOf(node), close)) return cut(open, close);
  if (previous && blank(endOf(previous), node.offset)) return cut(endOf(previous), endOf(node));
  if (next && blank(endOf(node), next.offset)) return cut(node.offset, next.offset);

  // Comments around it stay. Its line is removed, and with it the comma that is no longer needed.
  const behind = text.slice(endOf(node), next?.offset ?? close);
  const own = commaIn(behind);
  const end = endOf(node) + (own === undefined ? 0 : own + 1);
  const begin = node.offset - (/\r?\n[ \t]*$|[ \t]*$/.exec(text.slice(0, node.offset))?.[0].length ?? 0);
  const left = cut(begin, end);
  if (own !== undefined || previous === undefined) return left;
  const before = commaIn(text.slice(endOf(previous), begin));
  return before === undefined
    ? left
    : left.slice(0, endOf(previous) + before) + left.slice(endOf(previous) + before + 1);
}

/** The position of the first comma outside comments. */
function commaIn(text: string): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/.exec(text);
  return found ? found[0].length - 1 : undefined;
}

interface Layout {
  /** Whether items stand on separate lines. */
  readonly spread: boolean;
  readonly unit: string;
  readonly eol: string;
  /** What follows a comma or colon if items stand on one line. */
  readonly gap: string;
}

function layoutOf(text: string): Layout {
  const unit = /\n([ \t]+)["[{/]/.exec(text)?.[1] ?? '  ';
  return {
    spread: /[{[]\s*\n/.test(text) || /^\s*\{\s*\}\s*$/.test(text),
    unit,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    gap: /[:,] /.test(text) ? ' ' : '',
  };
}

const lineBefore = (text: string, at: number): string => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
const indentOfLine = (text: string, at: number): string => /^[ \t]*/.exec(lineBefore(text, at))?.[0] ?? '';
const startsLine = (text: string, at: number): boolean => /^[ \t]*$/.test(lineBefore(text, at));
