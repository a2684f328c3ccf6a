// ① Transcripts → store. The one writer of entries: an import, a scan at start and a change that the watcher saw all come here.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { embedAlongside, embedPending, noteTrouble } from '../embedding/pending.ts';
import { version } from '../package.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import type { Store } from '../store/store.ts';
import type { Chunk, FileCopy, FileState } from '../store/transcripts/port.ts';
import { briefingFolder } from '../system/briefing-folder.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import type { RunningTime } from '../system/running-time.ts';
import { markOf } from './aside.ts';
import { carriedIn } from './carried.ts';
import type { Source } from './chunk.ts';
import { conversationRules } from './conversation-rules.ts';
import type { Limits } from './keep.ts';
import { type Pulled, pullAll, pullFolder } from './pull/pull.ts';
import { type End, type Reading, readBatches, stateKey, type Work } from './reader.ts';
import { readBatchesAhead } from './reader-thread.ts';
import { redactStored } from './redaction/redact-stored.ts';
import { renewStored } from './renew-stored.ts';
import { clearUnpacked, sourcesToRenew } from './reread.ts';
import type { Problem } from './scan.ts';
import { sessionKeys } from './session-keys.ts';
import { fileSource, folderSources, ownSources, type Sources } from './sources.ts';

/** What ingest reads and writes. */
export type IngestStore = Pick<
  Store,
  | 'admin'
  | 'conversations'
  | 'entries'
  | 'location'
  | 'pauses'
  | 'projects'
  | 'removal'
  | 'transcripts'
  | 'vault'
  | 'vectors'
>;

export interface IngestDeps {
  readonly store: IngestStore;
  readonly config: Config;
  readonly clock: () => number;
  /** How long the machine has run; it tells what a pause covers when the clock was set while it ran. */
  readonly running?: (() => RunningTime | undefined) | undefined;
  readonly progress?: ((progress: IngestProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IngestProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
  /** Texts that can be found by meaning now, of those that could not before; once all files are read. */
  readonly embedded?: { readonly done: number; readonly total: number };
}

export interface IngestRequest {
  readonly file?: string | undefined;
  readonly dir?: string | undefined;
  readonly reimport?: boolean | undefined;
  /** Tries again what was set aside. */
  readonly retry?: boolean | undefined;
  /** With `reimport`: removes what the transcripts no longer hold. */
  readonly prune?: boolean | undefined;
  /** Reads again a bounded part of what an older version has read, and nothing else. */
  readonly renew?: boolean | undefined;
  /** Leaves texts to the worker where embedding them takes long. */
  readonly later?: boolean | undefined;
}

/** Imports one file, one folder, or everything that the enabled agents have written on this machine. */
export async function ingest(deps: IngestDeps, request: IngestRequest): Promise<IngestReport> {
  const started = performance.now();
  clearUnpacked(deps.config.home);
  const renewal = request.renew ? await sourcesToRenew(deps) : undefined;
  try {
    const pulled = renewal === undefined ? await pullFor(deps, request) : undefined;
    const found = renewal ?? (await findSources(deps.config, request, pulled));
    return await ingestFound(deps, request, found, started);
  } finally {
    renewal?.done();
  }
}

async function ingestFound(
  deps: IngestDeps,
  request: IngestRequest,
  found: Sources,
  started: number,
): Promise<IngestReport> {
  // First, so that a new store has nothing to go through.
  // Prepared briefings hold what must not be told any more; the worker writes them again.
  await redactStored({ ...deps, outside: () => briefingFolder(deps.config.home).clear() });
  const { reimport = false, retry, prune, renew } = request;
  const pass = await ingestSources(deps, found.sources, reimport, retry, prune, renew);
  const unembedded = await embed(deps, pass, request.later === true);
  if (request.file !== undefined && pass.failed > 0) {
    const problem = pass.problems.at(-1);
    throw new HoldfastError(
      'UNREADABLE',
      problem?.message ?? `${request.file} cannot be imported`,
      problem?.hint ? { hint: problem.hint } : {},
    );
  }
  // Last, for what is new is of this version already, and somebody may wait for it.
  await renewStored(deps);
  if (unembedded.length === 0 && (await deps.store.vectors.pending(1)).length > 0)
    unembedded.push(...(await embed(deps, pass, request.later === true)));
  const { settings } = deps.config;
  const gapMs = settings.conversationGapMinutes * 60_000;
  await deps.store.conversations.markReady(deps.clock(), { gapMs, minEntries: settings.minConversationMessages });
  const { conversations } = await deps.store.entries.counts();
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
    problems: [...found.problems, ...pass.problems, ...unembedded],
  };
}

/** Lets what came in be found by meaning. Where that fails the import has not: the worker tries again, and keywords find it meanwhile. */
async function embed(
  { store, config, clock, signal, progress }: IngestDeps,
  pass: Pass,
  later: boolean,
): Promise<Problem[]> {
  const sizes = { files: pass.imported, totalFiles: pass.imported, bytes: pass.bytes, totalBytes: pass.bytes };
  try {
    await embedPending({
      store,
      config,
      clock,
      signal,
      instantOnly: later,
      progress: progress && ((done, total) => progress({ ...sizes, embedded: { done, total } })),
    });
    signal?.throwIfAborted();
    return [];
  } catch (error) {
    signal?.throwIfAborted();
    const { message, hint } = await noteTrouble({ store, clock }, error);
    return [
      {
        file: store.location,
        message: `What was imported cannot be found by meaning yet: ${message}`,
        ...(hint === undefined ? {} : { hint }),
      },
    ];
  }
}

/** Brings transcripts that are ours to what their sources hold. */
async function pullFor(deps: IngestDeps, { file, dir }: IngestRequest): Promise<Pulled | undefined> {
  const from = file ?? dir;
  if (from === undefined) return pullAll(deps);
  return file !== undefined && dir !== undefined ? undefined : pullFolder(deps, path.resolve(from));
}

async function findSources(config: Config, request: IngestRequest, pulled?: Pulled): Promise<Sources> {
  const { sources, problems, leftOut } = await findFiles(config, request, pulled);
  return { sources, problems: [...(pulled?.problems ?? []), ...problems], leftOut };
}

/** Transcripts that a pull from the named folder or file has made longer. */
const grownSources = (config: Config, pulled: Pulled | undefined): Source[] =>
  (pulled?.grown ?? []).flatMap(
    (file) => fileSource(config, { path: file, size: fs.statSync(file).size }, config.home) ?? [],
  );

async function findFiles(config: Config, request: IngestRequest, pulled: Pulled | undefined): Promise<Sources> {
  if (request.file !== undefined && request.dir !== undefined) {
    throw new HoldfastError('BAD_INPUT', 'Both --file and --dir were given', { hint: 'Give one of them.' });
  }
  if (request.dir !== undefined) {
    const folder = path.resolve(request.dir);
    if (!statOf(folder).isDirectory()) {
      throw new HoldfastError('BAD_INPUT', `${folder} is a file, not a folder`, { hint: `Use --file ${folder}` });
    }
    const found = await folderSources(config, folder);
    return { ...found, sources: [...found.sources, ...grownSources(config, pulled)] };
  }
  if (request.file === undefined) return ownSources(config);
  const file = path.resolve(request.file);
  const stat = statOf(file);
  if (stat.isDirectory()) {
    throw new HoldfastError('BAD_INPUT', `${file} is a folder, not a file`, { hint: `Use --dir ${file}` });
  }
  if (!stat.isFile()) throw new HoldfastError('UNREADABLE', `${file} is neither a file nor a folder`);
  if (stat.size === 0) throw new HoldfastError('UNREADABLE', `${file} is empty; there is nothing to import`);
  if (pulled !== undefined && pulled.sources > 0)
    return { sources: grownSources(config, pulled), problems: [], leftOut: 0 };
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

/**
 * Takes in what is new in the given files, except those that were set aside, unless they are to be tried again. Throws only for what no other
 * file would escape: the store, or the wish to stop.
 */
export async function ingestSources(
  deps: IngestDeps,
  sources: readonly Source[],
  reimport: boolean,
  retry = false,
  prune = false,
  renew = false,
): Promise<Pass> {
  const { store, config, signal } = deps;
  const { settings } = config;
  const rules = conversationRules(settings);
  const pass: Pass = { imported: 0, skipped: 0, failed: 0, added: 0, malformed: 0, bytes: 0, problems: [] };
  const copies: FileCopy[] = [];
  const totalBytes = sources.reduce((sum, source) => sum + source.size, 0);
  let files = 0;
  let bytes = 0;
  let began = performance.now();

  /** Commits what the readings hold. Returns the sources that another process has moved on meanwhile. */
  async function commit(readings: readonly Reading[], of: readonly Source[]): Promise<Set<Source>> {
    const overtaken = new Set<Source>();
    const withChunk = readings.filter((reading) => reading.chunk !== undefined);
    const chunks = withChunk.map((reading) => reading.chunk as Chunk);
    const note = { at: deps.clock(), elapsed: () => performance.now() - began };
    const outcomes = chunks.length > 0 ? await store.transcripts.commit(chunks, rules, note) : [];
    began = performance.now();
    outcomes.forEach(({ stale, added }, i) => {
      pass.added += added;
      const chunk = chunks[i] as Chunk;
      pass.bytes += chunk.to - chunk.from;
      bytes += chunk.to - chunk.from;
      if (stale) overtaken.add(of[withChunk[i]?.source ?? 0] as Source);
    });
    return overtaken;
  }

  async function finish(end: End, source: Source): Promise<void> {
    if (end.as === 'skipped') {
      pass.skipped++;
      bytes += source.size;
      if (end.copy !== undefined) copies.push(end.copy);
    } else if (end.as === 'read') {
      if (asides.has(keyOf(source))) await store.transcripts.takeBack(source.agent.name, source.key);
      pass.imported++;
      pass.malformed += end.malformed;
      if (end.problem !== undefined) pass.problems.push(end.problem);
    } else if (end.as === 'set aside') {
      pass.failed++;
      pass.problems.push(await setAside(deps, source, end.pos));
    } else {
      pass.failed++;
      pass.problems.push(end.problem);
      if (end.note !== undefined)
        await store.transcripts.noteFailure(source.agent.name, end.note.key, end.note.root, end.problem.message);
    }
    files++;
  }

  const projects = {
    separateWorktrees: config.settings.separateWorktrees,
    links: await store.projects.links(),
  };
  // Read after the sizes of the files: whatever was written within them, the pause it may lie in is known by now.
  const { ignore, settings: current } = config.reload();
  const limits: Limits = {
    pauses: await store.pauses.list({ at: deps.clock(), running: deps.running?.() }),
    ignore,
    skipTools: current.skipTools,
  };
  const asides = new Map(
    (await store.transcripts.setAsides()).map((aside) => [stateKey(aside.agent, aside.key), aside]),
  );
  const aside = retry ? undefined : { files: asides, version: version() };

  /** One reading of files. Returns those that another process has moved on meanwhile, and those that were not reached. */
  async function readAll(left: readonly Source[], anew: boolean): Promise<{ overtaken: Source[]; unread: Source[] }> {
    const states = await statesOf(store, left);
    const work: Work = {
      sources: left,
      states,
      reimport: anew,
      prune,
      renew,
      home: config.home,
      projects,
      limits,
      aside,
      carried: carriedIn(config.home),
    };
    const again = new Set<Source>();
    const ended = new Set<Source>();
    const batches = allSkipped(left, states, anew || renew)
      ? readBatches(work)
      : readBatchesAhead(work, settings.readSeconds * 1000, signal);
    for await (const readings of batches) {
      signal?.throwIfAborted();
      for (const source of await commit(readings, left)) again.add(source);
      for (const { end, source } of readings) {
        const of = left[source] as Source;
        if (end === undefined) continue;
        ended.add(of);
        if (!again.has(of)) await finish(end, of);
      }
      deps.progress?.({ files, totalFiles: sources.length, bytes, totalBytes });
      alongside.note(pass.added);
      await new Promise(setImmediate);
    }
    return { overtaken: [...again], unread: left.filter((source) => !ended.has(source) && !again.has(source)) };
  }

  const alongside = embedAlongside(deps);
  try {
    let left = sources;
    let overtaken: Source[] = [];
    for (let round = 0; left.length > 0 || overtaken.length > 0; ) {
      const isAgain = left.length === 0;
      if (isAgain && ++round === 20) {
        throw new HoldfastError('STORE_BUSY', 'Other processes keep importing the same transcripts', {
          hint: 'Nothing is lost; try again.',
        });
      }
      const found = await readAll(isAgain ? overtaken : left, reimport && !isAgain);
      // A renewal that was overtaken is one for the next time.
      if (renew) return pass;
      overtaken = [...(isAgain ? found.unread : overtaken), ...found.overtaken];
      left = isAgain ? [] : found.unread;
    }
  } finally {
    await alongside.end();
  }
  await store.transcripts.noteCopies(copies);
  return pass;
}

const keyOf = ({ agent, key }: Source): string => stateKey(agent.name, key);

/** Records that a file took too long to read, so that no other pass stands still on it. */
async function setAside({ store, config, clock }: IngestDeps, source: Source, pos: number): Promise<Problem> {
  const { path: file, agent, key } = source;
  const reason = `reading it stood still for ${config.settings.readSeconds} s at byte ${pos}`;
  const mark = markOf(source, pos);
  await store.transcripts.setAside({
    agent: agent.name,
    key,
    path: file,
    pos,
    mark,
    version: version(),
    reason,
    at: clock(),
  });
  return {
    file,
    message: `${file} was set aside: ${reason}`,
    hint: 'All other transcripts are read. To try it again: holdfast ingest --retry; to allow more time: holdfast config set readSeconds',
  };
}

/** A scan of files that did not change needs no thread: their sizes say it all. */
const allSkipped = (sources: readonly Source[], states: ReadonlyMap<string, FileState>, reimport: boolean): boolean =>
  !reimport && sources.every(({ agent, key, size }) => size === (states.get(stateKey(agent.name, key))?.offset ?? 0));

async function statesOf(
  store: Pick<Store, 'transcripts'>,
  sources: readonly Source[],
): Promise<Map<string, FileState>> {
  const found =
    sources.length > 3
      ? await store.transcripts.states()
      : await Promise.all(
          sources.flatMap(({ agent, key, path: file }) => {
            const { session, subagent } = agent.describe(key);
            const above = subagent === undefined ? [] : sessionKeys(key, session);
            return [key, file, ...above].map((one) => store.transcripts.state(agent.name, one));
          }),
        );
  return new Map(
    found.filter((state) => state !== undefined).map((state) => [stateKey(state.agent, state.key), state]),
  );
}
