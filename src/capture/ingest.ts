// ① Transcripts → store. The one writer of entries: an import, a scan at start and a change that the watcher saw all come here.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { explain, HoldfastError } from '../errors.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import type { Chunk, ConversationRules, FileCopy, FileState, Store } from '../store/store.ts';
import { type ChunkNotes, chunker, isWholeObject, type Source } from './chunk.ts';
import { longestLine, readPieces } from './lines.ts';
import { planFor } from './plan.ts';
import { projectFinder } from './project.ts';
import { type Problem, problemOf } from './scan.ts';
import { fileSource, folderSources, ownSources, type Sources } from './sources.ts';

export interface IngestDeps {
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => number;
  readonly progress?: ((progress: IngestProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IngestProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface IngestRequest {
  readonly file?: string | undefined;
  readonly dir?: string | undefined;
  readonly reimport?: boolean | undefined;
}

/** Imports one file, one folder, or everything that the enabled agents have written on this machine. */
export async function ingest(deps: IngestDeps, request: IngestRequest): Promise<IngestReport> {
  const started = performance.now();
  const found = await findSources(deps.config, request);
  const pass = await ingestSources(deps, found.sources, request.reimport === true);
  if (request.file !== undefined && pass.failed > 0) {
    const problem = pass.problems.at(-1);
    throw new HoldfastError(
      'UNREADABLE',
      problem?.message ?? `${request.file} cannot be imported`,
      problem?.hint ? { hint: problem.hint } : {},
    );
  }
  const { settings } = deps.config;
  const gapMs = settings.conversationGapMinutes * 60_000;
  await deps.store.markReady(deps.clock(), { gapMs, minEntries: settings.minConversationMessages });
  const { conversations } = await deps.store.counts();
  const unread = found.problems.length - found.leftOut;
  return {
    files: {
      seen: found.sources.length + found.problems.length,
      imported: pass.imported,
      skipped: pass.skipped + found.leftOut,
      failed: pass.failed + unread,
    },
    entries: { added: pass.added, malformed: pass.malformed },
    conversations: Object.values(conversations).reduce((sum, n) => sum + n, 0),
    bytes: pass.bytes,
    seconds: Math.round(performance.now() - started) / 1000,
    problems: [...found.problems, ...pass.problems],
  };
}

async function findSources(config: Config, request: IngestRequest): Promise<Sources> {
  if (request.file !== undefined && request.dir !== undefined) {
    throw new HoldfastError('BAD_INPUT', 'Both --file and --dir were given', { hint: 'Give one of them.' });
  }
  if (request.dir !== undefined) {
    const folder = path.resolve(request.dir);
    if (!statOf(folder).isDirectory()) {
      throw new HoldfastError('BAD_INPUT', `${folder} is a file, not a folder`, { hint: `Use --file ${folder}` });
    }
    return folderSources(config, folder);
  }
  if (request.file === undefined) return ownSources(config);
  const file = path.resolve(request.file);
  const stat = statOf(file);
  if (stat.isDirectory()) {
    throw new HoldfastError('BAD_INPUT', `${file} is a folder, not a file`, { hint: `Use --dir ${file}` });
  }
  if (!stat.isFile()) throw new HoldfastError('UNREADABLE', `${file} is neither a file nor a folder`);
  if (stat.size === 0) throw new HoldfastError('UNREADABLE', `${file} is empty; there is nothing to import`);
  let source: Source | undefined;
  try {
    source = fileSource(config, { path: file, size: stat.size }, path.dirname(file));
  } catch (error) {
    throw explain(error, file);
  }
  if (source === undefined) {
    throw new HoldfastError('UNREADABLE', `${file} is not a transcript of a known agent`, {
      hint: 'A transcript is a file of JSON lines as Claude Code or Pi writes it.',
    });
  }
  return { sources: [source], problems: [], leftOut: 0 };
}

function statOf(file: string): fs.Stats {
  try {
    return fs.statSync(file);
  } catch (error) {
    throw explain(error, file);
  }
}

export interface Pass {
  imported: number;
  skipped: number;
  failed: number;
  added: number;
  malformed: number;
  bytes: number;
  problems: Problem[];
}

/** A commit waits until this much is ready: one for every small file would spend the time waiting for the disk. */
const batchBytes = 8 << 20;
const batchChunks = 128;

export async function ingestSources(deps: IngestDeps, sources: readonly Source[], reimport: boolean): Promise<Pass> {
  const { store, config } = deps;
  const { settings } = config;
  const rules: ConversationRules = {
    gapMs: settings.conversationGapMinutes * 60_000,
    maxEntries: settings.conversationMaxEntries,
    maxChars: settings.conversationMaxChars,
  };
  const pass: Pass = { imported: 0, skipped: 0, failed: 0, added: 0, malformed: 0, bytes: 0, problems: [] };
  const states = await statesOf(store, sources);
  const projectOf = projectFinder();
  const totalBytes = sources.reduce((sum, source) => sum + source.size, 0);
  /** Sources that another process moved on while we read them: to be looked at again. */
  const overtaken = new Set<Source>();
  const copies: FileCopy[] = [];
  let batch: { chunk: Chunk; source: Source }[] = [];
  let held = 0;
  let files = 0;
  let bytes = 0;

  const report = () => deps.progress?.({ files, totalFiles: sources.length, bytes, totalBytes });

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const ready = batch;
    batch = [];
    held = 0;
    const outcomes = await store.commit(
      ready.map(({ chunk }) => chunk),
      rules,
    );
    outcomes.forEach((outcome, i) => {
      pass.added += outcome.added;
      const source = ready[i]?.source;
      if (outcome.stale && source !== undefined) overtaken.add(source);
    });
    report();
    await new Promise(setImmediate);
  }

  async function take(source: Source, anew: boolean): Promise<void> {
    const state = states.get(stateKey(source.agent.name, source.key));
    if (state === undefined && source.size === 0) {
      pass.skipped++;
      return;
    }
    const plan = planFor(source, state, anew);
    if (plan.do === 'separate') return take({ ...source, key: source.path, root: path.dirname(source.path) }, anew);
    if (plan.do === 'skip') {
      if (plan.note) copies.push({ agent: source.agent.name, key: source.key, root: source.root, size: source.size });
      if (state?.status === 'failed') fail(source, { message: state.error ?? `${source.path} could not be read` });
      else pass.skipped++;
      return;
    }
    const notes: ChunkNotes = { malformed: 0, firstMalformed: undefined, tooLong: 0 };
    const last = await read(source, plan.do === 'read' ? state : undefined, plan.do === 'restart', notes);
    if (overtaken.has(source)) return;
    pass.malformed += notes.malformed;
    if (last !== undefined && last.lines > 0 && last.malformed === last.lines) {
      const message = `${source.path} is not a transcript: none of its ${last.lines} lines is a JSON object`;
      await flush();
      await store.noteFailure(source.agent.name, source.key, source.root, message);
      fail(source, { message });
      return;
    }
    if (notes.malformed > 0) pass.problems.push(malformedLines(source, notes));
    pass.imported++;
  }

  /** Reads a file to its captured size, piece by piece; full batches are committed on the way. Returns its last chunk. */
  async function read(source: Source, begin: FileState | undefined, restart: boolean, notes: ChunkNotes) {
    const fd = fs.openSync(source.path, 'r');
    try {
      const next = chunker(source, fd, begin, { home: config.home, projectOf });
      let last: Chunk | undefined;
      for (const piece of readPieces(fd, begin?.offset ?? 0, source.size, isWholeObject)) {
        deps.signal?.throwIfAborted();
        last = next(piece, notes, { restart });
        batch.push({ chunk: last, source });
        held += last.to - last.from;
        bytes += last.to - last.from;
        pass.bytes += last.to - last.from;
        if (held >= batchBytes || batch.length >= batchChunks) await flush();
        if (overtaken.has(source)) return undefined;
      }
      return last;
    } finally {
      fs.closeSync(fd);
    }
  }

  function fail(source: Source, problem: { message: string; hint?: string }): void {
    pass.failed++;
    pass.problems.push({ file: source.path, ...problem });
  }

  async function takeOrFail(source: Source, anew: boolean): Promise<void> {
    deps.signal?.throwIfAborted();
    try {
      await take(source, anew);
    } catch (error) {
      if (isFatal(error)) throw error;
      const problem = problemOf(source.path, error);
      await store.noteFailure(source.agent.name, source.key, source.root, problem.message);
      fail(source, problem);
    }
  }

  for (const source of sources) {
    const before = bytes;
    await takeOrFail(source, reimport);
    files++;
    bytes = before + source.size;
    report();
  }
  await flush();
  for (let round = 0; overtaken.size > 0; round++) {
    if (round === 20)
      throw new HoldfastError('STORE_BUSY', 'Other processes import the same transcripts', {
        hint: 'Nothing is lost; try again.',
      });
    const again = [...overtaken];
    overtaken.clear();
    for (const source of again) {
      const state = await store.fileState(source.agent.name, source.key);
      if (state !== undefined) states.set(stateKey(state.agent, state.key), state);
      await takeOrFail(source, false);
    }
    await flush();
  }
  await store.noteCopies(copies);
  return pass;
}

const malformedLines = (source: Source, notes: ChunkNotes): Problem => ({
  file: source.path,
  message:
    `${source.path}: ${notes.malformed} malformed ${notes.malformed === 1 ? 'line' : 'lines'} left out, the first is line ${notes.firstMalformed}` +
    (notes.tooLong > 0 ? `; ${notes.tooLong} longer than ${longestLine >> 20} MB` : ''),
});

/** Errors that no other file would escape: the store's, and the wish to stop. */
const isFatal = (error: unknown): boolean =>
  error instanceof HoldfastError || (error instanceof Error && error.name === 'AbortError');

async function statesOf(store: Store, sources: readonly Source[]): Promise<Map<string, FileState>> {
  const found =
    sources.length > 3
      ? await store.fileStates()
      : await Promise.all(sources.map((source) => store.fileState(source.agent.name, source.key)));
  return new Map(
    found.filter((state) => state !== undefined).map((state) => [stateKey(state.agent, state.key), state]),
  );
}

const stateKey = (agent: string, key: string): string => `${agent} ${key}`;
