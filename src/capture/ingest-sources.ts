// ① The only path from transcripts to the store: a thread reads the files ahead, this code commits the results and records how each file ended.
import { roughModel } from '../embedding/index.ts';
import { embedAlongside } from '../embedding/pending.ts';
import { loadAhead } from '../embedding/rough.ts';
import { version } from '../package.ts';
import type { ConversationRules } from '../store/conversations/port.ts';
import type { Store } from '../store/store.ts';
import type { Chunk, FileCopy, FileState, SetAside } from '../store/transcripts/port.ts';
import { HoldfastError } from '../system/errors.ts';
import { markOf } from './aside.ts';
import { carriedIn } from './carried.ts';
import type { Source } from './chunk.ts';
import { withVectors } from './chunk-vectors.ts';
import { conversationRules } from './conversation-rules.ts';
import type { IngestDeps } from './ingest.ts';
import type { Limits } from './keep.ts';
import { type End, type Reading, readBatches, stateKey, type Work } from './reader.ts';
import { readBatchesAhead } from './reader-thread.ts';
import type { Problem } from './scan.ts';
import { sessionKeys } from './session-keys.ts';

export interface Pass {
  imported: number;
  skipped: number;
  failed: number;
  added: number;
  malformed: number;
  bytes: number;
  problems: Problem[];
}

/** Shared by the steps of one pass. */
interface Running {
  readonly deps: IngestDeps;
  readonly rules: ConversationRules;
  readonly pass: Pass;
  /** Copies of known files, found under another root. */
  readonly copies: FileCopy[];
  readonly asides: ReadonlyMap<string, SetAside>;
  readonly alongside: ReturnType<typeof embedAlongside>;
  readonly total: { readonly files: number; readonly bytes: number };
  /** For progress. */
  files: number;
  bytes: number;
  /** When the reading started that the next commit ends. */
  began: number;
}

/**
 * Reads what is new in the given files. Skips files that were set aside, unless `retry` is set. Throws only for errors that would stop every
 * file: a failing store, or an abort.
 */
export async function ingestSources(
  deps: IngestDeps,
  sources: readonly Source[],
  reimport: boolean,
  retry = false,
  prune = false,
  renew = false,
): Promise<Pass> {
  const { store, config } = deps;
  const shared = await sharedWork(deps);
  const asides = new Map(
    (await store.transcripts.setAsides()).map((aside) => [stateKey(aside.agent, aside.key), aside]),
  );
  const aside = retry ? undefined : { files: asides, version: version() };
  const run: Running = {
    deps,
    rules: conversationRules(config.settings),
    pass: { imported: 0, skipped: 0, failed: 0, added: 0, malformed: 0, bytes: 0, problems: [] },
    copies: [],
    asides,
    alongside: embedAlongside(deps),
    total: { files: sources.length, bytes: sources.reduce((sum, source) => sum + source.size, 0) },
    ...{ files: 0, bytes: 0, began: performance.now() },
  };
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
      const files = isAgain ? overtaken : left;
      const found = await readAll(run, files, { ...shared, prune, renew, aside, reimport: reimport && !isAgain });
      // Another process has overtaken this renewal: the next pass renews these files.
      if (renew) return run.pass;
      overtaken = [...(isAgain ? found.unread : overtaken), ...found.overtaken];
      left = isAgain ? [] : found.unread;
    }
  } finally {
    await run.alongside.end();
  }
  await store.transcripts.noteCopies(run.copies);
  return run.pass;
}

/** Settings for every file of a pass. Contract: call it after taking the file sizes, so that it knows every pause that could cover those bytes. */
async function sharedWork({ store, config, clock, running }: IngestDeps) {
  const projects = { separateWorktrees: config.settings.separateWorktrees, links: await store.projects.links() };
  const { ignore, settings: current } = config.reload();
  const limits: Limits = {
    pauses: await store.pauses.list({ at: clock(), running: running?.() }),
    ignore,
    skipTools: current.skipTools,
  };
  return { home: config.home, projects, limits };
}

/** Reads files once. Returns the files whose state another process has advanced since, and the files that were not reached. */
async function readAll(
  run: Running,
  left: readonly Source[],
  given: Omit<Work, 'sources' | 'states' | 'carried'>,
): Promise<{ overtaken: Source[]; unread: Source[] }> {
  const { store, config, signal, progress } = run.deps;
  const states = await statesOf(store, left);
  const work: Work = { ...given, sources: left, states, carried: carriedIn(config.home) };
  const again = new Set<Source>();
  const ended = new Set<Source>();
  const isIdle = allSkipped(left, states, work.reimport || work.renew === true);
  const vectorsOf = isIdle || unreadBytes(left, states, work.reimport) < manyBytes ? undefined : roughModel(config);
  if (vectorsOf !== undefined) await store.vectors.wantModel(vectorsOf);
  const batches = isIdle
    ? readBatches(work)
    : readBatchesAhead({ ...work, vectorsOf }, config.settings.readSeconds * 1000, signal);
  // While this thread waits for the first batch, it loads what the vectors in it need.
  if (vectorsOf !== undefined) setImmediate(loadAhead);
  for await (const readings of batches) {
    signal?.throwIfAborted();
    for (const source of await commit(run, readings, left, vectorsOf)) again.add(source);
    for (const { end, source } of readings) {
      const of = left[source] as Source;
      if (end === undefined) continue;
      ended.add(of);
      if (!again.has(of)) await finish(run, end, of);
    }
    progress?.({ files: run.files, totalFiles: run.total.files, bytes: run.bytes, totalBytes: run.total.bytes });
    run.alongside.note(run.pass.added);
    await new Promise(setImmediate);
  }
  return { overtaken: [...again], unread: left.filter((source) => !ended.has(source) && !again.has(source)) };
}

/** Commits the readings. Returns the sources whose state another process has advanced since. */
async function commit(
  run: Running,
  readings: readonly Reading[],
  of: readonly Source[],
  vectorsOf: string | undefined,
): Promise<Set<Source>> {
  const { deps, pass, rules } = run;
  const overtaken = new Set<Source>();
  const withChunk = readings.filter((reading) => reading.chunk !== undefined);
  const chunks = withChunk.map(({ chunk }) => completed(chunk as Chunk, vectorsOf));
  const note = { at: deps.clock(), elapsed: () => performance.now() - run.began };
  const outcomes = chunks.length > 0 ? await deps.store.transcripts.commit(chunks, rules, note) : [];
  run.began = performance.now();
  outcomes.forEach(({ stale, added }, i) => {
    const chunk = chunks[i] as Chunk;
    pass.added += added;
    pass.bytes += chunk.to - chunk.from;
    run.bytes += chunk.to - chunk.from;
    if (stale) overtaken.add(of[withChunk[i]?.source ?? 0] as Source);
  });
  return overtaken;
}

/** With the vectors that the reading thread has left to this one. */
const completed = (chunk: Chunk, vectorsOf: string | undefined): Chunk =>
  vectorsOf === undefined || chunk.vectors !== undefined ? chunk : withVectors(chunk, vectorsOf);

/** Counts how the reading of a file ended, and stores the outcome. */
async function finish(run: Running, end: End, source: Source): Promise<void> {
  const { deps, pass } = run;
  const { transcripts } = deps.store;
  run.files++;
  switch (end.as) {
    case 'skipped':
      pass.skipped++;
      run.bytes += source.size;
      if (end.copy !== undefined) run.copies.push(end.copy);
      return;
    case 'read':
      if (run.asides.has(keyOf(source))) await transcripts.takeBack(source.agent.name, source.key);
      pass.imported++;
      pass.malformed += end.malformed;
      if (end.problem !== undefined) pass.problems.push(end.problem);
      return;
    case 'set aside':
      pass.failed++;
      pass.problems.push(await setAside(deps, source, end.pos));
      return;
    case 'failed':
      pass.failed++;
      pass.problems.push(end.problem);
      if (end.note !== undefined)
        await transcripts.noteFailure(source.agent.name, end.note.key, end.note.root, end.problem.message);
  }
}

const keyOf = ({ agent, key }: Source): string => stateKey(agent.name, key);

/** Records that a file took too long to read, so that later passes skip it. */
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

/** A scan of unchanged files needs no thread: their sizes are enough. */
const allSkipped = (sources: readonly Source[], states: ReadonlyMap<string, FileState>, reimport: boolean): boolean =>
  !reimport && sources.every(({ agent, key, size }) => size === (states.get(stateKey(agent.name, key))?.offset ?? 0));

/** From here on, it pays that the reading thread loads what first vectors need. */
const manyBytes = 4 << 20;

const unreadBytes = (sources: readonly Source[], states: ReadonlyMap<string, FileState>, reimport: boolean): number =>
  sources.reduce((sum, { agent, key, size }) => {
    const read = reimport ? 0 : (states.get(stateKey(agent.name, key))?.offset ?? 0);
    return sum + Math.max(0, size - read);
  }, 0);

async function statesOf(
  store: Pick<Store, 'transcripts'>,
  sources: readonly Source[],
): Promise<Map<string, FileState>> {
  const found =
    sources.length > 3
      ? await store.transcripts.states()
      : (await Promise.all(sources.map((source) => statesFor(store, source)))).flat();
  return new Map(
    found.filter((state) => state !== undefined).map((state) => [stateKey(state.agent, state.key), state]),
  );
}

/** The state of a file, and of the transcript of the session that a subagent belongs to. */
async function statesFor(
  store: Pick<Store, 'transcripts'>,
  { agent, key, path: file }: Source,
): Promise<(FileState | undefined)[]> {
  const { session, subagent } = agent.describe(key);
  const look = (keys: readonly string[]) => Promise.all(keys.map((one) => store.transcripts.state(agent.name, one)));
  const own = await look([key, file]);
  if (subagent === undefined) return own;
  const above = await look(sessionKeys(key, session));
  // The path does not tell where the session's transcript is.
  return above.some((state) => state !== undefined)
    ? [...own, ...above]
    : [...own, ...(await store.transcripts.privateStates(agent.name))];
}
