// A pulled transcript: our lines, and after each batch a note that says how far the source was read. If the process dies between two writes,
// the older note is the last whole one: the next pull continues from it and skips ids that are already in the file.
import fs from 'node:fs';
import path from 'node:path';
import { type ReaderState, StoredState } from '../../schema/reader-state.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { syncFolder } from '../../system/replace-file.ts';

export interface PullNote {
  readonly mark: string;
  readonly cursor: unknown;
  /** State of the reader and of the privacy limits between two lines. */
  readonly state: ReaderState;
}

const noteStart = '{"pulled":';

export const isNote = (line: string): boolean => line.startsWith(noteStart);
export const noteLine = (note: PullNote): string => JSON.stringify({ pulled: note });

/** A note is never further than this from the end. */
const longestTail = 64 << 20;

export interface Known {
  readonly size: number;
  readonly note: PullNote | undefined;
  /** Whether nothing follows the note. If something does, a write was interrupted, and there may be lines that the note does not know. */
  readonly whole: boolean;
}

/** The last whole note of a transcript. */
export function lastNote(file: string): Known {
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { size: 0, note: undefined, whole: true };
    throw explain(error, file);
  }
  try {
    const { size } = fs.fstatSync(fd);
    for (let length = 16 << 10; ; length *= 8) {
      const bytes = Buffer.alloc(Math.min(length, size, longestTail));
      fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      const found = lastNoteIn(bytes.toString('utf8'));
      if (found !== undefined || bytes.length === Math.min(size, longestTail))
        return { size, note: found?.note, whole: found?.whole ?? size === 0 };
    }
  } finally {
    fs.closeSync(fd);
  }
}

function lastNoteIn(text: string): { note: PullNote; whole: boolean } | undefined {
  for (let at = text.lastIndexOf(`\n${noteStart}`); at >= 0; at = text.lastIndexOf(`\n${noteStart}`, at - 1)) {
    const end = text.indexOf('\n', at + 1);
    const note = end < 0 ? undefined : parseNote(text.slice(at + 1, end));
    if (note !== undefined) return { note, whole: end === text.length - 1 };
    if (at === 0) break;
  }
  return undefined;
}

/** Undefined for half a note. */
export function parseNote(line: string): PullNote | undefined {
  try {
    const { pulled } = JSON.parse(line) as { pulled?: Partial<PullNote> };
    const state = StoredState.safeParse(pulled?.state);
    return typeof pulled?.mark === 'string' && state.success
      ? { mark: pulled.mark, cursor: pulled.cursor, state: state.data }
      : undefined;
  } catch {
    // Half a note: the one before it counts.
    return undefined;
  }
}

/** The ids of all lines. */
export function idsIn(file: string): Set<string> {
  const ids = new Set<string>();
  for (const line of linesOf(file)) {
    const id = isNote(line) ? undefined : idOf(line);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

export function linesOf(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw explain(error, file);
  }
}

function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined; // an interrupted write
  }
}

/** Appends lines in one call. Returns false if the file's size has changed: another process has written. */
export function append(home: string, file: string, size: number, lines: readonly string[]): boolean {
  try {
    makeFolder(home, path.dirname(file));
    const fd = fs.openSync(file, 'a+', 0o600);
    try {
      const now = fs.fstatSync(fd).size;
      if (now !== size) return false;
      const text = lines.map((line) => `${line}\n`).join('');
      // An interrupted write may have left half a line: the next line must not become part of it.
      fs.writeFileSync(fd, size === 0 || endsLine(fd, size) ? text : `\n${text}`);
      fs.fdatasyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    if (size === 0) syncFolder(path.dirname(file));
    return true;
  } catch (error) {
    throw explain(error, file);
  }
}

function endsLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a;
}
