// ① Transcripts → store. The only writer of entries: imports, the scan at startup and the watcher's changes all come here.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { embedPending, noteTrouble } from '../embedding/pending.ts';
import { agentTitles } from '../schema/agent-titles.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import type { Store } from '../store/store.ts';
import { briefingFolder } from '../system/briefing-folder.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import type { RunningTime } from '../system/running-time.ts';
import type { Source } from './chunk.ts';
import { identifyProjects } from './identify-projects.ts';
import { ingestSources, type Pass } from './ingest-sources.ts';
import { type Pulled, pullAll, pullFolder } from './pull/pull.ts';
import { startAhead } from './reader-thread.ts';
import { redactStored } from './redaction/redact-stored.ts';
import { renewStored } from './renew-stored.ts';
import { clearUnpacked, sourcesToRenew } from './reread.ts';
import type { Problem } from './scan.ts';
import { fileSource, folderSources, ownSources, type Sources } from './sources.ts';

/** The ports that ingest reads and writes. */
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
  /** How long the machine has been up. It shows what a pause covers if the clock was changed during the pause. */
  readonly running?: (() => RunningTime | undefined) | undefined;
  readonly progress?: ((progress: IngestProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IngestProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
  /** Progress of embedding, once all files are read: texts that can now be found by meaning. */
  readonly embedded?: { readonly done: number; readonly total: number };
  /** Before any file is read: how much of the stored texts was redacted by newer rules, from 0 to 1. */
  readonly redacted?: number;
}

const nothingRead = { files: 0, totalFiles: 0, bytes: 0, totalBytes: 0 } as const;

export interface IngestRequest {
  readonly file?: string | undefined;
  readonly dir?: string | undefined;
  readonly reimport?: boolean | undefined;
  /** Also tries files that were set aside. */
  readonly retry?: boolean | undefined;
  /** With `reimport`: removes entries that the transcripts no longer contain. */
  readonly prune?: boolean | undefined;
  /** Reads again a bounded part of the files that an older version has read, and nothing else. */
  readonly renew?: boolean | undefined;
  /** Leaves texts to the worker if embedding them takes long. */
  readonly later?: boolean | undefined;
}

/** Imports one file, one folder, or all transcripts of the enabled agents on this machine. */
export async function ingest(deps: IngestDeps, request: IngestRequest): Promise<IngestReport> {
  const started = performance.now();
  // A first import certainly has files to read, if there are any. Later ones mostly find nothing new.
  if ((await deps.store.transcripts.imports(0, () => '')).length === 0) startAhead();
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
  // First, so that a new store has nothing to redact.
  // Prepared briefings may contain texts that are redacted now; the worker writes them again.
  const { store, config, signal, progress } = deps;
  await redactStored({
    store,
    signal,
    outside: () => briefingFolder(config.home).clear(),
    progress: progress && ((redacted) => progress({ ...nothingRead, redacted })),
  });
  const { reimport = false, retry, prune, renew } = request;
  const pass = await ingestSources(deps, found.sources, reimport, retry, prune, renew);
  // A copy of the transcripts elsewhere, such as a backup, says nothing about what the vault holds of the agent's own.
  if (prune && request.dir === undefined && request.file === undefined)
    await (await import('./vault/prune.ts')).pruneCopies(deps, found.sources);
  const unembedded = await embed(deps, pass, request.later === true);
  if (request.file !== undefined && pass.failed > 0) {
    const problem = pass.problems.at(-1);
    throw new HoldfastError(
      'UNREADABLE',
      problem?.message ?? `${request.file} cannot be imported`,
      problem?.hint ? { hint: problem.hint } : {},
    );
  }
  // Last: new entries are already in this version's form, and the user may be waiting for them.
  await renewStored(deps);
  if (unembedded.length === 0 && (await deps.store.vectors.pending(1)).length > 0)
    unembedded.push(...(await embed(deps, pass, request.later === true)));
  await identifyProjects(deps);
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

/** Embeds the new texts. A failure here does not fail the import: the worker tries again, and until then keywords find the texts. */
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

/** Updates our own transcripts from the sources that they are pulled from. */
async function pullFor(deps: IngestDeps, { file, dir }: IngestRequest): Promise<Pulled | undefined> {
  const from = file ?? dir;
  if (from === undefined) return pullAll(deps);
  return file !== undefined && dir !== undefined ? undefined : pullFolder(deps, path.resolve(from));
}

async function findSources(config: Config, request: IngestRequest, pulled?: Pulled): Promise<Sources> {
  const { sources, problems, leftOut } = await findFiles(config, request, pulled);
  return { sources, problems: [...(pulled?.problems ?? []), ...problems], leftOut };
}

/** Transcripts that have grown by pulling from the named folder or file. */
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
      hint: `Holdfast reads transcripts of ${Object.values(agentTitles).join(', ')}.`,
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
