// Builds a new database from every source. First the list of what must never come back, then the agents' transcripts,
// then what only the old database and its backup know. A later source never replaces an earlier one.
import { conversationRules } from '../../../capture/conversation-rules.ts';
import { type IngestDeps, ingest } from '../../../capture/ingest.ts';
import { importLines } from '../../../capture/transfer/import-lines.ts';
import { planRules } from '../../../distill/job-policy.ts';
import { ExportedLine } from '../../../schema/exported.ts';
import { mergeTables } from '../../../store/sqlite/merge-tables.ts';
import type { Store } from '../../../store/store.ts';
import type { Context } from '../../operation.ts';
import { type Found, inOrder, isWhole, type Yield } from './found.ts';
import { type FromVault, takeFromVault } from './vault.ts';

export interface Rebuilt {
  readonly transcripts: { readonly files: number; readonly entries: number };
  readonly vault: FromVault;
  /** Entries that neither a transcript nor a vault copy has any more. */
  readonly onlyHere: number;
  readonly problems: readonly string[];
}

type RebuildDeps = IngestDeps & {
  readonly store: Pick<
    Store,
    | 'admin'
    | 'conversations'
    | 'distilled'
    | 'entries'
    | 'groups'
    | 'jobs'
    | 'memory'
    | 'pages'
    | 'projects'
    | 'removal'
    | 'sessions'
    | 'transcripts'
    | 'transfer'
    | 'location'
  >;
};

/** `deps.store` is the new, empty database. */
export async function rebuild(
  deps: RebuildDeps & Pick<Context, 'say'>,
  found: Found,
  folder: string,
): Promise<Rebuilt> {
  const { store, config, clock, signal, say } = deps;
  const importing = {
    store,
    clock,
    signal,
    rules: conversationRules(config.settings),
    planning: planRules(config.settings),
  };
  const sources = inOrder(found);
  await importLines(importing, each(found.ledger));
  for (const { file } of sources) {
    mergeTables(store.location, file);
    await importLines(
      importing,
      linesOf(file, (line) => isFirst.has(line.is)),
    );
  }
  say?.('Reading transcripts');
  const report = await ingest(deps, { later: true });
  const takeOver = async (from: readonly Yield[]): Promise<number> => {
    let entries = 0;
    for (const { file } of from)
      entries += (
        await importLines(
          importing,
          linesOf(file, (line) => !isFirst.has(line.is)),
        )
      ).entries;
    return entries;
  };
  // A whole database knows where entries stand in their transcripts; a vault copy does not.
  const isPart = (one: Yield) => one === found.damaged && !isWhole(found.damaged);
  say?.('Copying what only the database knew');
  let onlyHere = await takeOver(sources.filter((one) => !isPart(one)));
  say?.('Reading the vault');
  const vault = await takeFromVault(deps, folder);
  onlyHere += await takeOver(sources.filter(isPart));
  await distilAgain(deps);
  const { files, entries, problems } = report;
  return {
    transcripts: { files: files.seen, entries: entries.added },
    vault,
    onlyHere,
    problems: problems.map(({ message }) => message),
  };
}

/** Needed before any transcript is read: these lines say what may be stored, and where it belongs. */
const isFirst = new Set<ExportedLine['is']>(['tombstone', 'memory-tombstone', 'pause', 'link']);
/** Lines of these kinds came with their tables. */
const withTables = new Set<ExportedLine['is']>([
  ...(['pin', 'state', 'group', 'group-session', 'bookmark', 'task', 'message', 'merge'] as const),
]);

async function* linesOf(file: string, wanted: (line: ExportedLine) => boolean): AsyncGenerator<ExportedLine> {
  const { openSqliteStore } = await import('../../../store/sqlite/open.ts');
  const store = await openSqliteStore(file);
  try {
    const { lines } = await store.transfer.exported({});
    for await (const line of lines)
      if (wanted(line) && !withTables.has(line.is)) {
        // A database page can be readable and still hold wrong data.
        const { data } = ExportedLine.safeParse(line);
        if (data !== undefined) yield data;
      }
  } finally {
    await store.close();
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/**
 * The built-in distiller reads conversations again before the pages are examined: a line that it wrote must not pass
 * for a person's. A model costs money, so its work is left to the worker.
 */
async function distilAgain({ store, config, clock, signal, progress }: RebuildDeps): Promise<void> {
  const { settings } = config;
  const { auto, model } = settings.distill;
  if (!auto || model !== 'none') return;
  const [{ offlineDistiller: distiller }, { runJobs }, { keepExtraction }, { nothingKnown }] = await Promise.all([
    import('../../../distill/offline-distiller.ts'),
    import('../../../distill/run.ts'),
    import('../../../distill/memory/librarian.ts'),
    import('../../../distill/memory/known.ts'),
  ]);
  const keep: Parameters<typeof runJobs>[0]['keep'] = (conversation, extraction, by) =>
    keepExtraction({ store, config, clock }, conversation, extraction, by);
  const known = async () => nothingKnown;
  await runJobs({ store, settings, clock, distiller, keep, known, signal, progress: progress as never });
}
