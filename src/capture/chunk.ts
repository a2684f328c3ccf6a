// ① Lines → a chunk: what one piece of a transcript adds to the store, redacted and cut, with the state to continue from.
import fs from 'node:fs';
import type { Agent, ParsedItem } from '../agents/agent.ts';
import { copyState, emptyState, type ReaderState } from '../schema/reader-state.ts';
import type { Chunk, FileState } from '../store/transcripts/port.ts';
import type { Carried } from './carried.ts';
import { collectItems } from './chunk-items.ts';
import { headOf, tailOf } from './fingerprint.ts';
import { folderBeside, startIn } from './folder-beside.ts';
import { keeper, type Limits, timesOf } from './keep.ts';
import { type Line, longestLine, type Piece } from './lines.ts';
import { openWalk, type Walk } from './walk.ts';

export interface Source {
  readonly agent: Agent;
  readonly path: string;
  readonly root: string;
  readonly key: string;
  readonly size: number;
  /** Unpacked from the vault because the transcript itself is gone. */
  readonly fromVault?: boolean | undefined;
  /** The group whose agent wrote it, and the folder that its sessions count as, whatever the agent says. */
  readonly group?: { readonly name: string; readonly folder: string } | undefined;
}

export interface ChunkNotes {
  /** Lines that are not a JSON object, and the number of the first. */
  malformed: number;
  firstMalformed: number | undefined;
  tooLong: number;
}

/** How far a file has been read. */
type Progress = Pick<FileState, 'offset' | 'lines' | 'malformed' | 'head' | 'tail' | 'bornAt'>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

export interface ChunkDeps {
  readonly home: string;
  readonly limits: Limits;
  readonly projectOf: (folder: string) => string;
  readonly sessionState: (session: string) => ReaderState | undefined;
  /** Sessions that were carried into this agent from others. */
  readonly carried?: Carried | undefined;
  /** Called before each line. */
  readonly beat?: (pos: number) => void;
}

/** Processes the pieces of one file. `begin` is the state to start from; without it the file is read from the start. */
export function chunker(source: Source, fd: number, begin: FileState | undefined, deps: ChunkDeps) {
  const { agent, key, root } = source;
  const { subagent } = agent.describe(key);
  const state = copyState(begin?.state ?? emptyState());
  const walk = openWalk(agent, key, state);
  if (begin === undefined && source.group === undefined) startIn(folderBeside(agent, source.path, key), walk);
  const fileTimes = () => timesOf(fs.fstatSync(fd));
  const keep = keeper(deps.limits, state.capture, { ...deps, subagent: subagent !== undefined, fileTimes });
  const { offset = 0, lines = 0, malformed = 0, head = '', tail = '', bornAt } = begin ?? {};
  const progress: Writable<Progress> = { offset, lines, malformed, head, tail, bornAt };
  const reader = offset === 0 ? agent.readerVersion : undefined;

  return function next(piece: Piece, notes: ChunkNotes, options: { restart: boolean }): Chunk {
    const from = progress.offset;
    const items = collectItems({ source, fd, walk, keep, ...deps });
    for (const line of piece.lines) {
      deps.beat?.(line.pos);
      for (const item of read(agent, walk, line, progress, notes)) items.take(item, line.pos);
    }
    progress.offset = piece.end;
    if (from === 0) progress.head = headOf(piece.bytes.subarray(0, Math.min(1024, piece.end)));
    if (piece.end > from) progress.tail = tailOf(piece, from);
    const { offset: to, ...rest } = progress;
    const ours = state.capture.ours === true;
    return {
      ...{ agent: agent.name, group: source.group?.name, key, root, subagent, reader, from, to, ...rest },
      size: piece.last ? source.size : to,
      restart: options.restart && from === 0,
      last: piece.last,
      state: copyState(state),
      status: ours ? 'ignored' : 'ok',
      ...(ours ? nothingKept : items.parts(deps.projectOf)),
    };
  };
}

const nothingKept = { sessions: [], titles: [], entries: [], withdrawn: [], moved: [], results: [] };

function read(
  agent: Agent,
  walk: Walk,
  line: Line,
  progress: Writable<Progress>,
  notes: ChunkNotes,
): readonly ParsedItem[] {
  progress.lines++;
  const bytes = line.pos === 0 && line.bytes.indexOf(byteOrderMark) === 0 ? line.bytes.subarray(3) : line.bytes;
  const looksWhole = bytes[0] === 0x7b && bytes[bytes.length - 1] === 0x7d;
  // Until the file's birth time is known, parse every line for its time; after that, only lines that can matter.
  if (!line.tooLong && looksWhole && progress.bornAt !== undefined && agent.cannotMatter(bytes)) return [];
  const value = line.tooLong ? undefined : parseObject(bytes);
  if (value !== undefined) {
    const { at, items } = walk.read(value);
    progress.bornAt ??= at;
    return items;
  }
  if (isBlank(bytes)) return [];
  progress.malformed++;
  notes.malformed++;
  notes.firstMalformed ??= progress.lines;
  if (line.tooLong) notes.tooLong++;
  return [];
}

function parseObject(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Not JSON: the caller counts it.
    return undefined;
  }
}

/** True for a whole JSON object. Only blanks can follow one, so it is safe to read without its newline. */
export const isWholeObject = (bytes: Buffer): boolean =>
  bytes.length <= longestLine &&
  bytes.subarray(-64).toString('latin1').trimEnd().endsWith('}') &&
  parseObject(bytes) !== undefined;

const byteOrderMark = Buffer.from('\ufeff');

const isBlank = (bytes: Buffer): boolean => bytes.length < 64 && bytes.toString('latin1').trim() === '';
