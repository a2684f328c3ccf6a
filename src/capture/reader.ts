// Sources → readings: plans each file, reads what is new in it, and yields batches that are worth a commit.
import fs from 'node:fs';
import path from 'node:path';
import type { ReaderState } from '../schema/reader-state.ts';
import type { Chunk, FileCopy, FileState, SetAside } from '../store/transcripts/port.ts';
import { isStillAside } from './aside.ts';
import type { Carried } from './carried.ts';
import { type ChunkNotes, chunker, isWholeObject, type Source } from './chunk.ts';
import { withVectors } from './chunk-vectors.ts';
import { hasPrivateTurns, isStateOf as isOf, type Limits, noLimits } from './keep.ts';
import { longestLine, type Piece, readPieces } from './lines.ts';
import { openTranscript } from './plain-file.ts';
import { planFor, renewalFor } from './plan.ts';
import { type ProjectRules, projectFinder } from './project.ts';
import { type Problem, problemOf } from './scan.ts';
import { sessionKeys } from './session-keys.ts';

export interface Work {
  readonly sources: readonly Source[];
  /** Stored states of the files, by `stateKey`. */
  readonly states: ReadonlyMap<string, FileState>;
  readonly reimport: boolean;
  /** Reads again what an older version of the reader has read, and nothing else. */
  readonly renew?: boolean;
  /** Whether to remove entries that a file no longer contains. */
  readonly prune?: boolean;
  /** The data folder: sessions in it are our own distiller's work. */
  readonly home: string;
  readonly projects?: ProjectRules;
  readonly limits?: Limits;
  /** Files that were set aside, by `stateKey`, and the program's version. Without it, all files are tried. */
  readonly aside?: { readonly files: ReadonlyMap<string, SetAside>; readonly version: string } | undefined;
  /** Sessions that were carried from one agent into another, by agent. */
  readonly carried?: ReadonlyMap<string, Carried> | undefined;
  /** Set if new entries get first vectors: the model's name. */
  readonly vectorsOf?: string | undefined;
  /** Whether the caller has time to compute the next vectors itself. Without it, the reader computes all of them. */
  readonly leavesVectors?: (() => boolean) | undefined;
  /** Called before each line with the source's index and the position in it. */
  readonly beat?: ((source: number, pos: number) => void) | undefined;
}

/** One result for one source. Chunks come in order; the last reading of a source says how it ended. */
export interface Reading {
  /** Index into the sources. */
  readonly source: number;
  readonly chunk?: Chunk;
  readonly end?: End;
}

export type End =
  | { readonly as: 'skipped'; readonly copy?: FileCopy }
  | { readonly as: 'read'; readonly malformed: number; readonly problem?: Problem }
  /** Reading took too long; `pos` is where the current line begins. */
  | { readonly as: 'set aside'; readonly pos: number }
  /** `note`: the key and root under which to record the failure, unless a chunk has recorded it. */
  | {
      readonly as: 'failed';
      readonly problem: Problem;
      readonly note?: { readonly key: string; readonly root: string };
    };

export const stateKey = (agent: string, key: string): string => `${agent} ${key}`;

/** One commit for each small file would mostly wait for the disk; one for all would hold the store too long. */
const batchBytes = 4 << 20;
const batchReadings = 256;
/** The first batch is small, because the caller waits for it. */
const firstBytes = 1 << 19;

export function* readBatches(work: Work): Generator<Reading[], void, void> {
  const privateTurns = new Map<string, ReaderState>();
  let stored: FileState[] | undefined;
  const tools: Omit<Tools, 'beat'> = {
    projectOf: projectFinder(work.projects),
    sessionState({ agent, key }, session) {
      const beside = sessionKeys(key, session)
        .map((one) => stateKey(agent.name, one))
        .map((one) => privateTurns.get(one) ?? work.states.get(one)?.state)
        .find((state) => state !== undefined);
      if (beside !== undefined) return beside;
      // It may be elsewhere, as for other agents and for subagents of a workflow. Only sessions with private turns matter here.
      for (const state of privateTurns.values()) if (isOf(state, session)) return state;
      stored ??= [...work.states.values()].filter(({ state }) => hasPrivateTurns(state));
      return stored.find(({ state }) => isOf(state, session))?.state;
    },
  };
  let batch: Reading[] = [];
  let held = 0;
  let wanted = firstBytes;
  for (const [index, source] of subagentsLast(work.sources)) {
    const beat = (pos: number) => work.beat?.(index, pos);
    for (const reading of readSource(source, work, { ...tools, beat })) {
      batch.push({ source: index, ...reading });
      const { chunk } = reading;
      if (chunk !== undefined) held += chunk.to - chunk.from;
      if (chunk !== undefined && hasPrivateTurns(chunk.state))
        privateTurns.set(stateKey(chunk.agent, chunk.key), chunk.state);
      if (held < wanted && batch.length < batchReadings) continue;
      yield batch;
      batch = [];
      held = 0;
      wanted = batchBytes;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Shared by all files of a pass. */
interface Tools {
  readonly projectOf: (folder: string) => string;
  /** The state of the transcript of the session that a subagent belongs to. */
  readonly sessionState: (source: Source, session: string) => ReaderState | undefined;
  readonly beat: (pos: number) => void;
}

/** Subagents come last: the transcript of their session tells whether they worked for a private prompt. */
const subagentsLast = (sources: readonly Source[]): [number, Source][] => {
  const all = [...sources.entries()];
  const isSubagent = ({ agent, key }: Source) =>
    agent.describe(key).subagent !== undefined || agent.isStarted?.(key) === true;
  return [...all.filter(([, source]) => !isSubagent(source)), ...all.filter(([, source]) => isSubagent(source))];
};

function* readSource(source: Source, work: Work, tools: Tools): Generator<Omit<Reading, 'source'>> {
  try {
    tools.beat(0);
    if (isAside(source, work)) {
      yield { end: { as: 'skipped' } };
      return;
    }
    // A file that shares its key with a different file has its own path as its key.
    const apart: Source = { ...source, key: source.path, root: path.dirname(source.path) };
    if (source.key !== apart.key && work.states.has(stateKey(source.agent.name, apart.key))) {
      yield* readSource(apart, work, tools);
      return;
    }
    const state = work.states.get(stateKey(source.agent.name, source.key));
    if (state === undefined && source.size === 0) {
      yield { end: { as: 'skipped' } };
      return;
    }
    const plan = work.renew ? renewalFor(source, state) : planFor(source, state, work.reimport);
    if (plan.do === 'separate') {
      yield* readSource(apart, work, tools);
    } else if (plan.do === 'skip' && state?.status === 'failed' && !work.renew) {
      // It may be readable now.
      yield* readChunks(source, state, false, work, tools);
    } else if (plan.do === 'skip') {
      const { key, root, size } = source;
      yield {
        end: plan.note ? { as: 'skipped', copy: { agent: source.agent.name, key, root, size } } : { as: 'skipped' },
      };
    } else {
      const renews: Chunk['renews'] = work.renew
        ? { from: source.fromVault ? 'vault' : 'transcript', at: state?.offset ?? 0, size: source.size }
        : undefined;
      const begin = plan.do === 'read' ? state : undefined;
      yield* readChunks(source, begin, plan.do === 'restart', work, tools, renews);
    }
  } catch (error) {
    const { key, root } = source;
    yield { end: { as: 'failed', problem: problemOf(source.path, error), note: { key, root } } };
  }
}

/** Whether the file was set aside and nothing has changed that would make it readable. */
function isAside(source: Source, { aside, states, reimport }: Work): boolean {
  const of = (key: string) => stateKey(source.agent.name, key);
  const found = aside?.files.get(of(source.key));
  if (aside === undefined || found === undefined || reimport) return false;
  const state = states.get(of(source.path)) ?? states.get(of(source.key));
  return isStillAside(source, found, state?.offset ?? 0, aside.version);
}

function* readChunks(
  source: Source,
  begin: FileState | undefined,
  restart: boolean,
  { home, limits = noLimits, prune, carried, vectorsOf, leavesVectors }: Work,
  { projectOf, sessionState, beat }: Tools,
  renews?: Chunk['renews'],
): Generator<Omit<Reading, 'source'>> {
  const notes: ChunkNotes = { malformed: 0, firstMalformed: undefined, tooLong: 0 };
  let last: Chunk | undefined;
  const fd = openTranscript(source.path, source.fromVault ? undefined : source.group && source.root);
  try {
    const next = chunker(source, fd, begin, {
      home,
      limits,
      projectOf,
      beat,
      carried: carried?.get(source.agent.name),
      sessionState: (session) => sessionState(source, session),
    });
    for (const piece of readPieces(fd, begin?.offset ?? 0, source.size, isWholeObject)) {
      last = {
        ...judged(next(piece, notes, { restart }), source),
        ...(prune ? { prune } : {}),
        ...(renews ? { renews } : {}),
      };
      yield { chunk: vectorsOf === undefined || leavesVectors?.() ? last : withVectors(last, vectorsOf) };
    }
    // There was nothing to read, but the file has failed before and can be opened now: record that.
    if (last === undefined && begin?.status === 'failed') {
      last = judged(next(emptyPiece(begin.offset), notes, { restart: false }), source);
      yield { chunk: last };
    }
  } finally {
    fs.closeSync(fd);
  }
  if (last?.error !== undefined) {
    yield { end: { as: 'failed', problem: { file: source.path, message: last.error } } };
  } else if (notes.malformed > 0) {
    yield { end: { as: 'read', malformed: notes.malformed, problem: malformedLines(source, notes) } };
  } else {
    yield { end: { as: 'read', malformed: 0 } };
  }
}

/** The failure is part of the chunk: as a second transaction, a crash could leave the file without it. */
const judged = (chunk: Chunk, { path: file }: Source): Chunk =>
  chunk.lines > 0 && chunk.malformed === chunk.lines
    ? {
        ...chunk,
        status: 'failed',
        error: `${file} is not a transcript: none of its ${chunk.lines} lines is a JSON object`,
      }
    : chunk;

const emptyPiece = (at: number): Piece => ({ lines: [], start: at, bytes: Buffer.alloc(0), end: at, last: true });

const malformedLines = (source: Source, notes: ChunkNotes): Problem => ({
  file: source.path,
  message:
    `${source.path}: ${notes.malformed} malformed ${notes.malformed === 1 ? 'line' : 'lines'} left out, the first is line ${notes.firstMalformed}` +
    (notes.tooLong > 0 ? `; ${notes.tooLong} longer than ${longestLine >> 20} MB` : ''),
});
