import path from 'node:path';
import { z } from 'zod';
import type { ImportDeps } from '../../capture/transfer/import-lines.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { TracePorts } from '../ports.ts';
import { embedNow } from './embed-now.ts';

export const importAll = operation({
  name: 'import',
  ending: 'guarded',
  summary: 'Import an export, or the database of another memory; what is already stored stays as it is',
  input: z.object({
    file: z.string().min(1).describe('what `holdfast export` wrote, or with --from the database'),
    from: z.enum(['claude-mem']).optional().describe('the other memory that wrote the database'),
  }),
  output: z.object({
    file: z.string(),
    transcripts: z.int(),
    entries: z.int().describe('new entries'),
    rows: z.record(z.string(), z.int()).describe('other new rows, by kind'),
    claudeMem: z
      .object({
        sessions: z.int(),
        known: z.int().describe('sessions whose transcript is stored here'),
        prompts: z.int(),
        observations: z.int(),
        summaries: z.int(),
        left: z.array(z.string()).describe('what has no counterpart here'),
      })
      .optional(),
  }),
  surfaces: ['cli'],
  positional: ['file'],
  examples: ['holdfast import all.jsonl', 'holdfast import claude-mem.db --from claude-mem'],
  async run(context: Context<TracePorts | 'conversations' | 'jobs' | 'transfer' | 'vectors'>, input) {
    const file = path.resolve(input.file);
    return input.from === undefined ? fromExport(context, file) : fromClaudeMem(context, file);
  },
});

async function depsOf({
  store,
  config,
  clock,
  signal,
}: Context<'jobs' | 'removal' | 'transcripts' | 'transfer'>): Promise<ImportDeps> {
  const [{ conversationRules }, { planRules }] = await Promise.all([
    import('../../capture/conversation-rules.ts'),
    import('../../distill/job-policy.ts'),
  ]);
  return { store, clock, signal, rules: conversationRules(config.settings), planning: planRules(config.settings) };
}

async function fromExport(context: Context<TracePorts | 'jobs' | 'transfer' | 'vectors'>, file: string) {
  const [{ checkExport, readExport }, { importLines }] = await Promise.all([
    import('../../capture/transfer/export-file.ts'),
    import('../../capture/transfer/import-lines.ts'),
  ]);
  const { lines } = await checkExport(file, context.signal);
  const progress = (done: number) => context.progress?.({ lines: done, totalLines: lines });
  const done = await importLines({ ...(await depsOf(context)), progress }, readExport(file));
  await settle(context);
  return { file, ...done, rows: { ...done.rows } };
}

async function fromClaudeMem(
  context: Context<TracePorts | 'conversations' | 'jobs' | 'transfer' | 'vectors'>,
  file: string,
) {
  const [{ claudeMemLines }, { importLines }, { ingest }] = await Promise.all([
    import('../../capture/transfer/claude-mem.ts'),
    import('../../capture/transfer/import-lines.ts'),
    import('../../capture/ingest.ts'),
  ]);
  const claudeMem = { sessions: 0, known: 0, prompts: 0, observations: 0, summaries: 0, left: [] as string[] };
  const read = () => claudeMemLines(context.store, file, { ...claudeMem, left: [] });
  // Refuse an unreadable database before anything changes.
  for await (const _ of read()) context.signal?.throwIfAborted();
  // Import transcripts first: they say more than claude-mem does.
  await ingest(context, { later: true });
  const done = await importLines(await depsOf(context), claudeMemLines(context.store, file, claudeMem));
  const { conversationGapMinutes, minConversationMessages: minEntries } = context.config.settings;
  await context.store.conversations.markReady(context.clock(), { gapMs: conversationGapMinutes * 60_000, minEntries });
  await settle(context);
  return { file, ...done, rows: { ...done.rows }, claudeMem };
}

/** Pages, pending forgetting and vectors follow the rows. */
async function settle(context: Context<TracePorts | 'vectors'>): Promise<void> {
  const { finishForgetting } = await import('./forget-traces.ts');
  await finishForgetting(context);
  const { bringInLine, commitPages } = await librarian();
  await bringInLine(toDeps(context));
  await commitPages(toDeps(context));
  await embedNow(context);
}
