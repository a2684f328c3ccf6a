import { z } from 'zod';
import { IngestReport } from '../../schema/ingest-report.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { compileLater, keepHeapModest } from '../../system/heap.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { IngestPorts, MemoryPorts } from '../ports.ts';
import { reachBackups } from './backups.ts';

export const ingest = operation({
  name: 'ingest',
  ending: 'guarded',
  summary: 'Import transcripts: all that are found, one file, or a folder',
  input: z.object({
    file: z.string().min(1).optional().describe('one transcript'),
    dir: z.string().min(1).optional().describe('a folder of transcripts, such as a backup'),
    reimport: z.boolean().default(false).describe('read transcripts again from the start'),
    retry: z.boolean().optional().describe('retry transcripts that were set aside because they took too long to read'),
    prune: z.boolean().optional().describe('with --reimport: remove entries that their transcripts no longer hold'),
    renew: z
      .boolean()
      .optional()
      .describe('read again some transcripts that an older version read, as the worker does by itself'),
    later: z.boolean().optional().describe('let the worker embed the entries, if that takes long'),
  }),
  output: IngestReport,
  surfaces: ['cli'],
  examples: [
    'holdfast ingest',
    'holdfast ingest --dir /mnt/backup/projects',
    'holdfast ingest --file session.jsonl --reimport',
  ],
  succeeded: (report) => report.files.failed === 0,
  async run(context: Context<IngestPorts | MemoryPorts>, input) {
    if (input.file !== undefined && input.dir !== undefined)
      throw new HoldfastError('BAD_INPUT', '--file and --dir cannot be used together', { hint: 'Give one of them.' });
    if (input.prune && !input.reimport)
      throw new HoldfastError('BAD_INPUT', '--prune was given without --reimport', {
        hint: 'Only reading the transcripts again shows what they no longer hold: holdfast ingest --reimport --prune',
      });
    if (input.renew && (input.reimport || input.file !== undefined || input.dir !== undefined))
      throw new HoldfastError('BAD_INPUT', '--renew was given together with --reimport, --file or --dir', {
        hint: '--renew finds the transcripts that an older version read. Use it alone.',
      });
    compileLater();
    // Loaded only here so that a search does not pay for it.
    const { ingest: run } = await import('../../capture/ingest.ts');
    keepHeapModest();
    const { store, config, clock, running, progress, signal } = context;
    const report = await run(
      { store, config, clock, running, ...(progress ? { progress } : {}), ...(signal ? { signal } : {}) },
      {
        reimport: input.reimport,
        retry: input.retry,
        prune: input.prune,
        later: input.later,
        renew: input.renew,
        ...(input.file === undefined ? {} : { file: input.file }),
        ...(input.dir === undefined ? {} : { dir: input.dir }),
      },
    );
    await followInPages(context);
    for (const left of await reachBackups(context)) context.say?.(`Left in place: ${left}`);
    return report;
  },
});

/** New redaction rules change stored text; memory pages may contain some of it. */
async function followInPages(
  context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>,
): Promise<void> {
  const { store } = context;
  const deps = toDeps(context);
  if (!(await store.pages.list()).some(({ due }) => due)) return;
  try {
    const { bringInLine, commitPages } = await librarian();
    const { pages } = await bringInLine(deps);
    if (pages.length === 0) return;
    await commitPages(deps);
    await store.admin.scrub();
  } catch (error) {
    // The pages stay due; the transcripts are imported anyway.
    context.say?.(explain(error, context.config.memoryPath).message);
  }
}
