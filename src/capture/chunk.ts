// ① Lines → a chunk: what one piece of a transcript adds to the store, redacted and cut, with the state to go on from.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { Agent, ParsedEntry, ParsedItem, ReaderState } from '../agents/agent.ts';
import { briefingTag } from '../schema/briefing-tag.ts';
import { distillerMark } from '../schema/distiller.ts';
import { notKept } from '../schema/not-kept.ts';
import { recallTag } from '../schema/recall-tag.ts';
import { indexText } from '../store/search/index-text.ts';
import { isUnspaced } from '../store/search/segment.ts';
import type { Chunk, FileState, NewEntry, NewToolResult, NewToolUse } from '../store/transcripts/port.ts';
import { type Carried, isCopy, originOf } from './carried.ts';
import { type Keeper, keeper, type Limits, noteParent, timesOf } from './keep.ts';
import { type Line, longestLine, type Piece } from './lines.ts';
import { headerFacts, sessionNotes } from './live/session-notes.ts';
import { locateLine } from './locate.ts';
import { redact, redactValue } from './redaction/redact.ts';
import { countUnknown } from './unknown-lines.ts';

export interface Source {
  readonly agent: Agent;
  readonly path: string;
  readonly root: string;
  readonly key: string;
  readonly size: number;
  /** Unpacked from the vault, since the transcript itself is gone. */
  readonly fromVault?: boolean | undefined;
  /** Whose agent wrote it, and the folder that its sessions count as done in, whatever the agent says. */
  readonly group?: { readonly name: string; readonly folder: string } | undefined;
}

export interface ChunkNotes {
  /** Lines that are no JSON object, and the first of them. */
  malformed: number;
  firstMalformed: number | undefined;
  tooLong: number;
}

/** Reader state of our own, beside the agent's, under names that no agent uses. */
const own = {
  lastEntry: '@entry',
  lastAt: '@at',
  session: '@session',
  cwd: '@cwd',
  /** When the last line with a time was written. */
  lineAt: '@line',
  /** The last uses of our own tools, whose results are ours too. */
  recalls: '@recalls',
  ours: '@ours',
} as const;

const cut = { input: { head: 1000, tail: 500 }, output: { head: 500, tail: 500 } } as const;

/** Goes through the pieces of one file. `begin` is the state to start from: none for a file read from the start. */
export function chunker(
  source: Source,
  fd: number,
  begin: FileState | undefined,
  deps: {
    readonly home: string;
    readonly limits: Limits;
    readonly projectOf: (folder: string) => string;
    readonly sessionState: (session: string) => ReaderState | undefined;
    /** What was carried into the agent from others. */
    readonly carried?: Carried | undefined;
    /** Told before each line. */
    readonly beat?: (pos: number) => void;
  },
) {
  const { agent, key } = source;
  const { session: named, subagent } = agent.describe(key);
  const state: ReaderState = { ...begin?.state };
  const fileTimes = () => timesOf(fs.fstatSync(fd));
  const keep: Keeper = keeper(deps.limits, state, { ...deps, subagent: subagent !== undefined, fileTimes });
  let offset = begin?.offset ?? 0;
  let lines = begin?.lines ?? 0;
  let malformed = begin?.malformed ?? 0;
  let bornAt = begin?.bornAt;
  let head = begin?.head ?? '';
  let tail = begin?.tail ?? '';
  let restart = false;
  const folders = new Map<string, string>();
  /** Nearly every line names the same folder. */
  const cleanFolder = (folder: string | undefined): string | undefined => {
    if (folder === undefined) return undefined;
    const known = folders.get(folder) ?? redact(folder);
    if (folders.size < 100) folders.set(folder, known);
    return known;
  };

  function parse(line: Line, notes: ChunkNotes): readonly ParsedItem[] {
    lines++;
    const bytes = line.pos === 0 && line.bytes.indexOf(byteOrderMark) === 0 ? line.bytes.subarray(3) : line.bytes;
    const looksWhole = bytes[0] === 0x7b && bytes[bytes.length - 1] === 0x7d;
    // Until the birth of the file is known every line is parsed for its time; later, only those that can matter.
    if (!line.tooLong && looksWhole && bornAt !== undefined && agent.cannotMatter(bytes)) return [];
    const value = line.tooLong ? undefined : parseObject(bytes);
    if (value === undefined) {
      if (isBlank(bytes)) return [];
      malformed++;
      notes.malformed++;
      notes.firstMalformed ??= lines;
      if (line.tooLong) notes.tooLong++;
      return [];
    }
    const { at, items, unknown } = agent.read(value, { key, state });
    if (unknown !== undefined) countUnknown(unknown, state);
    bornAt ??= at;
    if (at !== undefined) state[own.lineAt] = at;
    return items;
  }

  return function next(piece: Piece, notes: ChunkNotes, options: { restart: boolean }): Chunk {
    const from = offset;
    restart = options.restart && from === 0;
    const entries: NewEntry[] = [];
    const results: NewToolResult[] = [];
    const withdrawn: string[] = [];
    const moved = new Map<string, number>();
    /** The entry, taken out of this chunk; undefined when an earlier one had it, or nothing was kept of it. */
    const takeBack = (uuid: string): NewEntry | undefined => {
      const index = entries.findLastIndex((entry) => entry.uuid === uuid);
      return index < 0 ? undefined : entries.splice(index, 1)[0];
    };
    const about = sessionNotes(state, (text) => fingerprint(Buffer.from(text)));
    const hasEntries = () => state[own.lastEntry] !== undefined;
    const lineAt = () => state[own.lineAt] as number | undefined;
    const sessionOf = (said: string | undefined) => said ?? (state[own.session] as string | undefined) ?? named;

    for (const line of piece.lines) {
      deps.beat?.(line.pos);
      for (const item of parse(line, notes)) {
        if (item.kind === 'tool-result') {
          if (!keep.other(sessionOf(undefined), lineAt())) continue;
          results.push({
            id: item.id,
            pos: line.pos,
            outcome: item.failed ? 'error' : 'ok',
            output: isRecall(item.id, state) ? recalled : shorten(item.output, cut.output),
          });
        } else if (item.kind === 'withdrawn') {
          takeBack(item.uuid);
          // Also where this chunk had it: an earlier reading of the file may have stored it.
          withdrawn.push(item.uuid);
          moved.delete(item.uuid);
        } else if (item.kind === 'moved') {
          const entry = takeBack(item.uuid);
          if (entry === undefined) moved.set(item.uuid, line.pos);
          else entries.push({ ...entry, pos: line.pos });
        } else if (item.kind === 'header') {
          if (item.session !== undefined) state[own.session] = item.session;
          if (item.cwd !== undefined) state[own.cwd] = redact(item.cwd);
          noteParent(item, state);
          const id = sessionOf(undefined);
          const origin = originOf(deps.carried, item.forkOf ?? item.parent);
          for (const [fact, value] of headerFacts(origin === undefined ? item : { ...item, forkOf: origin }))
            if (keep.other(id, lineAt())) about.fact(fact, value, id, line.pos, hasEntries());
        } else if (item.kind === 'title') {
          const id = sessionOf(undefined);
          about.title(item, id, keep.title(item, id, lineAt(), state['@title']), hasEntries());
        } else if (item.kind === 'fact') {
          const id = sessionOf(undefined);
          if (keep.other(id, lineAt())) about.fact(item.fact, item.value, id, line.pos, hasEntries());
        } else {
          const session = sessionOf(item.session);
          const cwd = source.group?.folder ?? cleanFolder(item.cwd) ?? (state[own.cwd] as string | undefined);
          if (source.group === undefined && isOurs(item, cwd, deps.home, state)) continue;
          // A file whose lines name their session speaks of that one from here on.
          if (item.session !== undefined) {
            if (hasEntries() && session !== sessionOf(undefined)) about.change();
            state[own.session] = session;
          }
          if (isCopy(deps.carried, session, item.uuid, timeOf(item, state))) continue;
          const text = keep.entry(item, session, cwd, timeOf(item, state)) ? redact(item.text) : '';
          // A transcript from the vault has places where nothing was kept.
          if (text.trim() === '' || text.startsWith(notKept)) continue;
          about.entry({ ...item, forkOf: item.forkOf ?? originOf(deps.carried, session) }, session, cwd, line.pos);
          entries.push(newEntry({ ...item, text }, session, line.pos, fd, agent.idKey, state, deps.limits.skipTools));
        }
      }
    }

    offset = piece.end;
    if (from === 0) head = headOf(piece.bytes.subarray(0, Math.min(1024, offset)));
    if (offset > from) tail = tailOf(piece, from);
    const ours = state[own.ours] === true;
    return {
      agent: agent.name,
      group: source.group?.name,
      key,
      root: source.root,
      size: piece.last ? source.size : offset,
      subagent,
      from,
      to: offset,
      restart,
      reader: (begin?.offset ?? 0) === 0 ? agent.readerVersion : undefined,
      last: piece.last,
      lines,
      malformed,
      head,
      tail,
      state: { ...state },
      bornAt,
      status: ours ? 'ignored' : 'ok',
      sessions: ours ? [] : about.sessions(deps.projectOf),
      titles: ours ? [] : about.titles(),
      entries: ours ? [] : entries,
      withdrawn: ours ? [] : withdrawn,
      moved: ours ? [] : [...moved].map(([uuid, pos]) => ({ uuid, pos })),
      results: ours ? [] : results,
    };
  };
}

function newEntry(
  item: ParsedEntry,
  session: string,
  pos: number,
  fd: number,
  idKey: string,
  state: ReaderState,
  skipTools: readonly string[],
): NewEntry {
  const at = timeOf(item, state);
  const before = state[own.lastEntry] as number | undefined;
  let joinsAt: number | undefined;
  if (item.continues !== undefined && before !== undefined) {
    const parent = locateLine(fd, idKey, item.continues, pos);
    if (parent !== undefined && parent < before) joinsAt = parent;
  }
  state[own.lastAt] = at;
  // A line of the queue is no link of the chain that prompts continue from.
  if (item.queued !== 'waiting') state[own.lastEntry] = pos;
  noteRecalls(item, state);
  return {
    uuid: item.uuid,
    session,
    pos,
    at,
    role: item.role,
    author: item.author,
    form: item.form,
    text: item.text,
    // Words of scripts without spaces are dear to find: not while the store waits in a transaction.
    ...(isUnspaced(item.text) ? { indexed: indexText(item.text) } : {}),
    tools: [...new Set(item.toolUses.map((use) => redact(use.tool)))],
    toolUses: item.toolUses
      .filter(({ tool }) => !skipTools.includes(tool))
      .map(
        (use): NewToolUse => ({
          id: use.id,
          tool: redact(use.tool),
          input: clip(JSON.stringify(redactValue(use.input ?? {}, shortenInput)), cut.input),
          files: use.files.map((file) => redact(file)),
        }),
      ),
    joinsAt,
    ...(item.subagent === undefined ? {} : { subagent: redact(item.subagent) }),
  };
}

/** The work of our own distiller is known by its first prompt, or by the folder it runs in. */
function isOurs(item: ParsedEntry, cwd: string | undefined, home: string, state: ReaderState): boolean {
  if (state[own.ours] === true) return true;
  if (state[own.lastEntry] !== undefined) return false;
  const inHome = cwd !== undefined && (cwd === home || cwd.startsWith(`${home}/`));
  if (inHome || item.text.startsWith(distillerMark)) state[own.ours] = true;
  return state[own.ours] === true;
}

/** An entry without a time of its own is as old as the one before. */
const timeOf = (item: ParsedEntry, state: ReaderState): number =>
  item.at ?? (state[own.lastAt] as number | undefined) ?? 0;

const recalled = '[recalled by Holdfast; not stored again]';
const ownTool = /^mcp__(?:plugin_)?holdfast/;
const rememberedRecalls = 32;

function noteRecalls({ toolUses }: ParsedEntry, state: ReaderState): void {
  const ids = toolUses.filter(({ tool }) => ownTool.test(tool)).map(({ id }) => id);
  if (ids.length === 0) return;
  const before = typeof state[own.recalls] === 'string' ? (state[own.recalls] as string).split('\n') : [];
  state[own.recalls] = [...before, ...ids].slice(-rememberedRecalls).join('\n');
}

const isRecall = (id: string, state: ReaderState): boolean =>
  typeof state[own.recalls] === 'string' && (state[own.recalls] as string).split('\n').includes(id);

/** Redacted, then head and tail of what is too long. Of a long text only what is kept, and a little more, is looked at. */
function shorten(said: string, size: { head: number; tail: number }): string {
  const { head, tail } = size;
  if (said.length <= head + tail + 4 * margin || hidesAtLength(said)) return clip(redact(said), size);
  const [first, last] = [redact(said.slice(0, wordEnd(said, head))), redact(said.slice(wordStart(said, -tail)))];
  return joined(first.slice(0, head), said.length - head - tail, last.slice(-tail));
}

/** A text inside a tool's input: more of it than of the whole input is never kept. */
const shortenInput = (text: string): string => shorten(text, cut.input);

/** What tells a secret, such as the name of its variable, is never further away than this from it. */
const margin = 256;
const longestHeader = 4096;

/** A secret has no blanks in it: a place between two words, near enough to the given one, cuts none. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBlankCode(text.charCodeAt(end))) end++;
  return end;
}

function wordStart(text: string, at: number): number {
  let start = text.length + at - margin;
  // The values of a header are many words: its name stands at the beginning of the line.
  const line = text.lastIndexOf('\n', start);
  if (start - line < longestHeader) start = line + 1;
  while (start > 0 && !isBlankCode(text.charCodeAt(start - 1))) start--;
  return start;
}

const isBlankCode = (code: number): boolean => code <= 32;

/** What is removed as a whole, and may be longer than the margin. */
const hidesAtLength = (text: string): boolean =>
  text.includes('PRIVATE KEY') ||
  /(?:<|&lt;|&#60;|\\u003c|\\x3c)\s{0,20}\/?\s{0,20}private/i.test(text) ||
  text.includes(briefingTag) ||
  text.includes(recallTag);

const clip = (text: string, { head, tail }: { head: number; tail: number }): string =>
  text.length <= head + tail ? text : joined(text.slice(0, head), text.length - head - tail, text.slice(-tail));

const joined = (first: string, left: number, last: string): string =>
  `${first.toWellFormed()} … [${left} characters left out] … ${last.toWellFormed()}`;

function parseObject(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Not JSON: the caller counts it.
    return undefined;
  }
}

/** True for a whole JSON object: nothing but blanks can follow it, so it is safe to take without its newline. */
export const isWholeObject = (bytes: Buffer): boolean =>
  bytes.length <= longestLine &&
  bytes.subarray(-64).toString('latin1').trimEnd().endsWith('}') &&
  parseObject(bytes) !== undefined;

const byteOrderMark = Buffer.from('\ufeff');

const isBlank = (bytes: Buffer): boolean => bytes.length < 64 && bytes.toString('latin1').trim() === '';

/** Length and hash of some bytes: enough to tell whether a file still begins, or goes on, as it did. */
export const fingerprint = (bytes: Buffer): string =>
  `${bytes.length}:${createHash('sha1').update(bytes).digest('base64url')}`;

/** Prints of the first bytes at several lengths: a shorter file can be compared as well. */
const headOf = (bytes: Buffer): string =>
  [64, 256, bytes.length]
    .filter((length) => length <= bytes.length)
    .map((length) => fingerprint(bytes.subarray(0, length)))
    .join(' ');

function tailOf(piece: Piece, from: number): string {
  const end = Math.min(piece.end - piece.start, piece.bytes.length);
  const length = Math.min(1024, end, piece.end - from);
  return piece.end - piece.start > piece.bytes.length ? '' : fingerprint(piece.bytes.subarray(end - length, end));
}
